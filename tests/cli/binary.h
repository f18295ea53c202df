// Runs the built program, or a shell, as a person would: with a pipe or with a terminal.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sys/testing/temp_dir.h"

namespace slipway {

struct Ran {
  int code = -1;  // 128 + n when it died by signal n
  std::string out;
  std::string err;
};

struct How {
  std::map<std::string, std::string> variables{};
  bool terminal = false;   // all three streams are a terminal of 100 columns; `err` stays empty
  std::string out_file{};  // standard output is this file instead
  bool out_closed = false;
  bool reader_leaves = false;  // nobody reads standard output
  std::string folder{"/"};
};

// argv[0] is looked up in PATH. The environment is PATH, LANG, TERM and what `how` has.
[[nodiscard]] Ran run(const std::vector<std::string>& argv, const How& how = {});

// Whether a program of that name can be started.
[[nodiscard]] bool is_installed(const std::string& program);

}  // namespace slipway
