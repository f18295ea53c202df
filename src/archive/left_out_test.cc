// What a policy leaves out is not there: neither it, nor what it replaced, nor other names of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/merger.h"
#include "archive/testing/survey_helpers.h"
#include "archive/testing/tar_builder.h"

namespace slipway::archive {
namespace {

using ::testing::HasSubstr;

Policy with(std::string_view name, std::string_view value) {
  Policy policy = standard_policy();
  EXPECT_TRUE(set(policy, name, value));
  return policy;
}

std::string tree_of(const std::string& image, const Policy& policy = standard_policy()) {
  const auto seen = survey_bytes(image, policy);
  return seen ? listing(seen->tree) : "error: " + seen.error().message();
}

std::string findings_of(const TarBuilder& tar, const Policy& policy = standard_policy()) {
  const auto seen = survey_bytes(small_rootfs().raw(tar.open_end()).finish(), policy);
  return seen ? finding_list(*seen) : "error: " + seen.error().message();
}

TEST(LeftOutTest, ADeviceHidesWhatItReplaced) {
  const std::string lower = TarBuilder().folder("dev").file("dev/x", "1").finish();
  EXPECT_EQ(tree_of(docker_image({lower, TarBuilder().special("dev/x", '3').finish()})), "dev/ 0755\n");
  EXPECT_EQ(tree_of(docker_image({lower, TarBuilder().special("dev", '4').finish()})), "");
  EXPECT_EQ(tree_of(TarBuilder().file("a", "1").special("a", '3').finish()), "");
}

TEST(LeftOutTest, WhatReplacesADeviceIsThere) {
  EXPECT_EQ(tree_of(TarBuilder().special("a", '3').file("a", "1").finish()), "a 0644 1\n");
  EXPECT_EQ(tree_of(TarBuilder().special("a", '3').folder("a").finish()), "a/ 0755\n");
  EXPECT_EQ(tree_of(TarBuilder().special("a", '3').file("a/b", "1").finish()), "a/ 0755\na/b 0644 1\n");
}

TEST(LeftOutTest, HardLinksToADeviceGoWithIt) {
  const TarBuilder tar = TarBuilder().special("a", '3').hard_link("b", "a").hard_link("c", "b");
  EXPECT_EQ(tree_of(tar.finish()), "");
  EXPECT_EQ(findings_of(tar), "devices a, devices b, devices c");
  const std::string lower = TarBuilder().file("b", "1").special("a", '3').finish();
  EXPECT_EQ(tree_of(docker_image({lower, TarBuilder().hard_link("b", "a").finish()})), "");
  // The device has gone meanwhile: that is the file by now.
  EXPECT_EQ(tree_of(TarBuilder().special("a", '3').file("a", "1").hard_link("b", "a").finish()), "a 0644 1\nb = a\n");
}

TEST(LeftOutTest, AHardLinkToNothingHidesWhatItReplaced) {
  const Policy skipping = with("policy_hard_link_outside", "skip");
  EXPECT_EQ(tree_of(TarBuilder().file("a", "1").hard_link("a", "no").finish(), skipping), "");
}

TEST(LeftOutTest, ASymbolicLinkThatLeadsOutIsNotThere) {
  const Policy skipping = with("policy_symlink_escape", "skip");
  EXPECT_EQ(tree_of(TarBuilder().file("a", "1").symlink("a", "../x").finish(), skipping), "");
  const TarBuilder by_others = TarBuilder().folder("d").symlink("d/up", "..").symlink("x", "d/up/../y");
  EXPECT_THAT(tree_of(by_others.finish()), HasSubstr("leaves the root by way of others"));
  EXPECT_EQ(tree_of(by_others.finish(), skipping), "d/ 0755\nd/up -> ..\n");
  EXPECT_EQ(findings_of(by_others, skipping), "symlink_escape x");
}

TEST(LeftOutTest, NothingIsWrittenThroughALinkThatIsNotThere) {
  const Policy skipping = with("policy_absolute_symlinks", "skip");
  const TarBuilder tar = TarBuilder().folder("t").symlink("a", "/t").file("a/b", "1");
  EXPECT_EQ(tree_of(tar.finish(), skipping), "a/ 0755\na/b 0644 1\nt/ 0755\n");
  EXPECT_EQ(tree_of(TarBuilder().folder("t").symlink("a", "/t").hard_link("b", "a").finish(), skipping), "t/ 0755\n");
}

// A second name of a symbolic link stands elsewhere, and may lead elsewhere.
TEST(LeftOutTest, ALinkThatIsFineWhereItStandsMayLeadOutByAnotherName) {
  const TarBuilder tar = TarBuilder().folder("d").symlink("d/up", "../x").hard_link("up", "d/up");
  Policy policy = with("policy_hard_link_symlink", "allow");
  EXPECT_THAT(tree_of(tar.finish(), policy), HasSubstr("entry up: symbolic link to \"../x\" leaves the root"));
  ASSERT_TRUE(set(policy, "policy_symlink_escape", "skip"));
  EXPECT_EQ(tree_of(tar.finish(), policy), "d/ 0755\nd/up -> ../x\n");
}

TEST(LeftOutTest, ADeviceIsNoFolderOfARootFileSystem) {
  const auto seen =
      survey_bytes(TarBuilder().special("etc", '3').raw(docker_image({small_rootfs().finish()})).open_end());
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->kind, ImageKind::kDockerSave);
}

}  // namespace
}  // namespace slipway::archive
