// Other programs, run by tests and measurements: to the end, or beside them.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "sys/descriptor.h"

namespace slipway::sys {

using Variables = std::map<std::string, std::string>;

struct CommandOptions {
  enum class Streams : std::uint8_t {
    kPiped,     // stdin and stdout are pipes of ours, stderr is where ours is
    kQuiet,     // the same, and stderr goes nowhere
    kKept,      // stdin is empty; stdout and stderr are kept apart, and never wait for a reader
    kTerminal,  // all three are a terminal of 100 columns
  };
  Streams streams = Streams::kPiped;
  bool inherit = true;    // our variables; else PATH, LANG, TERM and TZ alone
  Variables variables{};  // and these
  std::string folder{};   // to be started in; empty: ours
  // Of kKept, what stdout is instead:
  std::string out_file{};
  bool out_closed = false;
  bool reader_leaves = false;  // a pipe that nobody reads
};

// How a program ended that was left alone until then.
struct Ended {
  int code = -1;  // 128 + n when it died by signal n
  std::string out{};
  std::string err{};

  // Standard output as one JSON document. Throws when it is none.
  [[nodiscard]] Json json() const { return Json::parse(out); }
};

// A program that runs while this object lives, found through PATH. It inherits no descriptor of ours but those marked
// as inheritable. Throws when it cannot be started.
class Command {
 public:
  explicit Command(const std::vector<std::string>& words, const CommandOptions& options = {}) {
    Far far;
    connect(far, options);
    if (!options.folder.empty()) ::posix_spawn_file_actions_addchdir_np(&far.actions, options.folder.c_str());
    std::vector<std::string> argv = words;
    std::vector<std::string> environment = environment_of(options);
    const int error = ::posix_spawnp(&pid_, argv.at(0).c_str(), &far.actions, &far.attributes, pointers(argv).data(),
                                     pointers(environment).data());
    if (error != 0) throw std::runtime_error("cannot start " + words.at(0));
  }
  ~Command() {
    signal(SIGKILL);
    wait();
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void close_input() { input_ = Descriptor(); }

  // The next line of its stdout, without its end; empty when there is no more. Not of kKept.
  [[nodiscard]] std::string read_line() {
    std::string line;
    for (char c = 0; read_some(&c, 1) == 1 && c != '\n';) line += c;
    return line;
  }

  // All that is left of its stdout. Not of kKept.
  [[nodiscard]] std::string read_all() {
    std::string all;
    std::array<char, 4096> piece{};
    for (ssize_t length = 0; (length = read_some(piece.data(), piece.size())) > 0;) {
      all.append(piece.data(), static_cast<std::size_t>(length));
    }
    return all;
  }

  // Of kKept: what it has written so far.
  [[nodiscard]] std::string err_so_far() const { return contents(errors_); }

  void signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
  }

  [[nodiscard]] bool running() { return !ended(WNOHANG); }

  // Until it has ended: its exit status, 128 + n when it died by signal n.
  int wait() {
    while (!ended(0)) {
    }
    return status_;
  }

  // The same, with all that it wrote.
  [[nodiscard]] Ended finish() {
    if (errors_) {
      const int code = wait();
      return {.code = code, .out = contents(output_), .err = contents(errors_)};
    }
    close_input();
    std::string out = read_all();
    return {.code = wait(), .out = std::move(out)};
  }

 private:
  // The program's side of it all, until it has started.
  struct Far {
    Far() {
      ::posix_spawn_file_actions_init(&actions);
      ::posix_spawnattr_init(&attributes);
    }
    ~Far() {
      ::posix_spawn_file_actions_destroy(&actions);
      ::posix_spawnattr_destroy(&attributes);
    }
    Far(const Far&) = delete;
    Far& operator=(const Far&) = delete;

    void give(int fd, int as) { ::posix_spawn_file_actions_adddup2(&actions, fd, as); }
    void open(int as, const std::string& path, int flags) {
      ::posix_spawn_file_actions_addopen(&actions, as, path.c_str(), flags, 0);
    }

    posix_spawn_file_actions_t actions{};
    posix_spawnattr_t attributes{};
    std::vector<Descriptor> ends{};  // to be closed here once it has started
  };

  void connect(Far& far, const CommandOptions& options) {
    using Streams = CommandOptions::Streams;
    if (options.streams == Streams::kTerminal) return connect_terminal(far);
    if (options.streams == Streams::kKept) return connect_kept(far, options);
    auto [input_far, input] = make_pipe();
    auto [output, output_far] = make_pipe();
    far.give(input_far.get(), STDIN_FILENO);
    far.give(output_far.get(), STDOUT_FILENO);
    if (options.streams == Streams::kQuiet) far.open(STDERR_FILENO, "/dev/null", O_WRONLY);
    far.ends.push_back(std::move(input_far));
    far.ends.push_back(std::move(output_far));
    input_ = std::move(input);
    output_ = std::move(output);
  }

