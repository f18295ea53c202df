#include "feeds/dependencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::feeds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(DependenciesTest, EachStartsAfterAllThatItNeeds) {
  Dependencies graph;
  ASSERT_TRUE(graph.add("asvs", {"cwe"}));
  ASSERT_TRUE(graph.add("attack", {}));
  ASSERT_TRUE(graph.add("capec", {"cwe", "attack"}));
  ASSERT_TRUE(graph.add("cwe", {}));
  ASSERT_TRUE(graph.check_known());
  EXPECT_THAT(graph.start_order(), ElementsAre("attack", "cwe", "asvs", "capec"));
}

TEST(DependenciesTest, SomethingNeededTwiceCountsOnce) {
  Dependencies graph;
  ASSERT_TRUE(graph.add("capec", {"cwe", "cwe"}));
  ASSERT_TRUE(graph.add("cwe", {}));
  EXPECT_THAT(graph.start_order(), ElementsAre("cwe", "capec"));
}

TEST(DependenciesTest, ACycleIsRefusedByTheOneThatClosesItAndShown) {
  Dependencies graph;
  ASSERT_TRUE(graph.add("a", {"b"}));
  ASSERT_TRUE(graph.add("b", {"c"}));
  const auto refused = graph.add("c", {"a"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid);
  EXPECT_THAT(refused.error().message(), HasSubstr("c needs a needs b needs c"));
  EXPECT_FALSE(graph.check_known());  // c was not added
  EXPECT_TRUE(graph.add("c", {}));
  EXPECT_TRUE(graph.check_known());
  EXPECT_THAT(graph.start_order(), ElementsAre("c", "b", "a"));
}

TEST(DependenciesTest, OneThatNeedsItselfIsRefused) {
  Dependencies graph;
  const auto refused = graph.add("a", {"a"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("a needs a"));
  EXPECT_THAT(graph.start_order(), IsEmpty());
}

TEST(DependenciesTest, AnUnknownIdIsRefusedAtTheStart) {
  Dependencies graph;
  ASSERT_TRUE(graph.add("capec", {"cwf"}));
  ASSERT_TRUE(graph.add("cwe", {}));
  const auto refused = graph.check_known();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(refused.error().message(), HasSubstr("capec needs cwf"));
  EXPECT_THAT(refused.error().hint(), HasSubstr("capec, cwe"));
}

TEST(DependenciesTest, TheSameIdTwiceIsRefused) {
  Dependencies graph;
  ASSERT_TRUE(graph.add("cwe", {}));
  const auto refused = graph.add("cwe", {"x"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_TRUE(graph.check_known());
}

TEST(DependenciesTest, WhatIsWantedComesWithAllThatItNeeds) {
  Dependencies graph;
  ASSERT_TRUE(graph.add("capec", {"cwe"}));
  ASSERT_TRUE(graph.add("cve", {}));
  ASSERT_TRUE(graph.add("cwe", {"base"}));
  ASSERT_TRUE(graph.add("base", {}));
  const std::vector<std::string> wanted{"capec"};
  EXPECT_THAT(graph.with_needs(wanted), ElementsAre("base", "cwe", "capec"));
}

}  // namespace
}  // namespace slipway::feeds
