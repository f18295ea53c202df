// A bucket in memory, whose reads can be made to fail, to wait, and to be replaced under the reader.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "objects/object_source.h"
#include "sys/mutex.h"

namespace slipway::objects {

// What becomes of one read.
struct ReadFault {
  std::uint64_t after = 0;             // so many bytes come as they should; then
  std::optional<Error> error{};        // this happens, or
  bool wait_for_stop = false;          // nothing more comes until the read is stopped, or
  std::optional<std::uint8_t> flip{};  // the next byte comes changed by this pattern, and the rest as it should
};

// Thread-safe. Each read has a thread of its own.
class MemorySource final : public ObjectSource {
 public:
  // Called before each read, from the thread that asked for it; `number` counts from 1.
  using Hook = std::function<std::optional<ReadFault>(const RangeRequest& request, int number)>;

  struct Quirks {
    bool etags = true;
    bool ranges = true;           // false: a part of an object is kUnsupported
    bool checksums_late = false;  // stated with the bytes, not by head()
  };

  MemorySource();
  explicit MemorySource(Quirks quirks) : quirks_(quirks) {}
  ~MemorySource() override;

  // Makes or replaces an object; its ETag is a new one each time.
  void put(const std::string& key, std::string bytes, std::vector<Checksum> checksums = {});
  void remove(const std::string& key);
  void on_read(Hook hook);
  void fail_heads(std::optional<Error> error);

  [[nodiscard]] int heads() const { return heads_; }
  [[nodiscard]] int reads() const { return reads_; }
  [[nodiscard]] std::vector<RangeRequest> requests() const;  // all reads so far

  [[nodiscard]] std::string describe() const override { return "memory://test"; }
  [[nodiscard]] Result<ObjectInfo> head(const std::string& key, std::stop_token stop) override;
  [[nodiscard]] Result<ObjectPage> list(const ListRequest& request, std::stop_token stop) override;
  void read(RangeRequest request, std::shared_ptr<RangeReceiver> receiver, std::stop_token stop) override;

 private:
  struct Stored {
    ObjectInfo info;
    std::string bytes;
  };

  [[nodiscard]] Result<> serve(const RangeRequest& request, const std::optional<ReadFault>& fault,
                               RangeReceiver& receiver, const std::stop_token& stop);
  [[nodiscard]] Result<Stored> find(const RangeRequest& request) const;

  const Quirks quirks_;
  std::atomic<int> heads_ = 0;
  std::atomic<int> reads_ = 0;
  mutable sys::Mutex mutex_;
  std::map<std::string, Stored> objects_ SLIPWAY_GUARDED_BY(mutex_);
  int versions_ SLIPWAY_GUARDED_BY(mutex_) = 0;
  Hook hook_ SLIPWAY_GUARDED_BY(mutex_);
  std::optional<Error> head_error_ SLIPWAY_GUARDED_BY(mutex_);
  std::vector<RangeRequest> requests_ SLIPWAY_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::objects
