#include "cli/testing/program_fixture.h"

#include <fstream>
#include <sstream>

#include <fcntl.h>

#include "cli/commands.h"
#include "sys/descriptor.h"

namespace slipway::cli {

ProgramFixture::ProgramFixture() {
  input_.environment.variables["HOME"] = dir_.path();
  input_.environment.variables["SLIPWAY_STATE_DIR"] = dir_.file("state");
  input_.environment.working_dir = dir_.path();
  input_.version = "1.2.3";
  std::filesystem::create_directories(dir_.file("state"));
}

int ProgramFixture::run(std::vector<std::string> words) { return run(std::move(words), all_commands()); }

int ProgramFixture::run(std::vector<std::string> words, std::span<const CommandSpec> commands) {
  const int code = run_into(dir_.file("out"), std::move(words), commands);
  out_ = read("out");
  return code;
}

int ProgramFixture::run_into(const std::string& file, std::vector<std::string> words) {
  return run_into(file, std::move(words), all_commands());
}

int ProgramFixture::run_into(const std::string& file, std::vector<std::string> words,
                             std::span<const CommandSpec> commands) {
  const sys::Descriptor out(::open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600));
  const sys::Descriptor err(::open(dir_.file("err").c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600));
  input_.words = std::move(words);
  input_.out = out.get();
  input_.err = err.get();
  const int code = run_program(input_, commands, *programs_clock_);
  out_.clear();
  err_ = read("err");
  return code;
}

std::string ProgramFixture::read(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(dir_.file(name)).rdbuf();
  return text.str();
}

Json ProgramFixture::parsed(std::vector<std::string> words, int code) {
  EXPECT_EQ(run(std::move(words)), code) << err_;
  auto parsed = parse_json(out_);
  EXPECT_TRUE(parsed) << out_;
  return parsed ? *parsed : Json();
}

Json ProgramFixture::json(std::vector<std::string> words, int code) {
  words.insert(words.begin(), "--json");
  return parsed(std::move(words), code);
}

}  // namespace slipway::cli
