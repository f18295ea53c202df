#include "archive/reader_child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <new>

#include <fcntl.h>
#include <iconv.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "archive/patience.h"
#include "base/digest.h"
#include "sys/descriptor.h"
#include "sys/process.h"
#include "sys/system_error.h"

namespace slipway::archive {
namespace {

constexpr std::size_t kMostAnswer = 64UL << 20;  // of all frames together
constexpr std::uint64_t kMostReads = 16;  // how often a file may be read: kinds and descriptions take some passes
constexpr int kTimeToEnd = 10'000;        // ms, for a child that has closed its end of the pipe

struct Pipe {
  sys::Descriptor reading;
  sys::Descriptor writing;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(sys::system_error("make", "a pipe", errno));
  return Pipe{sys::Descriptor(ends[0]), sys::Descriptor(ends[1])};
}

// The order is far smaller than a pipe holds: this never waits. SIGPIPE cannot come, since we hold the other end.
Result<> put_order(const Pipe& pipe, const std::string& text) {
  if (::write(pipe.writing.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return fail(sys::system_error("write", "the order", errno));
  }
  return {};
}

// Frames out of the bytes that the child sends, as they come.
class Answers {
 public:
  explicit Answers(sys::Descriptor from) : from_(std::move(from)) {}

  [[nodiscard]] int fd() const { return from_.get(); }

  // What can be had without waiting for more. False: the child has closed its end.
  [[nodiscard]] Result<bool> receive() {
    std::array<char, 16384> piece{};
    const ssize_t got = ::read(from_.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) return true;
    if (got < 0) return fail(sys::system_error("read", "the archive reader's answer", errno));
    total_ += static_cast<std::size_t>(got);
    if (total_ > kMostAnswer) return fail(ErrorKind::kCorrupt, "the archive reader talks without end");
    pending_.append(piece.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  // The body of the next frame that is complete.
  [[nodiscard]] Result<std::optional<std::string>> next() {
    if (pending_.size() < kFrameHead) return std::nullopt;
    const std::uint32_t length = frame_length(pending_);
    if (length > kMaxFrame) return fail(ErrorKind::kCorrupt, "the archive reader's answer is malformed: too long");
    if (pending_.size() - kFrameHead < length) return std::nullopt;
    std::string body = pending_.substr(kFrameHead, length);
    pending_.erase(0, kFrameHead + length);
    return body;
  }

 private:
  sys::Descriptor from_;
  std::string pending_;
  std::size_t total_ = 0;
};

class Conversation {
 public:
  Conversation(sys::Process& child, Answers& answers, const InspectOptions& options, std::uint64_t size,
               std::stop_token stop, const Listen& listen)
      : child_(child),
        answers_(answers),
        options_(options),
        size_(size),
        listen_(listen),
        patience_(child.pid(), options),
        stop_(std::move(stop)) {}

  [[nodiscard]] Result<> run();

 private:
  [[nodiscard]] Result<bool> wait_for_answer(int wake);
  [[nodiscard]] Result<bool> hear();
  void got_on(std::uint64_t read);
  [[nodiscard]] Error end_without_answer();

  sys::Process& child_;
  Answers& answers_;
  const InspectOptions& options_;
  std::uint64_t size_;
  const Listen& listen_;
  std::uint64_t furthest_ = 0;
  Patience patience_;
  std::stop_token stop_;
};

// False: the child has said all it had to say.
Result<bool> Conversation::wait_for_answer(int wake) {
  std::array<pollfd, 2> watched{{{answers_.fd(), POLLIN, 0}, {wake, POLLIN, 0}}};
  const int ready = ::poll(watched.data(), watched.size(), patience_.look_again_in());
  if (ready < 0 && errno != EINTR) return fail(sys::system_error("wait for", "the archive reader", errno));
  if (stop_.stop_requested()) return fail(ErrorKind::kCancelled, "stopped");
  return ready <= 0 || watched[0].revents == 0 ? Result<bool>(true) : answers_.receive();
}

// A child that was subverted may say anything: what it can have read in all is bounded, and so is what saying so gains.
void Conversation::got_on(std::uint64_t read) {
  read = std::min(read, size_ > UINT64_MAX / kMostReads ? UINT64_MAX : size_ * kMostReads);
  if (read <= furthest_) return;
  furthest_ = read;
  patience_.renew();
  if (options_.progress) options_.progress(std::min(furthest_, size_), size_);
}

// True: that was the verdict.
Result<bool> Conversation::hear() {
  for (;;) {
    auto body = answers_.next();
    if (!body) return fail(std::move(body.error()));
    if (!*body) return false;
    auto word = listen_(**body);
    if (!word) return fail(std::move(word.error()));
    if (!*word) return true;
    got_on(**word);
  }
}

Error Conversation::end_without_answer() {
  pollfd ended{child_.pidfd(), POLLIN, 0};
  int ready = 0;
  while ((ready = ::poll(&ended, 1, kTimeToEnd)) < 0 && errno == EINTR) {
  }
  if (ready == 0) return {ErrorKind::kUnavailable, "the archive reader stopped answering and did not end"};
  const auto used = patience_.cpu_used();
  const sys::ProcessEnd end = child_.wait();
  if (end.signalled) return death(end.code, used, options_);
  return {ErrorKind::kInternal, fmt::format("the archive reader ended with {} and without an answer", end.code)};
}

Result<> Conversation::run() {
  const sys::Descriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return fail(sys::system_error("make", "an eventfd", errno));
  const std::stop_callback on_stop(stop_, [&] {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake.get(), &one, sizeof one);
  });
  for (;;) {
    auto more = wait_for_answer(wake.get());
    if (!more) return fail(std::move(more.error()));
    auto heard = hear();
    if (!heard) return fail(std::move(heard.error()));
    if (*heard) return {};
    if (!*more) return fail(end_without_answer());
    if (auto going = patience_.check(); !going) return fail(std::move(going.error()));
  }
}

}  // namespace

Result<> run_reader(const InspectorProgram& program, const ReaderTask& task, const InspectOptions& options,
                    std::stop_token stop, const Listen& listen) {
  if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "stopped");
  auto order = make_pipe();
  if (!order) return fail(std::move(order.error()));
  auto answer = make_pipe();
  if (!answer) return fail(std::move(answer.error()));
  if (auto put = put_order(*order, task.order); !put) return put;
  const sys::Descriptor nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nowhere) return fail(sys::system_error("open", "/dev/null", errno));
  std::vector<std::pair<int, int>> descriptors{{child::kInput, task.input >= 0 ? task.input : nowhere.get()},
                                               {child::kAnswers, answer->writing.get()},
                                               {2, nowhere.get()},
                                               {child::kOrder, order->reading.get()}};
  descriptors.insert(descriptors.end(), task.more.begin(), task.more.end());
  auto started = sys::Process::start({.executable = program.executable,
                                      .arguments = program.arguments,
                                      .environment = {},
                                      .descriptors = std::move(descriptors)});
  if (!started) return fail(std::move(started.error()));
  *order = Pipe{};  // so that the child sees the order's end
  answer->writing = sys::Descriptor();
  Answers answers(std::move(answer->reading));
  return Conversation(*started, answers, options, task.size, std::move(stop), listen).run();
}

namespace child {
namespace {

constexpr std::uint64_t kTicksPerWord = 16;  // a tick comes for each 128 KiB that are read

Result<std::string> receive_order() {
  std::string text;
  std::string piece(4096, '\0');
  for (;;) {
    const ssize_t got = ::read(kOrder, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(ErrorKind::kIo, "the order cannot be read");
    if (got == 0) break;
    text.append(piece, 0, static_cast<std::size_t>(got));
    if (text.size() > kMaxFrame) break;
  }
  if (text.size() < kFrameHead || frame_length(text) != text.size() - kFrameHead) {
    return fail(ErrorKind::kInvalid, "there is no order: this is a command that the program calls by itself");
  }
  return text.substr(kFrameHead);
}

// The C library's conversions, which libarchive asks for, and OpenSSL open files when they are first used: too late
// inside the sandbox.
void use_what_opens_files() {
  for (const auto& [to, from] : {std::pair{"ANSI_X3.4-1968", "UTF-8"}, std::pair{"UTF-8", "ANSI_X3.4-1968"}}) {
    const iconv_t conversion = ::iconv_open(to, from);
    const auto none = reinterpret_cast<iconv_t>(-1);  // NOLINT(performance-no-int-to-ptr): how iconv says it
    if (conversion != none) ::iconv_close(conversion);
  }
  static_cast<void>(sha256_hex(""));
}

// What `work` answers, as a frame; exceptions become errors.
std::string answer(const std::function<std::string()>& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return frame(Error(ErrorKind::kRejected,
                       fmt::format("reading the archive takes more than {} MiB of memory", kAddressSpace >> 20U)));
  } catch (const std::exception& e) {
    return frame(Error(ErrorKind::kInternal, e.what()));
  }
}

}  // namespace

bool send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(kAnswers, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Tick Teller::tick() {
  return [this](std::uint64_t position) -> Result<> {
    passed_ += position >= before_ ? position - before_ : position;  // less: it is read once more
    before_ = position;
    if (++ticks_ % kTicksPerWord != 0) return {};
    if (!send(frame(Progress{passed_}))) return fail(ErrorKind::kCancelled, "nobody listens");
    return {};
  };
}

sys::SandboxOptions sandbox(const Order& order) {
  return {.address_space = kAddressSpace,
          .cpu_seconds = order.cpu_seconds,
          .output = kAnswers,
          .parent = static_cast<pid_t>(order.parent)};
}

Result<std::string> begin() {
  ::signal(SIGPIPE, SIG_IGN);
  return receive_order();
}

void lock_in(const sys::SandboxOptions& options) {
  use_what_opens_files();
  const auto locked = sys::enter_sandbox(options);
  if (locked) return;
  send(frame(locked.error()));
  ::_exit(1);
}

void finish(const std::function<std::string()>& work) { ::_exit(send(answer(work)) ? 0 : 1); }

}  // namespace child
}  // namespace slipway::archive
