#include "sys/program.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/testing/temp_dir.h"

namespace slipway::sys {
namespace {

using ::testing::HasSubstr;

ProgramOptions shell(const std::string& script) {
  return {.executable = "/bin/sh", .arguments = {"-c", script}, .environment = {"PATH=/usr/bin:/bin"}};
}

// A pipe with a name. A process that is told to open it for writing shows that it began, and later that it is gone.
class Watch {
 public:
  Watch() {
    EXPECT_EQ(::mkfifo(path().c_str(), 0600), 0);
    reading_ = Descriptor(::open(path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    EXPECT_TRUE(reading_);
  }
  [[nodiscard]] std::string path() const { return folder_.file("watch"); }
  void wait_for_word() const { EXPECT_NE(wait() & POLLIN, 0); }
  // All that had it open for writing are gone.
  void wait_for_end() const {
    for (std::array<char, 64> piece{}; ::read(reading_.get(), piece.data(), piece.size()) > 0;) {
    }
    EXPECT_NE(wait() & POLLHUP, 0);
  }

 private:
  [[nodiscard]] int wait() const {
    pollfd watched{reading_.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&watched, 1, -1), 1);
    return watched.revents;
  }

  TempDir folder_;
  Descriptor reading_;
};

TEST(ProgramTest, HasTheDescriptorsItIsGiven) {
  const Descriptor file(::memfd_create("x", MFD_CLOEXEC));
  ASSERT_EQ(::write(file.get(), "hello", 5), 5);
  auto options = shell("cat /proc/self/fd/3");
  options.descriptors = {{3, file.get()}};
  const auto said = run_program(options, {});
  ASSERT_TRUE(said) << said.error().describe();
  EXPECT_TRUE(said->out.starts_with("hello")) << said->out;
}

TEST(ProgramTest, AnswersWithAllThatItSaidAndHowItEnded) {
  const auto said = run_program(shell("echo out; echo err >&2; exit 3"), {});
  ASSERT_TRUE(said) << said.error().describe();
  EXPECT_EQ(said->out, "out\n");
  EXPECT_EQ(said->err, "err\n");
  EXPECT_EQ(said->end.code, 3);
  EXPECT_FALSE(said->ok());
}

TEST(ProgramTest, ItsInputIsEmptyAndItsVariablesAreThoseGiven) {
  auto options = shell("cat; echo $GIVEN$HOME; pwd");
  options.environment.emplace_back("GIVEN=x");
  options.folder = "/usr";
  const auto said = run_program(options, {});
  ASSERT_TRUE(said) << said.error().describe();
  EXPECT_EQ(said->out, "x\n/usr\n");
  EXPECT_TRUE(said->ok());
}

TEST(ProgramTest, MoreThanAPipeHoldsIsHeardOnBothStreams) {
  auto options = shell(
      "i=0; while [ $i -lt 4000 ]; do i=$((i+1)); "
      "echo 0123456789012345678901234567890123456789; echo error $i >&2; done");
  options.kept_errors = 30;
  const auto said = run_program(options, {});
  ASSERT_TRUE(said) << said.error().describe();
  EXPECT_EQ(said->out.size(), 4000U * 41);
  EXPECT_EQ(said->err.size(), 30U);
  EXPECT_TRUE(said->err.ends_with("error 4000\n"));
}

TEST(ProgramTest, AFloodIsRejectedAndEnds) {
  auto options = shell("while :; do echo again and again; done");
  options.most_output = 100'000;
  const auto said = run_program(options, {});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind(), ErrorKind::kRejected);
  EXPECT_THAT(said.error().message(), HasSubstr("100000"));
}

TEST(ProgramTest, AFloodOfErrorsKeepsTheLastAndEndsByTheTimeout) {
  auto options = shell("while :; do echo again and again >&2; done");
  options.timeout = std::chrono::milliseconds(50);
  const auto said = run_program(options, {});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind(), ErrorKind::kTimeout);
}

TEST(ProgramTest, OneThatHangsIsATimeout) {
  auto options = shell("sleep 1000");
  options.timeout = std::chrono::milliseconds(20);
  const auto said = run_program(options, {});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind(), ErrorKind::kTimeout);
  EXPECT_THAT(said.error().message(), HasSubstr("/bin/sh did not end within 20"));
}

