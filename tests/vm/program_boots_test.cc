// The whole program on a thin pool over several boots of the virtual machine: a reboot, and the power cut while an
// image is fetched, unpacked and activated, at 8 instants that the seed chooses (SLIPWAY_SEED; SLIPWAY_LONG=1: at 60).
#include <random>

#include <gmock/gmock.h>

#include "vm/boots.h"

namespace slipway {
namespace {

using testing::HasSubstr;

class ProgramBootsTest : public BootsFixture {
 protected:
  Boot tell(const std::string& part, const std::vector<std::string>& options = {}) {
    return boot({PROGRAM_STORY, part}, options);
  }
  static int cuts() { return long_mode() ? 60 : 8; }
};

TEST_F(ProgramBootsTest, AfterARebootThePoolIsStartedAndASnapshotComesBackAsItWas) {
  const auto before = tell("first");
  if (before.code == kSkipped) GTEST_SKIP() << "all tests are skipped: " << before.out;
  ASSERT_EQ(before.code, 0) << before.out;
  const auto after = tell("rebooted");
  EXPECT_EQ(after.code, 0) << after.out;
  EXPECT_THAT(after.out, HasSubstr("well"));
}

TEST_F(ProgramBootsTest, AfterAPowerCutAtAnyInstantTheNextFetchEndsWell) {
  std::mt19937_64 dice(seed());
  const auto first = tell("first");
  if (first.code == kSkipped) GTEST_SKIP() << "all tests are skipped: " << first.out;
  ASSERT_EQ(first.code, 0) << first.out;
  ASSERT_EQ(first.facts.size(), 1U);
  const auto whole = std::stod(first.facts[0]);
  std::printf("a whole run takes %.3f s\n", whole);
  int done = 0;
  for (int boots = 0; done < cuts() && boots < 2 * cuts(); ++boots) {
    const auto after = fmt::format("{:.3f}", whole * std::uniform_real_distribution<>(0, 1)(dice));
    const auto now = tell("cut", {"--kill-at", "begin", "--kill-after", after});
    ASSERT_EQ(now.code, kCut) << "after " << after << " s: " << now.out;
    ASSERT_THAT(now.out, HasSubstr("right"));
    const bool in_time = now.facts.empty();
    if (in_time) ++done;
    std::printf("the power was cut %s s after the beginning%s\n", after.c_str(),
                in_time ? "" : ": it was done by then");
    std::fflush(stdout);
  }
  EXPECT_EQ(done, cuts());
  const auto last = tell("last");
  EXPECT_EQ(last.code, 0) << last.out;
  EXPECT_THAT(last.out, HasSubstr("right"));
}

}  // namespace
}  // namespace slipway
