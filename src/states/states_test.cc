#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "states/persisted_state.h"

namespace slipway::states {
namespace {

using testing::HasSubstr;

enum class Light : std::uint8_t { kRed, kGreen, kOff };

std::string_view to_string(Light light) {
  switch (light) {
    case Light::kRed: return "RED";
    case Light::kGreen: return "GREEN";
    case Light::kOff: return "OFF";
  }
  return "?";
}

using Table = TransitionTable<Light>;
constexpr Table::Row kRows[] = {
    {Light::kRed, Light::kGreen, "the way is free"},
    {Light::kRed, Light::kOff, "night"},
    {Light::kGreen, Light::kOff, "night"},
};
constexpr Table kLights(kRows);
static_assert(kLights.allows(Light::kRed, Light::kGreen));
static_assert(!kLights.allows(Light::kGreen, Light::kRed));

TEST(TransitionTableTest, ARefusalNamesBothStatesAndWhatIsPossible) {
  EXPECT_TRUE(kLights.check("light 7", Light::kRed, Light::kOff));
  const auto refused = kLights.check("light 7", Light::kGreen, Light::kRed);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(refused.error().message(), "light 7 cannot go from GREEN to RED: from there it can go to OFF");
}

TEST(TransitionTableTest, OfAFinalStateItIsSaid) {
  const auto refused = kLights.check("light 7", Light::kOff, Light::kRed);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("OFF is final"));
}

TEST(PersistedStateTest, AMoveCountsOnceItIsWritten) {
  PersistedState<Light> light("light 7", kLights, Light::kRed);
  const auto moved = light.move(Light::kGreen, [&](Light to) -> Result<> {
    EXPECT_EQ(to, Light::kGreen);
    EXPECT_EQ(light.get(), Light::kRed);
    return {};
  });
  EXPECT_TRUE(moved);
  EXPECT_EQ(light.get(), Light::kGreen);
}

TEST(PersistedStateTest, WhenItCannotBeWrittenTheStateStays) {
  PersistedState<Light> light("light 7", kLights, Light::kRed);
  const auto moved =
      light.move(Light::kGreen, [](Light) -> Result<> { return fail(ErrorKind::kNoSpace, "the disk is full"); });
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().kind(), ErrorKind::kNoSpace);
  EXPECT_EQ(moved.error().message(), "move light 7 from RED to GREEN: the disk is full");
  EXPECT_EQ(light.get(), Light::kRed);
}

TEST(PersistedStateTest, WhatTheTableRefusesIsNotWritten) {
  PersistedState<Light> light("light 7", kLights, Light::kOff);
  bool written = false;
  EXPECT_FALSE(light.move(Light::kRed, [&](Light) -> Result<> {
    written = true;
    return {};
  }));
  EXPECT_FALSE(written);
  EXPECT_EQ(light.get(), Light::kOff);
}

}  // namespace
}  // namespace slipway::states
