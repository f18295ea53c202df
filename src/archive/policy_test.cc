#include "archive/policy.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::archive {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(PolicyTest, EverySettingCanBeReadAndWrittenBack) {
  Policy policy = strict_policy();
  EXPECT_EQ(setting_names().size(), kRules + 4);
  for (const std::string& name : setting_names()) {
    const auto value = get(policy, name);
    ASSERT_TRUE(value) << name;
    EXPECT_TRUE(set(policy, name, *value)) << name;
  }
  EXPECT_EQ(policy, strict_policy());
  EXPECT_THAT(setting_names(), Contains("policy_setuid"));
  EXPECT_THAT(setting_names(), Contains("max_compression_ratio"));
}

TEST(PolicyTest, StrictIsNeverMilder) {
  for (std::size_t i = 0; i < kRules; ++i) {
    const Rule rule{static_cast<std::uint8_t>(i)};
    EXPECT_LE(standard_policy().action(rule), strict_policy().action(rule)) << to_string(rule);
    EXPECT_LT(mildest(rule), Action::kRefuse) << to_string(rule);
  }
}

TEST(PolicyTest, SettingsChangeOneThing) {
  Policy policy = standard_policy();
  ASSERT_TRUE(set(policy, "policy_devices", "allow"));
  ASSERT_TRUE(set(policy, "max_file_size", "2 GiB"));
  EXPECT_EQ(policy.action(Rule::kDevices), Action::kAllow);
  EXPECT_EQ(policy.limits.max_file_size, 2ULL << 30);
  Policy back = policy;
  ASSERT_TRUE(set(back, "policy_devices", "skip"));
  ASSERT_TRUE(set(back, "max_file_size", "1073741824"));
  EXPECT_EQ(back, standard_policy());
}

TEST(PolicyTest, BadSettingsAreNamedWithWhatIsPossible) {
  Policy policy = standard_policy();
  const auto message = [&](const char* name, const char* value) {
    const auto done = set(policy, name, value);
    return done ? "" : done.error().message();
  };
  EXPECT_THAT(message("policy_setuid", "maybe"),
              HasSubstr("policy_setuid cannot be \"maybe\": it is one of allow, record, refuse"));
  EXPECT_THAT(message("policy_bad_names", "allow"), HasSubstr("one of skip, refuse"));
  EXPECT_THAT(message("policy_nothing", "allow"), HasSubstr("no setting policy_nothing"));
  for (const char* value : {"", "0", "-1", "1.5", "1 GB", "99999999999 TiB", "x", "18446744073709551616"}) {
    EXPECT_THAT(message("max_total_size", value), HasSubstr("max_total_size cannot be")) << value;
  }
  EXPECT_THAT(message("max_files", "1 KiB"), HasSubstr("max_files cannot be"));
  EXPECT_EQ(policy, standard_policy());
  EXPECT_FALSE(named_policy("lax"));
}

TEST(PolicyTest, SurvivesJson) {
  Policy policy = strict_policy();
  ASSERT_TRUE(set(policy, "policy_fifos", "skip"));
  ASSERT_TRUE(set(policy, "max_files", "7"));
  const auto back = policy_from_json(to_json(policy));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(*back, policy);
}

TEST(PolicyTest, JsonThatLacksSomethingIsRefused) {
  for (const std::string& name : setting_names()) {
    Json json = to_json(standard_policy());
    json["settings"].erase(name);
    EXPECT_FALSE(policy_from_json(json)) << name;
    json["settings"][name] = 5;
    EXPECT_FALSE(policy_from_json(json)) << name;
  }
  EXPECT_FALSE(policy_from_json(Json::array()));
  EXPECT_FALSE(policy_from_json({{"level", "other"}, {"settings", Json::object()}}));
}

}  // namespace
}  // namespace slipway::archive
