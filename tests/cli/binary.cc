#include "binary.h"

#include <array>
#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/descriptor.h"

namespace slipway {
namespace {

struct Pipe {
  sys::Descriptor read;
  sys::Descriptor write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return {sys::Descriptor(ends[0]), sys::Descriptor(ends[1])};
}

[[noreturn]] void become(const std::vector<std::string>& argv, const How& how) {
  std::map<std::string, std::string> variables{
      {"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LANG", "C.UTF-8"}, {"TERM", "xterm"}, {"TZ", "UTC"}};
  for (const auto& [name, value] : how.variables) variables[name] = value;
  ::clearenv();
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  if (::chdir(how.folder.c_str()) != 0) ::_exit(126);
  std::vector<char*> words;
  for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  ::_exit(127);
}

int wait_for(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Reads both until both are at their end.
void drain(int out, std::string& out_text, int err, std::string& err_text) {
  std::array<pollfd, 2> waits{pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
  std::array<std::string*, 2> texts{&out_text, &err_text};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].fd < 0 || waits[i].revents == 0) continue;
      std::array<char, 4096> piece{};
      const auto got = ::read(waits[i].fd, piece.data(), piece.size());
      if (got > 0) {
        texts[i]->append(piece.data(), static_cast<std::size_t>(got));
      } else {
        waits[i].fd = -1;
      }
    }
  }
}

Ran run_on_terminal(const std::vector<std::string>& argv, const How& how) {
  winsize size{};
  size.ws_col = 100;
  size.ws_row = 30;
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (pid < 0) throw std::runtime_error("no terminal");
  if (pid == 0) become(argv, how);
  const sys::Descriptor owner(terminal);
  Ran ran;
  drain(terminal, ran.out, -1, ran.err);
  ran.code = wait_for(pid);
  return ran;
}

}  // namespace

Ran run(const std::vector<std::string>& argv, const How& how) {
  if (how.terminal) return run_on_terminal(argv, how);
  auto out = make_pipe();
  auto err = make_pipe();
  const sys::Descriptor file(how.out_file.empty() ? -1 : ::open(how.out_file.c_str(), O_WRONLY | O_CLOEXEC));
  if (how.reader_leaves) out.read = sys::Descriptor();
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("no process");
  if (pid == 0) {
    ::dup2(file ? file.get() : out.write.get(), 1);
    ::dup2(err.write.get(), 2);
    if (how.out_closed) ::close(1);
    become(argv, how);
  }
  out.write = sys::Descriptor();
  err.write = sys::Descriptor();
  Ran ran;
  drain(out.read ? out.read.get() : -1, ran.out, err.read.get(), ran.err);
  ran.code = wait_for(pid);
  return ran;
}

bool is_installed(const std::string& program) { return run({"sh", "-c", "command -v " + program}).code == 0; }

}  // namespace slipway
