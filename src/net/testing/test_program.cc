#include "net/testing/test_program.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::net {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// -1: it could not be run.
pid_t spawn(std::vector<std::string>& arguments, std::vector<std::string>& environment, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (output >= 0) {
    posix_spawn_file_actions_adddup2(&actions, output, 1);
  } else {
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  }
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, arguments.front().c_str(), &actions, nullptr, pointers(arguments).data(),
                                pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : -1;
}

}  // namespace

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders((path == nullptr ? "" : std::string(path)) + ":/usr/sbin:/usr/bin");
  std::string folder;
  while (std::getline(folders, folder, ':')) {
    auto file = folder + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

int run_program(const std::vector<std::string>& arguments) {
  auto own = arguments;
  std::vector<std::string> environment;
  const pid_t pid = spawn(own, environment, -1);
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TestProgram::TestProgram(std::vector<std::string> arguments, std::vector<std::string> environment) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  output_ = sys::Descriptor(ends[0]);
  const sys::Descriptor theirs(ends[1]);
  pid_ = spawn(arguments, environment, theirs.get());
  if (pid_ < 0) throw std::runtime_error("cannot run " + arguments.front());
}

TestProgram::~TestProgram() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string TestProgram::read_line() {
  std::string line;
  char c = 0;
  while (read(output_.get(), &c, 1) == 1 && c != '\n') line += c;
  return line;
}

void TestProgram::end() {
  kill(pid_, SIGTERM);
  waitpid(std::exchange(pid_, -1), nullptr, 0);
}

}  // namespace slipway::net
