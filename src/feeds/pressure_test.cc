#include "feeds/pressure.h"

#include <fstream>

#include <gtest/gtest.h>

#include "sys/testing/temp_dir.h"

namespace slipway::feeds {
namespace {

constexpr PressureLimits kLimits{};
constexpr Pressure kHard{.cpu = 10, .io = 70, .memory = 0};
constexpr Pressure kBetween{.cpu = 60, .io = 10, .memory = 0};
constexpr Pressure kCalm{.cpu = 10, .io = 10, .memory = 1};

TEST(PressureTest, TheKernelsTextIsRead) {
  EXPECT_EQ(parse_some_avg10("some avg10=1.50 avg60=0.20 avg300=0.00 total=12\nfull avg10=9.00 avg60=0 total=1\n"),
            1.5);
  EXPECT_EQ(parse_some_avg10("full avg10=9.00"), std::nullopt);
  EXPECT_EQ(parse_some_avg10("some avg10="), std::nullopt);
  EXPECT_EQ(parse_some_avg10("some avg10=-1"), std::nullopt);
  EXPECT_EQ(parse_some_avg10("some avg10=nan"), std::nullopt);
  EXPECT_EQ(parse_some_avg10("some avg10=101"), std::nullopt);
}

TEST(PressureTest, EachOfTheThreeFilesIsRead) {
  const sys::TempDir folder;
  const auto write = [&](const char* name, const char* value) {
    std::ofstream(folder.file(name)) << "some avg10=" << value << " avg60=0.00 avg300=0.00 total=0\n";
  };
  write("cpu", "12.25");
  write("io", "0.00");
  EXPECT_EQ(read_pressure(folder.path()).error().kind(), ErrorKind::kNotFound);
  write("memory", "3.00");
  const auto pressure = read_pressure(folder.path());
  ASSERT_TRUE(pressure) << pressure.error().message();
  EXPECT_EQ(pressure->cpu, 12.25);
  EXPECT_EQ(pressure->io, 0);
  EXPECT_EQ(pressure->memory, 3);
  std::ofstream(folder.file("io")) << "nonsense";
  EXPECT_EQ(read_pressure(folder.path()).error().kind(), ErrorKind::kCorrupt);
}

TEST(PressureTest, AboveTheHighMarkHalfIsWithheldAtATimeButNotTheLast) {
  int withheld = 0;
  for (const int expected : {5, 8, 9, 9}) {
    withheld = withheld_after(kHard, kLimits, 10, withheld);
    EXPECT_EQ(withheld, expected);
  }
  EXPECT_EQ(withheld_after(kHard, kLimits, 1, 0), 0);
}

TEST(PressureTest, BetweenTheMarksNothingChanges) {
  EXPECT_EQ(withheld_after(kBetween, kLimits, 10, 0), 0);
  EXPECT_EQ(withheld_after(kBetween, kLimits, 10, 8), 8);
}

TEST(PressureTest, BelowTheLowMarksAllIsGivenOutAgainStepByStep) {
  int withheld = 9;
  for (const int expected : {6, 3, 0, 0}) {
    withheld = withheld_after(kCalm, kLimits, 10, withheld);
    EXPECT_EQ(withheld, expected);
  }
}

TEST(PressureTest, OneResourceAloneIsEnough) {
  EXPECT_GT(withheld_after({.cpu = 81}, kLimits, 10, 0), 0);
  EXPECT_GT(withheld_after({.io = 61}, kLimits, 10, 0), 0);
  EXPECT_GT(withheld_after({.memory = 21}, kLimits, 10, 0), 0);
  EXPECT_EQ(withheld_after({.memory = 11}, kLimits, 10, 5), 5);
}

}  // namespace
}  // namespace slipway::feeds
