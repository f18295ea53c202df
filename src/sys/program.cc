#include "sys/program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/time.h"
#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::sys {
namespace {

using Instant = std::chrono::steady_clock::time_point;

struct Pipe {
  Descriptor reading;  // never waits
  Descriptor writing;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(system_error("make", "a pipe", errno));
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  if (::fcntl(pipe.reading.get(), F_SETFL, O_NONBLOCK) != 0) return fail(system_error("set up", "a pipe", errno));
  return pipe;
}

enum class Flow : std::uint8_t { kMore, kNothingNow, kEnded };

// One read of what stands in the pipe, added to `text`.
Result<Flow> receive(const Descriptor& from, std::string& text) {
  std::array<char, 65536> piece{};
  const ssize_t got = ::read(from.get(), piece.data(), piece.size());
  if (got < 0 && errno == EINTR) return Flow::kMore;
  if (got < 0 && errno == EAGAIN) return Flow::kNothingNow;
  if (got < 0) return fail(system_error("read", "what a program says", errno));
  text.append(piece.data(), static_cast<std::size_t>(got));
  return got > 0 ? Flow::kMore : Flow::kEnded;
}

// Listens to a program until its end.
class Hearing {
 public:
  Hearing(const ProgramOptions& options, Process& process, Descriptor out, Descriptor err)
      : options_(options), process_(process), out_(std::move(out)), err_(std::move(err)) {}

  Result<ProgramEnd> run(const std::stop_token& stop, int wake);

 private:
  [[nodiscard]] Result<bool> wait(int wake) const;
  [[nodiscard]] Result<Flow> hear_out();
  [[nodiscard]] Result<Flow> hear_err();
  [[nodiscard]] Result<> hear();
  [[nodiscard]] Result<> hear_the_rest();

  const ProgramOptions& options_;
  Process& process_;
  Descriptor out_;  // none: closed at its end
  Descriptor err_;
  Instant begun_ = std::chrono::steady_clock::now();
  ProgramEnd said_;
};

// True: the program has ended.
Result<bool> Hearing::wait(int wake) const {
  const auto passed = std::chrono::floor<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun_);
  const auto left = options_.timeout - passed;
  if (left.count() <= 0) {
    return fail(ErrorKind::kTimeout, "{} did not end within {}", options_.executable,
                to_human(Duration(options_.timeout)));
  }
  std::array<pollfd, 4> watched{{{process_.pidfd(), POLLIN, 0},
                                 {wake, POLLIN, 0},
                                 {out_ ? out_.get() : -1, POLLIN, 0},
                                 {err_ ? err_.get() : -1, POLLIN, 0}}};
  const int ready =
      ::poll(watched.data(), watched.size(), static_cast<int>(std::min<std::int64_t>(left.count(), INT_MAX)));
  if (ready < 0 && errno != EINTR) return fail(system_error("wait for", options_.executable, errno));
  return ready > 0 && watched[0].revents != 0;
}

Result<Flow> Hearing::hear_out() {
  auto flow = receive(out_, said_.out);
  if (flow && said_.out.size() > options_.most_output) {
    return fail(ErrorKind::kRejected, "{} says more than {} bytes", options_.executable, options_.most_output);
  }
  return flow;
}

Result<Flow> Hearing::hear_err() {
  auto flow = receive(err_, said_.err);
  if (said_.err.size() > options_.kept_errors) said_.err.erase(0, said_.err.size() - options_.kept_errors);
  return flow;
}

Result<> Hearing::hear() {
  if (out_) {
    const auto flow = hear_out();
    if (!flow) return fail(flow.error());
    if (*flow == Flow::kEnded) out_ = Descriptor();
  }
  if (err_) {
    const auto flow = hear_err();
    if (!flow) return fail(flow.error());
    if (*flow == Flow::kEnded) err_ = Descriptor();
  }
  return {};
}

