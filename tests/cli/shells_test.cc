// The completion scripts in the shells they are for, and the manual page in the programs that show it.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/testing/sample_state.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"

namespace slipway {
namespace {

using sys::run_to_end;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Streams = sys::CommandOptions::Streams;

class ShellsTest : public testing::Test {
 protected:
  ShellsTest() {
    (void)cli::make_sample_state(dir_.path());
    how_.variables["SLIPWAY_STATE_DIR"] = dir_.path();
    how_.variables["HOME"] = dir_.path();
    const auto folder = std::filesystem::path(SLIPWAY_BINARY).parent_path().string();
    how_.variables["PATH"] = folder + ":/usr/local/bin:/usr/bin:/bin";
    how_.folder = dir_.path();
  }
  // A file with the output of `slipway WORDS`.
  std::string script(const std::vector<std::string>& words, const std::string& name) {
    std::vector<std::string> argv{SLIPWAY_BINARY};
    argv.insert(argv.end(), words.begin(), words.end());
    const auto ran = run_to_end(argv, how_);
    EXPECT_EQ(ran.code, 0) << ran.err;
    std::ofstream(dir_.file(name)) << ran.out;
    return dir_.file(name);
  }

  sys::TempDir dir_;
  sys::CommandOptions how_{.streams = Streams::kKept, .inherit = false};
};

TEST_F(ShellsTest, BashCompletes) {
  const auto file = script({"completion", "bash"}, "slipway.bash");
  const auto ask = [&](const std::string& words, int at) {
    return run_to_end({"bash", "--norc", "-c",
                       "source " + file + "; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                           "; _slipway; printf '%s\\n' \"${COMPREPLY[@]}\""},
                      how_);
  };
  const auto commands = ask("slipway ''", 1);
  EXPECT_THAT(commands.err, IsEmpty());
  EXPECT_THAT(commands.out, AllOf(HasSubstr("list\n"), HasSubstr("runs\n"), Not(HasSubstr("__"))));
  EXPECT_EQ(ask("slipway show al", 2).out, "alpine-3.19\n");
  EXPECT_EQ(ask("slipway list --status = rea", 4).out, "ready\n");
  EXPECT_EQ(ask("slipway --config slipway.b", 2).out, "slipway.bash\n");
}

TEST_F(ShellsTest, ZshCompletes) {
  if (sys::find_program("zsh").empty()) GTEST_SKIP() << "zsh is not there";
  const auto file = script({"completion", "zsh"}, "_slipway");
  EXPECT_EQ(run_to_end({"zsh", "-n", file}, how_).code, 0);
  // The two functions of zsh that the script hands its results to, replaced by ones that print them.
  const auto ask = [&](const std::string& words) {
    return run_to_end(
        {"zsh", "-f", "-c",
         "compdef() { :; }; _describe() { print -rl -- \"${(@P)3}\"; }; _files() { print FILES $*; }; source " + file +
             "; words=(" + words + "); CURRENT=$#words; _slipway"},
        how_);
  };
  const auto commands = ask("slipway ''");
  EXPECT_THAT(commands.err, IsEmpty());
  EXPECT_THAT(commands.out, AllOf(HasSubstr("list:List images"), HasSubstr("runs:")));
  EXPECT_EQ(ask("slipway show al").out, "alpine-3.19:ready\n");
  EXPECT_EQ(ask("slipway --state-dir ''").out, "FILES -/\n");
  // And the real thing: the completion system takes the file for slipway's.
  const auto loaded = run_to_end({"zsh", "-f", "-c",
                                  "fpath=(" + dir_.path() + " $fpath); autoload -Uz compinit; compinit -u -d " +
                                      dir_.file("dump") + "; print $_comps[slipway]"},
                                 how_);
  EXPECT_EQ(loaded.out, "_slipway\n") << loaded.err;
}

TEST_F(ShellsTest, FishCompletes) {
  if (sys::find_program("fish").empty()) GTEST_SKIP() << "fish is not there";
  const auto file = script({"completion", "fish"}, "slipway.fish");
  const auto ask = [&](const std::string& line) {
    return run_to_end({"fish", "--no-config", "-c", "source " + file + "; complete -C '" + line + "'"}, how_);
  };
  const auto commands = ask("slipway ");
  EXPECT_THAT(commands.err, IsEmpty());
  EXPECT_THAT(commands.out, AllOf(HasSubstr("list\tList images"), HasSubstr("runs\t")));
  EXPECT_EQ(ask("slipway show al").out, "alpine-3.19\tready\n");
  EXPECT_EQ(ask("slipway list --status rea").out, "ready\n");
}

TEST_F(ShellsTest, TheManualPageRendersWithoutWarnings) {
  const auto page = script({"__man"}, "slipway.1");
  bool tried = false;
  if (!sys::find_program("groff").empty()) {
    tried = true;
    const auto ran = run_to_end({"groff", "-man", "-Tutf8", "-ww", "-z", page}, how_);
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.err, IsEmpty());
  }
  if (!sys::find_program("mandoc").empty()) {
    tried = true;
    EXPECT_THAT(run_to_end({"mandoc", "-T", "lint", "-W", "warning", page}, how_).out, IsEmpty());
  }
  if (!sys::find_program("man").empty()) {
    tried = true;
    how_.variables["MANWIDTH"] = "80";
    const auto ran = run_to_end({"man", "--warnings", "-l", page}, how_);
    EXPECT_THAT(ran.err, IsEmpty());
    EXPECT_THAT(ran.out,
                AllOf(HasSubstr("slipway - container images"), HasSubstr("EXIT STATUS"), HasSubstr("s3_bucket")));
  }
  if (!tried) GTEST_SKIP() << "neither groff nor mandoc nor man is there";
}

}  // namespace
}  // namespace slipway
