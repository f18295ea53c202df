// The whole program, run in this process with a state folder of its own, writing into files.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"
#include "cli/program.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::cli {

class ProgramFixture : public testing::Test {
 protected:
  ProgramFixture();

  // The exit code; what was printed is in out_ and err_ then.
  int run(std::vector<std::string> words);
  int run(std::vector<std::string> words, std::span<const CommandSpec> commands);
  // Standard output is that file, and nothing of it is read.
  int run_into(const std::string& file, std::vector<std::string> words);
  // Of a file in dir_; "out" and "err" are what was printed.
  [[nodiscard]] std::string read(const std::string& name) const;
  // What is printed is to be JSON.
  Json parsed(std::vector<std::string> words, int code);
  Json json(std::vector<std::string> words, int code = 0);  // with --json

  sys::TempDir dir_;
  sys::ManualClock clock_;
  sys::Clock* programs_clock_ = &clock_;
  ProgramInput input_;
  std::string out_;
  std::string err_;

 private:
  int run_into(const std::string& file, std::vector<std::string> words, std::span<const CommandSpec> commands);
};

}  // namespace slipway::cli
