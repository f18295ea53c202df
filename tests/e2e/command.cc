#include "e2e/command.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway {
namespace {

std::string contents(const sys::Descriptor& file) {
  std::string all;
  std::array<char, 65536> piece{};
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(file.get(), piece.data(), piece.size(), at);
    if (got <= 0) return all;
    all.append(piece.data(), static_cast<std::size_t>(got));
    at += got;
  }
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

Command::Command(const std::string& program, const std::vector<std::string>& words, const Variables& variables)
    : out_(::memfd_create("out", MFD_CLOEXEC)), err_(::memfd_create("err", MFD_CLOEXEC)) {
  std::vector<std::string> argv{program};
  argv.insert(argv.end(), words.begin(), words.end());
  const char* path = std::getenv("PATH");
  std::vector<std::string> environment{std::string("PATH=") + (path != nullptr ? path : "/usr/bin:/bin"),
                                       "LANG=C.UTF-8"};
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&files, out_.get(), 1);
  posix_spawn_file_actions_adddup2(&files, err_.get(), 2);
  const int failed =
      ::posix_spawn(&pid_, program.c_str(), &files, nullptr, pointers(argv).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw std::runtime_error("cannot start " + program);
}

Command::~Command() {
  if (status_) return;
  signal(SIGKILL);
  (void)wait();
}

void Command::signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

bool Command::running() {
  if (status_) return false;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == 0) return true;
  status_ = status;
  return false;
}

Ended Command::wait() {
  int status = 0;
  if (!status_) {
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    status_ = status;
  }
  const int code = WIFSIGNALED(*status_) ? 128 + WTERMSIG(*status_) : WEXITSTATUS(*status_);
  return {.code = code, .out = contents(out_), .err = contents(err_)};
}

std::string Command::err_so_far() const { return contents(err_); }

}  // namespace slipway
