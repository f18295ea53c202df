// The built program, run as a person would: with a pipe or with a terminal.
#include <filesystem>

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/json.h"
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
using testing::StartsWith;

class BinaryTest : public testing::Test {
 protected:
  BinaryTest() {
    how_.variables["SLIPWAY_STATE_DIR"] = dir_.path();
    how_.variables["HOME"] = dir_.path();
    how_.folder = dir_.path();
  }
  sys::Ended slipway(std::vector<std::string> words) {
    words.insert(words.begin(), SLIPWAY_BINARY);
    return run_to_end(words, how_);
  }

  sys::TempDir dir_;
  sys::CommandOptions how_{.streams = Streams::kKept, .inherit = false};
};

TEST_F(BinaryTest, ExitCodesTellDoneFailedAndWrongUse) {
  EXPECT_EQ(slipway({"list"}).code, 0);
  EXPECT_EQ(slipway({"show", "nothing"}).code, 1);
  EXPECT_EQ(slipway({"nonsense"}).code, 2);
  EXPECT_EQ(slipway({}).code, 2);
  EXPECT_THAT(slipway({"--version"}).out, StartsWith("slipway "));
}

TEST_F(BinaryTest, JsonIsOneDocumentForEveryCommand) {
  const auto sample = cli::make_sample_state(dir_.path());
  const std::vector<std::vector<std::string>> lines{{"list"},
                                                    {"show", sample.ready},
                                                    {"runs"},
                                                    {"runs", "show", sample.running.to_string()},
                                                    {"config"},
                                                    {"config", "policy"},
                                                    {"completion", "bash"},
                                                    {"--version"},
                                                    {"show", "nothing"},
                                                    {"nonsense"},
                                                    {"runs", "--limit", "x"}};
  for (auto line : lines) {
    line.emplace_back("--json");
    const auto ran = slipway(line);
    const auto parsed = parse_json(ran.out);
    ASSERT_TRUE(parsed) << line.front() << ": " << ran.out;
    EXPECT_EQ(parsed->contains("error"), ran.code != 0) << line.front();
  }
}

TEST_F(BinaryTest, APipeGetsWholePlainLinesAndATerminalAFittingTable) {
  (void)cli::make_sample_state(dir_.path());
  const auto piped = slipway({"list"});
  EXPECT_THAT(piped.out, AllOf(HasSubstr(std::string(64, 'a')), HasSubstr("2025-11-12T12:00:00.000000Z"),
                               Not(HasSubstr("\x1b")), Not(HasSubstr("…"))));
  how_.streams = Streams::kTerminal;
  const auto shown = slipway({"list"});
  EXPECT_EQ(shown.code, 0);
  EXPECT_THAT(shown.out, AllOf(HasSubstr("aaaaaaaaaaaa "), Not(HasSubstr(std::string(13, 'a'))),
                               HasSubstr("2025-11-12"), HasSubstr("\x1b[32mready\x1b[0m")));
}

TEST_F(BinaryTest, ColoursFollowNoColorAndTheFlag) {
  (void)cli::make_sample_state(dir_.path());
  EXPECT_THAT(slipway({"list", "--color", "always"}).out, HasSubstr("\x1b["));
  how_.streams = Streams::kTerminal;
  EXPECT_THAT(slipway({"list", "--color=never"}).out, Not(HasSubstr("\x1b[")));
  how_.variables["NO_COLOR"] = "1";
  EXPECT_THAT(slipway({"list"}).out, Not(HasSubstr("\x1b[")));
}

TEST_F(BinaryTest, AReaderThatLeavesIsNoError) {
  how_.reader_leaves = true;
  const auto ran = slipway({"config"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err, IsEmpty());
}

TEST_F(BinaryTest, OutputThatCannotBeWrittenIsAFailure) {
  how_.out_file = "/dev/full";
  const auto full = slipway({"config"});
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, HasSubstr("No space left on device"));
  how_.out_file.clear();
  how_.out_closed = true;
  EXPECT_EQ(slipway({"config"}).code, 1);
}

TEST_F(BinaryTest, UnderItsOtherNameItReadsTheOtherVariables) {
  std::filesystem::create_symlink(SLIPWAY_BINARY, dir_.file("flyio-machine"));
  how_.variables["FLYIO_S3_BUCKET"] = "theirs";
  EXPECT_EQ(run_to_end({dir_.file("flyio-machine"), "config", "s3_bucket"}, how_).out, "theirs\n");
  EXPECT_EQ(slipway({"config", "s3_bucket"}).out, "\n");
}

TEST_F(BinaryTest, AnOrdinaryUserLooksAtItsOwnState) {
  if (::geteuid() != 0) GTEST_SKIP() << "this is an ordinary user already";
  if (sys::find_program("setpriv").empty()) GTEST_SKIP() << "setpriv is not there";
  how_.variables.erase("SLIPWAY_STATE_DIR");
  how_.variables["HOME"] = "/nowhere";
  how_.folder = "/";
  const std::vector<std::string> as_nobody{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                           SLIPWAY_BINARY};
  auto words = as_nobody;
  words.insert(words.end(), {"config", "state_dir"});
  const auto ran = run_to_end(words, how_);
  if (ran.code == 127 || ran.code == 126) GTEST_SKIP() << "an ordinary user may not start " << SLIPWAY_BINARY;
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "/nowhere/.local/state/slipway\n");
  words = as_nobody;
  words.emplace_back("list");
  EXPECT_EQ(run_to_end(words, how_).code, 0);
}

TEST_F(BinaryTest, AStateThatMayNotBeReadIsAnErrorNotAnEmptyList) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  if (sys::find_program("setpriv").empty()) GTEST_SKIP() << "setpriv is not there";
  (void)cli::make_sample_state(dir_.path());
  const auto ran =
      run_to_end({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", SLIPWAY_BINARY, "--state-dir",
                  dir_.path(), "list"},
                 {.streams = Streams::kKept, .inherit = false, .variables = {{"HOME", "/"}}, .folder = "/"});
  if (ran.code == 127 || ran.code == 126) GTEST_SKIP() << "an ordinary user may not start " << SLIPWAY_BINARY;
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_THAT(ran.err, HasSubstr("catalog.db"));
}

}  // namespace
}  // namespace slipway
