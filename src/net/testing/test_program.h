// A program that a test runs beside itself (a server of another make), and ends by its process id.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "sys/descriptor.h"

namespace slipway::net {

// Whether a program of that name can be found in PATH or where Debian puts servers; its full path, or empty.
[[nodiscard]] std::string find_program(const std::string& name);

// Runs a program to its end, without output; its exit status, or -1 when it could not be run.
[[nodiscard]] int run_program(const std::vector<std::string>& arguments);

class TestProgram {
 public:
  // arguments[0] is the path. Throws when it cannot be run.
  TestProgram(std::vector<std::string> arguments, std::vector<std::string> environment);
  ~TestProgram();  // SIGKILL when it still runs
  TestProgram(const TestProgram&) = delete;
  TestProgram& operator=(const TestProgram&) = delete;

  // The next line of its standard output, without its end; empty when there is no more.
  [[nodiscard]] std::string read_line();
  void end();  // SIGTERM, and waits

 private:
  pid_t pid_ = -1;
  sys::Descriptor output_;
};

}  // namespace slipway::net
