// A thin pool over several boots of the virtual machine: switched off in order, and with the power cut at instants that
// the seed chooses (SLIPWAY_SEED; SLIPWAY_LONG=1: at 20 and not at 3).
#include "vm/boots.h"

#include <random>

#include <gmock/gmock.h>

namespace slipway {
namespace {

using testing::HasSubstr;

class BootsTest : public BootsFixture {
 protected:
  Boot tell(const std::string& part, const std::vector<std::string>& facts,
            const std::vector<std::string>& options = {}) {
    std::vector<std::string> words{THIN_STORY, part};
    words.insert(words.end(), facts.begin(), facts.end());
    return boot(words, options);
  }
  static int cuts() { return long_mode() ? 20 : 3; }
};

TEST_F(BootsTest, WhatAPoolSaidIsDoneIsThereAfterARebootAndAfterEachPowerCut) {
  std::mt19937_64 dice(seed());
  auto before = tell("first", {});
  if (before.code == kSkipped) GTEST_SKIP() << "all tests are skipped: " << before.out;
  ASSERT_EQ(before.code, 0) << before.out;
  ASSERT_EQ(before.facts.size(), 2);
  for (int cut = 0; cut < cuts(); ++cut) {
    const auto after = fmt::format("{:.3f}", static_cast<double>(dice() % 3000) / 1000);
    auto now = tell("again", before.facts, {"--kill-at", "found ", "--kill-after", after});
    ASSERT_EQ(now.code, kCut) << "cut " << cut << " after " << after << " s: " << now.out;
    EXPECT_THAT(now.out, HasSubstr(fmt::format("found {}\n", before.facts.size())));
    std::printf("the power cut %d, after %s s: %zu things were done\n", cut, after.c_str(), now.facts.size());
    before = std::move(now);
  }
  const auto last = tell("last", before.facts);
  EXPECT_EQ(last.code, 0) << last.out;
  EXPECT_THAT(last.out, HasSubstr("well"));
}

}  // namespace
}  // namespace slipway