  void connect_kept(Far& far, const CommandOptions& options) {
    output_ = Descriptor(::memfd_create("out", MFD_CLOEXEC));
    errors_ = Descriptor(::memfd_create("err", MFD_CLOEXEC));
    far.open(STDIN_FILENO, "/dev/null", O_RDONLY);
    far.give(errors_.get(), STDERR_FILENO);
    if (options.out_closed) {
      ::posix_spawn_file_actions_addclose(&far.actions, STDOUT_FILENO);
    } else if (!options.out_file.empty()) {
      far.open(STDOUT_FILENO, options.out_file, O_WRONLY);
    } else if (options.reader_leaves) {
      far.ends.push_back(make_pipe().second);
      far.give(far.ends.back().get(), STDOUT_FILENO);
    } else {
      far.give(output_.get(), STDOUT_FILENO);
    }
  }

  // As the first terminal that the leader of a new session opens, it is the session's own.
  void connect_terminal(Far& far) {
    output_ = Descriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    std::array<char, 64> name{};
    if (!output_ || ::grantpt(output_.get()) != 0 || ::unlockpt(output_.get()) != 0 ||
        ::ptsname_r(output_.get(), name.data(), name.size()) != 0) {
      throw std::runtime_error("no terminal");
    }
    const winsize size{.ws_row = 30, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(output_.get(), TIOCSWINSZ, &size);
    ::posix_spawnattr_setflags(&far.attributes, POSIX_SPAWN_SETSID);
    far.open(STDIN_FILENO, name.data(), O_RDWR);
    far.give(STDIN_FILENO, STDOUT_FILENO);
    far.give(STDIN_FILENO, STDERR_FILENO);
  }

  static std::vector<std::string> environment_of(const CommandOptions& options) {
    Variables all;
    if (options.inherit) {
      for (char** at = environ; *at != nullptr; ++at) {
        const std::string text = *at;
        all.emplace(text.substr(0, text.find('=')), text.substr(std::min(text.find('=') + 1, text.size())));
      }
    } else {
      const char* path = std::getenv("PATH");
      all = {{"PATH", path != nullptr ? path : "/usr/bin:/bin"}, {"LANG", "C.UTF-8"}, {"TERM", "xterm"}, {"TZ", "UTC"}};
    }
    for (const auto& [name, value] : options.variables) all[name] = value;
    std::vector<std::string> texts;
    for (const auto& [name, value] : all) texts.push_back(fmt::format("{}={}", name, value));
    return texts;
  }

  // First the end to read from.
  static std::pair<Descriptor, Descriptor> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
  }

  static std::string contents(const Descriptor& file) {
    std::string all;
    std::array<char, 65536> piece{};
    for (ssize_t got = 0;
         (got = ::pread(file.get(), piece.data(), piece.size(), static_cast<off_t>(all.size()))) > 0;) {
      all.append(piece.data(), static_cast<std::size_t>(got));
    }
    return all;
  }

  bool ended(int options) {
    if (pid_ <= 0) return true;
    int status = 0;
    if (::waitpid(pid_, &status, options) != pid_) return false;
    pid_ = -1;
    status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
  }

  ssize_t read_some(char* to, std::size_t size) const {
    for (;;) {
      const ssize_t length = ::read(output_.get(), to, size);
      if (length >= 0 || errno != EINTR) return length;
    }
  }

  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    all.reserve(texts.size() + 1);
    for (auto& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  }

  pid_t pid_ = -1;
  int status_ = 0;
  Descriptor input_;
  Descriptor output_;
  Descriptor errors_;
};

inline Ended run_to_end(const std::vector<std::string>& words, const CommandOptions& options) {
  return Command(words, options).finish();
}

// Runs it to its end and gives its stdout. Throws when it fails.
inline std::string run_command(const std::vector<std::string>& words) {
  const Ended ended = Command(words).finish();
  if (ended.code != 0) {
    throw std::runtime_error(words.at(0) + " ended with status " + std::to_string(ended.code) + ": " + ended.out);
  }
  return ended.out;
}

// Where a program of that name is, in PATH or where Debian puts servers; empty when it is not there.
inline std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders((path == nullptr ? "" : std::string(path)) + ":/usr/sbin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string file = fmt::format("{}/{}", folder, name);
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

}  // namespace slipway::sys
