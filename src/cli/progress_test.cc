#include "cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/text.h"

namespace slipway::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kMiB = 1024 * 1024;

class ProgressTest : public testing::Test {
 protected:
  static TimePoint at(double seconds) {
    return from_micros(1'700'000'000'000'000 + static_cast<std::int64_t>(seconds * 1e6));
  }
  std::vector<std::string> frame(std::size_t columns, std::size_t rows = 24) {
    return model_.frame({.columns = columns, .rows = rows, .unicode = false}, at(0));
  }
  ProgressModel model_;
};

TEST_F(ProgressTest, ShowsStateBarBytesRateAndTimeLeft) {
  model_.begin("a", "alpine", at(0));
  model_.state("a", "download", at(0));
  model_.bytes("a", 0, 100 * kMiB, at(0));
  model_.bytes("a", 10 * kMiB, 100 * kMiB, at(1));
  EXPECT_THAT(
      frame(100),
      ElementsAre("alpine  download  [###---------------------------]  10%   10.0 MiB/100.0 MiB    10.0 MiB/s  0:09"));
}

TEST_F(ProgressTest, ANarrowTerminalLosesTheLeastImportantParts) {
  model_.state("alpine", "download", at(0));
  model_.bytes("alpine", 0, 100 * kMiB, at(0));
  model_.bytes("alpine", 50 * kMiB, 100 * kMiB, at(1));
  EXPECT_THAT(frame(40), ElementsAre("alpine  download   50%    50.0 MiB/s"));
  EXPECT_THAT(frame(50), ElementsAre("alpine  download   50%   50.0 MiB/100.0 MiB  0:01"));
  for (std::size_t columns = 4; columns < 120; ++columns) {
    for (const auto& line : frame(columns)) EXPECT_LT(display_width(line), columns);
  }
}

TEST_F(ProgressTest, ADetailStandsBesideItsStateAndIsALineNowAndThen) {
  model_.state("cve", "RUNNING", at(0));
  model_.state("cwe", "WAITING_BACKOFF", at(0));
  model_.detail("cve", "100 items", at(1));
  model_.detail("cwe", "7 items\x1b", at(1));
  EXPECT_THAT(frame(60), ElementsAre("cve  RUNNING          100 items", "cwe  WAITING_BACKOFF  7 items\\x1b"));
  EXPECT_THAT(model_.take_lines(), ElementsAre("cve: RUNNING", "cwe: WAITING_BACKOFF"));
  model_.detail("cve", "200 items", at(6));
  EXPECT_THAT(model_.take_lines(), ElementsAre("cve: RUNNING (200 items)"));
  for (std::size_t columns = 4; columns < 60; ++columns) {
    for (const auto& line : frame(columns)) EXPECT_LT(display_width(line), columns);
  }
  model_.end("cve", ProgressEnd::kGood, "completed", at(7));
  model_.detail("cve", "late", at(20));
  EXPECT_THAT(model_.take_lines(), ElementsAre("cve: completed (0:07)"));
}

TEST_F(ProgressTest, TheRateIsSmoothedAndStartsAfreshWhenATryDoes) {
  model_.state("a", "download", at(0));
  model_.bytes("a", 0, 1000 * kMiB, at(0));
  for (int second = 1; second <= 20; ++second)
    model_.bytes("a", static_cast<std::uint64_t>(second) * 10 * kMiB, 1000 * kMiB, at(second));
  EXPECT_THAT(frame(100)[0], testing::HasSubstr("10.0 MiB/s"));
  model_.bytes("a", 300 * kMiB, 1000 * kMiB, at(21));  // one fast second does not make the forecast jump to it
  EXPECT_THAT(frame(100)[0], testing::Not(testing::HasSubstr("100.0 MiB/s")));
  model_.bytes("a", 1 * kMiB, 1000 * kMiB, at(22));
  EXPECT_THAT(frame(100)[0], testing::Not(testing::HasSubstr("/s")));
}

TEST_F(ProgressTest, AnUnknownTotalHasNoBarAndNoForecast) {
  model_.state("a", "download", at(0));
  model_.bytes("a", 0, 0, at(0));
  model_.bytes("a", 3 * kMiB, 0, at(1));
  EXPECT_THAT(frame(80), ElementsAre("a  download     3.0 MiB     3.0 MiB/s"));
}

TEST_F(ProgressTest, TheEndStaysWithWhatItTook) {
  model_.state("a", "download", at(0));
  model_.bytes("a", 5 * kMiB, 5 * kMiB, at(1));
  model_.state("a", "validate", at(2));
  EXPECT_THAT(frame(80), ElementsAre("a  validate"));
  model_.end("a", ProgressEnd::kGood, "completed", at(31));
  model_.bytes("a", 9 * kMiB, 9 * kMiB, at(32));  // too late to count
  model_.end("b", ProgressEnd::kBad, "failed: no\nsuch key", at(31));
  EXPECT_THAT(frame(80), ElementsAre("a  completed (5.0 MiB in 0:31)", "b  ! failed: no\\x0asuch key (0:00)"));
}

TEST_F(ProgressTest, MoreRunsThanRowsAreCounted) {
  for (int i = 0; i < 10; ++i) model_.state("run" + std::to_string(i), "queued", at(0));
  model_.end("run0", ProgressEnd::kGood, "completed", at(1));
  EXPECT_THAT(frame(80, 5), ElementsAre("run1  queued", "run2  queued", "run3  queued", "and 7 more"));
}

TEST_F(ProgressTest, APipeGetsALineForEachStateAndFewForBytes) {
  model_.begin("a", "alpine", at(0));
  model_.state("a", "download", at(0));
  model_.state("a", "download", at(0));  // no change
  for (int i = 0; i <= 120; ++i) model_.bytes("a", static_cast<std::uint64_t>(i) * kMiB, 120 * kMiB, at(i / 10.0));
  model_.state("a", "validate", at(12));
  model_.end("a", ProgressEnd::kGood, "completed", at(13));
  EXPECT_THAT(model_.take_lines(),
              ElementsAre("alpine: download", "alpine: download 41% (50.0 MiB/120.0 MiB, 10.0 MiB/s, 0:07 left)",
                          "alpine: download 83% (100.0 MiB/120.0 MiB, 10.0 MiB/s, 0:02 left)", "alpine: validate",
                          "alpine: completed (120.0 MiB in 0:13)"));
  EXPECT_THAT(model_.take_lines(), IsEmpty());
}

}  // namespace
}  // namespace slipway::cli
