// Which bytes of an object are there, which are on their way, and which to ask for next. Pure bookkeeping; not
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace slipway::objects {

struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

class RangePlan {
 public:
  // `have` is what is there already, in any order.
  explicit RangePlan(std::uint64_t size, const std::vector<ByteRange>& have = {});

  struct Part {
    int id = 0;
    ByteRange range{};
  };

  // The lowest bytes that are neither there nor on their way, at most `most` of them: the prefix, and with it the
  // hashing, goes on as early as it can.
  [[nodiscard]] std::optional<Part> next(std::uint64_t most);
  // The next `count` bytes of that part are there.
  void advance(int id, std::uint64_t count);
  // Nothing more comes for that part; what is missing of it is for others to ask for.
  void finish(int id);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t prefix() const;  // how many bytes from the first on are there
  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] bool complete() const { return done_ == size_; }
  [[nodiscard]] std::size_t on_their_way() const { return parts_.size(); }
  [[nodiscard]] std::vector<ByteRange> have() const;  // in order, as few as possible

 private:
  struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  void add(std::uint64_t begin, std::uint64_t end);

  std::uint64_t size_;
  std::uint64_t done_ = 0;
  int next_id_ = 1;
  std::map<std::uint64_t, std::uint64_t> have_;  // begin to end; apart from each other
  std::map<int, Span> parts_;                    // what is still to come of each
};

}  // namespace slipway::objects
