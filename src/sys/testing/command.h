// Other programs, run by tests and measurements: to the end, or beside them.
#pragma once

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/descriptor.h"

namespace slipway::sys {

// A program that runs while this object lives, found through PATH. It inherits stderr, and no descriptor of ours but
// those marked as inheritable. Throws when it cannot be started.
class Command {
 public:
  explicit Command(const std::vector<std::string>& words) {
    auto [input_far, input] = make_pipe();
    auto [output, output_far] = make_pipe();
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, input_far.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output_far.get(), STDOUT_FILENO);
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const int error = ::posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("cannot start " + words.at(0));
    input_ = std::move(input);
    output_ = std::move(output);
  }
  ~Command() {
    signal(SIGKILL);
    wait();
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void close_input() { input_ = Descriptor(); }

  // The next line of its stdout, without its end; empty when there is no more.
  [[nodiscard]] std::string read_line() {
    std::string line;
    for (char c = 0; read_some(&c, 1) == 1 && c != '\n';) line += c;
    return line;
  }

  // All that is left of its stdout.
  [[nodiscard]] std::string read_all() {
    std::string all;
    std::array<char, 4096> piece{};
    for (ssize_t length = 0; (length = read_some(piece.data(), piece.size())) > 0;) {
      all.append(piece.data(), static_cast<std::size_t>(length));
    }
    return all;
  }

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

 private:
  // First the end to read from.
  static std::pair<Descriptor, Descriptor> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
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

  pid_t pid_ = -1;
  int status_ = 0;
  Descriptor input_;
  Descriptor output_;
};

// Runs it to its end and gives its stdout. Throws when it fails.
inline std::string run_command(const std::vector<std::string>& words) {
  Command command(words);
  command.close_input();
  std::string output = command.read_all();
  if (const int status = command.wait(); status != 0) {
    throw std::runtime_error(words.at(0) + " ended with status " + std::to_string(status) + ": " + output);
  }
  return output;
}

}  // namespace slipway::sys
