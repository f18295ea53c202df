// Another program, run to its end for what it says: found on PATH, bounded in time and in output, and never left
// behind.
//
//   auto said = run_program({.executable = *found, .arguments = {"--version"}, .environment = own_environment()},
//   stop); if (!said) return fail(...);                  it could not be started, or was ended by us if (!said->ok())
//   ... last_lines(said->err, 3)
//
// Safe from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sys/process.h"

namespace slipway::sys {

struct ProgramOptions {
  std::string executable{};
  std::vector<std::string> arguments{};            // without the program's own name
  std::vector<std::string> environment{};          // NAME=value; nothing is inherited
  std::vector<std::pair<int, int>> descriptors{};  // beside its streams: its number, above 2, and ours
  std::string folder{};                            // to be started in; empty: ours
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
  std::size_t most_output = 64UL << 20;  // bytes of its standard output
  std::size_t kept_errors = 16UL << 10;  // bytes of its standard error: the last ones
};

struct ProgramEnd {
  ProcessEnd end{};
  std::string out{};
  std::string err{};  // the last of it

  [[nodiscard]] bool ok() const { return !end.signalled && end.code == 0; }
};

// Waits for its end; its standard input is empty. With it ends its process group, so nothing that it started goes on or
// can hold up the answer (but for what took a session of its own, which is only not waited for). An error means that it
// has no answer and no longer runs: kTimeout; kCancelled: `stop` was asked for; kRejected: it says more than it may; or
// what the operating system has against starting it (kNotFound: there is no such program).
[[nodiscard]] Result<ProgramEnd> run_program(const ProgramOptions& options, const std::stop_token& stop);

// The file that `name` stands for: itself when it has a slash, else the first of that name that may be executed in the
// folders of `path`, as PATH has them. Absolute. Nothing where there is none.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name, std::string_view path);

// This process's variables, as NAME=value.
[[nodiscard]] std::vector<std::string> own_environment();
// The value of one; empty where it is not there.
[[nodiscard]] std::string_view variable(const std::vector<std::string>& environment, std::string_view name);

// The last `count` lines that are not empty, for a message: in one line, without what colours a terminal, and with a
// question mark for what is not printable ASCII.
[[nodiscard]] std::string last_lines(std::string_view text, std::size_t count);

}  // namespace slipway::sys
