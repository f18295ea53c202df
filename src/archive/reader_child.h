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
#include "archive/inspection_frames.h"
#include "archive/inspector.h"
#include "base/error.h"
#include "sys/sandbox.h"

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

// Says now and then how much was read, over all the times that the input is read.
class Teller {
 public:
  [[nodiscard]] Tick tick();  // must not outlive it

 private:
  std::uint64_t ticks_ = 0;
  std::uint64_t before_ = 0;
  std::uint64_t passed_ = 0;
};

// Locks the child in as every reader of an archive is: it may read its input, answer, and nothing else.
[[nodiscard]] sys::SandboxOptions sandbox(const Order& order);

// The parts of serve().
[[nodiscard]] Result<std::string> begin();         // the body of the order's frame; kInvalid: there is none
void lock_in(const sys::SandboxOptions& options);  // exits when it cannot
[[noreturn]] void finish(const std::function<std::string()>& work);

// The child's life: takes the order, locks itself in, and sends the frame that `work` answers; exceptions become
// errors. Leaves by _exit(), since handlers of exit() need more than the sandbox gives; returns an exit code only when
// it could not begin. Call it first thing in main(): before any thread is started, any other file opened.
template <class TheOrder>
[[nodiscard]] int serve(Result<TheOrder> (*parse)(std::string_view body),
                        sys::SandboxOptions (*sandbox)(const TheOrder&), std::string (*work)(const TheOrder&)) {
  const auto body = begin();
  const auto order = body ? parse(*body) : Result<TheOrder>(fail(body.error()));
  if (!order) {
    send(frame(order.error()));
    return 1;
  }
  lock_in(sandbox(*order));
  finish([&] { return work(*order); });
}

}  // namespace child
}  // namespace slipway::archive