// What it said before its end stands in the pipes. Somebody else may still hold them, and write without end: to the
// first pipe no more than is allowed, and of the second no more than a pipe holds is read.
Result<> Hearing::hear_the_rest() {
  while (out_) {
    const auto flow = hear_out();
    if (!flow) return fail(flow.error());
    if (*flow != Flow::kMore) break;
  }
  constexpr int kMostReads = 64;
  for (int i = 0; err_ && i < kMostReads; ++i) {
    const auto flow = hear_err();
    if (!flow) return fail(flow.error());
    if (*flow != Flow::kMore) break;
  }
  return {};
}

Result<ProgramEnd> Hearing::run(const std::stop_token& stop, int wake) {
  for (bool ended = false; !ended;) {
    const auto waited = wait(wake);
    if (!waited) return fail(waited.error());
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "stopped");
    ended = *waited;
    if (auto heard = hear(); !heard) return fail(heard.error());
  }
  process_.kill_group();
  if (auto heard = hear_the_rest(); !heard) return fail(heard.error());
  said_.end = process_.wait();
  return std::move(said_);
}

}  // namespace

Result<ProgramEnd> run_program(const ProgramOptions& options, const std::stop_token& stop) {
  if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "stopped");
  auto out = make_pipe();
  if (!out) return fail(std::move(out.error()));
  auto err = make_pipe();
  if (!err) return fail(std::move(err.error()));
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing) return fail(system_error("open", "/dev/null", errno));
  const Descriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return fail(system_error("make", "an eventfd", errno));
  std::vector<std::pair<int, int>> descriptors{{0, nothing.get()}, {1, out->writing.get()}, {2, err->writing.get()}};
  descriptors.insert(descriptors.end(), options.descriptors.begin(), options.descriptors.end());
  auto process = Process::start({.executable = options.executable,
                                 .arguments = options.arguments,
                                 .environment = options.environment,
                                 .descriptors = std::move(descriptors),
                                 .folder = options.folder});
  if (!process) return fail(std::move(process.error()));
  out->writing = Descriptor();
  err->writing = Descriptor();
  const std::stop_callback on_stop(stop, [&] {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake.get(), &one, sizeof one);
  });
  auto said = Hearing(options, *process, std::move(out->reading), std::move(err->reading)).run(stop, wake.get());
  if (!said) process->kill_group();
  return said;
}

std::optional<std::string> find_program(const std::string& name, std::string_view path) {
  const auto usable = [](const std::filesystem::path& file) -> std::optional<std::string> {
    std::error_code error;
    const auto whole = std::filesystem::absolute(file, error);
    if (error || !std::filesystem::is_regular_file(whole, error) || ::access(whole.c_str(), X_OK) != 0) {
      return std::nullopt;
    }
    return whole.string();
  };
  if (name.empty()) return std::nullopt;
  if (name.contains('/')) return usable(name);
  while (!path.empty()) {
    const auto folder = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(path.size(), folder.size() + 1));
    if (folder.empty()) continue;  // "here", by an old rule: a program that anybody may have put there
    if (auto found = usable(std::filesystem::path(folder) / name)) return found;
  }
  return std::nullopt;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) all.emplace_back(*one);
  return all;
}

std::string_view variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string_view one : environment) {
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      return one.substr(name.size() + 1);
  }
  return {};
}

namespace {

// Without what a terminal takes as a command ("\x1b[31m"), and printable.
std::string plain(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
      i = std::min(line.find_first_not_of("0123456789;?", i + 2), line.size());
    } else if (line[i] == '\t') {
      out += ' ';
    } else if (line[i] != '\r') {
      out += line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
    }
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace

std::string last_lines(std::string_view text, std::size_t count) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < count) {
    const auto before = text.rfind('\n');
    const auto begin = before == std::string_view::npos ? 0 : before + 1;
    if (auto line = plain(text.substr(begin)); !line.empty()) lines.push_back(std::move(line));
    text = text.substr(0, before == std::string_view::npos ? 0 : before);
  }
  std::ranges::reverse(lines);
  return fmt::format("{}", fmt::join(lines, "; "));
}

}  // namespace slipway::sys