TEST(ProgramTest, ATimeoutMayBeForEver) {
  auto options = shell("echo done");
  options.timeout = std::chrono::milliseconds::max();
  const auto said = run_program(options, {});
  ASSERT_TRUE(said) << said.error().describe();
  EXPECT_EQ(said->out, "done\n");
}

TEST(ProgramTest, AStopEndsItAndWhatItStarted) {
  const Watch watch;
  std::stop_source stop;
  std::jthread asks([&] {
    watch.wait_for_word();
    stop.request_stop();
  });
  const auto said = run_program(shell("(echo begun; exec sleep 1000) >" + watch.path() + " & wait"), stop.get_token());
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind(), ErrorKind::kCancelled);
  asks.join();
  watch.wait_for_end();
}

TEST(ProgramTest, AStopBeforeTheStartStartsNothing) {
  std::stop_source stop;
  stop.request_stop();
  TempDir folder;
  const auto said = run_program(shell("touch " + folder.file("x")), stop.get_token());
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind(), ErrorKind::kCancelled);
  EXPECT_FALSE(std::filesystem::exists(folder.file("x")));
}

TEST(ProgramTest, WhatItLeavesRunningEndsWithItAndHoldsNothingUp) {
  const Watch watch;
  // The one left behind has standard output too.
  const auto said = run_program(shell("exec 3>" + watch.path() + "; sleep 1000 & echo done"), {});
  ASSERT_TRUE(said) << said.error().describe();
  EXPECT_EQ(said->out, "done\n");
  EXPECT_TRUE(said->ok());
  watch.wait_for_end();
}

TEST(ProgramTest, AProgramThatIsNotThereIsNotFound) {
  const auto said = run_program({.executable = "/nowhere/at/all"}, {});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().kind(), ErrorKind::kNotFound);
}

TEST(FindProgramTest, TakesTheFirstOnPathThatMayBeExecuted) {
  const TempDir a;
  const TempDir b;
  std::filesystem::create_directory(a.file("tool"));  // a folder is no program
  std::ofstream(b.file("tool")) << "#!/bin/sh\n";
  EXPECT_EQ(find_program("tool", a.path() + ":" + b.path()), std::nullopt);
  std::filesystem::permissions(b.file("tool"), std::filesystem::perms::owner_all);
  EXPECT_EQ(find_program("tool", a.path() + "::" + b.path()), b.file("tool"));
  EXPECT_EQ(find_program("tool", ""), std::nullopt);
  EXPECT_EQ(find_program("", b.path()), std::nullopt);
  EXPECT_EQ(find_program(b.file("tool"), ""), b.file("tool"));
  EXPECT_EQ(find_program("/nowhere/tool", b.path()), std::nullopt);
}

TEST(EnvironmentTest, AVariableIsFoundByItsWholeName) {
  const std::vector<std::string> all{"PATHS=no", "PATH=/bin", "EMPTY="};
  EXPECT_EQ(variable(all, "PATH"), "/bin");
  EXPECT_EQ(variable(all, "EMPTY"), "");
  EXPECT_EQ(variable(all, "PAT"), "");
  EXPECT_FALSE(variable(own_environment(), "PATH").empty());
}

TEST(LastLinesTest, AreOneLineThatIsFitToPrint) {
  EXPECT_EQ(last_lines("one\ntwo\n\n  \nthree\r\n\n", 2), "two; three");
  EXPECT_EQ(last_lines("\x1b[31mFATAL\x1b[0m\tno \xff\x01 database", 3), "FATAL no ?? database");
  EXPECT_EQ(last_lines("cut \x1b[31", 3), "cut");
  EXPECT_EQ(last_lines("", 3), "");
  EXPECT_EQ(last_lines("\n\n", 3), "");
}

}  // namespace
}  // namespace slipway::sys
