// A child process that reads what strangers made, locked in, and answers over a pipe: what the Inspector and others of
// its kind have in common. Inside src/archive, and for the folders above that have such a child of their own.
//
// The child gets the order at descriptor 3 and answers at 1, in frames (inspection_frames.h). What it says is taken for
// an attack. The first part of this file is the parent's side, the second the child's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/byte_source.h"
#include "archive/inspector.h"
#include "base/error.h"

namespace slipway::archive {

struct ReaderTask {
  int input = -1;                           // the child's descriptor 0; -1: nothing to be read
  std::uint64_t size = 0;                   // of what stands there: bounds what a child can say to have read
  std::vector<std::pair<int, int>> more{};  // further descriptors: the child's number (4 and up), ours
  std::string order{};                      // a frame, smaller than a pipe holds
};

// Takes the body of a frame. A number: how far the child says to be. Nothing: it was the verdict. An error ends it all.
using Listen = std::function<Result<std::optional<std::uint64_t>>(std::string_view body)>;

// Runs the child until its verdict was heard. Besides the errors of `listen`, those that Inspector::inspect() names
// for the child itself.
[[nodiscard]] Result<> run_reader(const InspectorProgram& program, const ReaderTask& task,
                                  const InspectOptions& options, std::stop_token stop, const Listen& listen);

namespace child {

inline constexpr int kInput = 0;
inline constexpr int kAnswers = 1;
inline constexpr int kOrder = 3;
inline constexpr std::uint64_t kAddressSpace = 512ULL << 20;  // bytes; what a reader of archives may take

// False: nobody listens any more.
bool send(std::string_view text);
// The body of the order's frame. kInvalid: there is none.
[[nodiscard]] Result<std::string> receive_order();
// The C library's conversions, which libarchive asks for, and OpenSSL open files when they are first used: too late
// inside the sandbox.
void use_what_opens_files();

// Says now and then how much was read, over all the times that the input is read.
class Teller {
 public:
  [[nodiscard]] Tick tick();  // must not outlive it

 private:
  std::uint64_t ticks_ = 0;
  std::uint64_t before_ = 0;
  std::uint64_t passed_ = 0;
};

// What `work` answers, as a frame; exceptions become errors.
[[nodiscard]] std::string answer(const std::function<std::string()>& work);

}  // namespace child
}  // namespace slipway::archive
