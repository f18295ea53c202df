// The program with fault points that the environment arms (SLIPWAY_FAULT), and that writes the points it reached, one a
// line, to the file SLIPWAY_TEST_REACHED when it ends.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "cli/process.h"
#include "sys/fault.h"

int main(int argc, char** argv) {
  if (auto armed = slipway::fault::arm_from_environment(); !armed) {
    std::fprintf(stderr, "%s\n", armed.error().message().c_str());
    return 2;
  }
  const char* reached = std::getenv("SLIPWAY_TEST_REACHED");
  const std::string file = reached != nullptr ? reached : "";
  ::unsetenv("SLIPWAY_TEST_REACHED");  // the program refuses variables that it does not know
  if (!file.empty()) slipway::fault::record(true);
  const int code = slipway::cli::main_of_process(argc, argv, "test");
  if (!file.empty()) {
    std::ofstream list(file);
    for (const auto& point : slipway::fault::reached()) list << point << '\n';
  }
  return code;
}
