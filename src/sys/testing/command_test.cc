#include "sys/testing/command.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace slipway::sys {
namespace {

TEST(CommandTest, GivesTheOutput) { EXPECT_EQ(run_command({"printf", "%s|", "a b", ""}), "a b||"); }

TEST(CommandTest, AFailureThrows) { EXPECT_THROW((void)run_command({"false"}), std::runtime_error); }

TEST(CommandTest, AMissingProgramThrows) {
  EXPECT_THROW((void)run_command({"no-program-is-called-like-this"}), std::runtime_error);
}

TEST(CommandTest, RunsUntilItsInputIsClosed) {
  Command cat({"sh", "-c", "echo first; cat; echo second; exit 3"});
  EXPECT_EQ(cat.read_line(), "first");
  cat.close_input();
  EXPECT_EQ(cat.read_all(), "second\n");
  EXPECT_EQ(cat.wait(), 3);
}

TEST(CommandTest, TellsTheSignalItDiedBy) {
  Command sleeper({"sleep", "600"});
  EXPECT_TRUE(sleeper.running());
  sleeper.signal(SIGTERM);
  EXPECT_EQ(sleeper.wait(), 128 + SIGTERM);
  EXPECT_FALSE(sleeper.running());
}

}  // namespace
}  // namespace slipway::sys
