#include "archive/inspector.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/inspection_frames.h"
#include "archive/patience.h"
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
Result<> put_order(const Pipe& pipe, const Order& order) {
  const std::string text = order_frame(order);
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

  // The next word that is complete.
  [[nodiscard]] Result<std::optional<Word>> next() {
    if (pending_.size() < kFrameHead) return std::nullopt;
    const std::uint32_t length = frame_length(pending_);
    if (length > kMaxFrame) return fail(ErrorKind::kCorrupt, "the archive reader's answer is malformed: too long");
    if (pending_.size() - kFrameHead < length) return std::nullopt;
    auto word = parse_word(std::string_view(pending_).substr(kFrameHead, length));
    pending_.erase(0, kFrameHead + length);
    if (!word) return fail(std::move(word.error()));
    return std::move(*word);
  }

 private:
  sys::Descriptor from_;
  std::string pending_;
  std::size_t total_ = 0;
};

class Conversation {
 public:
  Conversation(sys::Process& child, Answers& answers, const InspectOptions& options, std::uint64_t size,
               std::stop_token stop)
      : child_(child),
        answers_(answers),
        options_(options),
        size_(size),
        patience_(child.pid(), options),
        stop_(std::move(stop)) {}

  [[nodiscard]] Result<Inspection> run();

 private:
  [[nodiscard]] Result<bool> wait_for_answer(int wake);
  [[nodiscard]] Result<std::optional<Inspection>> hear();
  void got_on(std::uint64_t read);
  [[nodiscard]] Error end_without_answer();

  sys::Process& child_;
  Answers& answers_;
  const InspectOptions& options_;
  std::uint64_t size_;
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

Result<std::optional<Inspection>> Conversation::hear() {
  for (;;) {
    auto word = answers_.next();
    if (!word) return fail(std::move(word.error()));
    if (!*word) return std::nullopt;
    if (auto* seen = std::get_if<Inspection>(&**word)) return std::move(*seen);
    if (auto* error = std::get_if<Error>(&**word)) return fail(std::move(*error));
    got_on(std::get<Progress>(**word).read);
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

Result<Inspection> Conversation::run() {
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
    if (*heard) return std::move(**heard);
    if (!*more) return fail(end_without_answer());
    if (auto going = patience_.check(); !going) return fail(std::move(going.error()));
  }
}

}  // namespace

Inspector::Inspector(InspectorProgram program) : program_(std::move(program)) {}

Result<ImageFile> open_image_file(const std::filesystem::path& path) {
  sys::Descriptor fd(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));  // a FIFO must not make us wait
  if (!fd && errno == ELOOP) return fail(ErrorKind::kInvalid, "{} is a symbolic link", path.native());
  if (!fd) return fail(sys::system_error("open", path.native(), errno));
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return fail(sys::system_error("look at", path.native(), errno));
  if (!S_ISREG(info.st_mode)) return fail(ErrorKind::kInvalid, "{} is not a regular file", path.native());
  if (info.st_size == 0) return fail(ErrorKind::kCorrupt, "{} is empty", path.native());
  return ImageFile{path, std::move(fd), static_cast<std::uint64_t>(info.st_size)};
}

Result<Inspection> Inspector::inspect(const std::filesystem::path& file, const Policy& policy,
                                      const InspectOptions& options, std::stop_token stop) const {
  auto opened = open_image_file(file);
  if (!opened) return opened.error().during("inspect {}", file.native());
  return inspect(*opened, policy, options, std::move(stop));
}

Result<Inspection> Inspector::inspect(const ImageFile& file, const Policy& policy, const InspectOptions& options,
                                      std::stop_token stop) const {
  const auto doing = [&](const Error& error) { return error.during("inspect {}", file.path.native()); };
  if (stop.stop_requested()) return doing(Error(ErrorKind::kCancelled, "stopped"));
  auto order = make_pipe();
  if (!order) return doing(order.error());
  auto answer = make_pipe();
  if (!answer) return doing(answer.error());
  const Order told{.policy = policy,
                   .parent = ::getpid(),
                   .size = file.size,
                   .cpu_seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(options.cpu_limit.count(), 1))};
  if (auto put = put_order(*order, told); !put) return doing(put.error());
  const sys::Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!nowhere) return doing(sys::system_error("open", "/dev/null", errno));
  auto child = sys::Process::start(
      {.executable = program_.executable,
       .arguments = program_.arguments,
       .environment = {},
       .descriptors = {{0, file.fd.get()}, {1, answer->writing.get()}, {2, nowhere.get()}, {3, order->reading.get()}}});
  if (!child) return doing(child.error());
  *order = Pipe{};  // so that the child sees the order's end
  answer->writing = sys::Descriptor();
  Answers answers(std::move(answer->reading));
  auto seen = Conversation(*child, answers, options, file.size, std::move(stop)).run();
  if (!seen) return doing(seen.error());
  return seen;
}

}  // namespace slipway::archive
