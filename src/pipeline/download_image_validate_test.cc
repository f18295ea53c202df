// What validation and the catalog make of a download: the rows validate and store-metadata of download-image.
#include <atomic>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/testing/download_fixture.h"
#include "sys/fault.h"

namespace slipway::pipeline {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using DownloadValidateTest = DownloadImageFixture;

TEST_F(DownloadValidateTest, WhatIsNoArchiveIsRemovedAndMarkedFailed) {
  source_->put("the/key.tar", "<html>not found</html>");
  open();
  const auto run = start();
  EXPECT_THAT(ending(run), testing::StartsWith("aborted: transition validate: "));
  EXPECT_EQ(tries(run, "validate"), 1);
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kFailed);
  EXPECT_THAT(log_lines(), Contains(HasSubstr("security=corrupt")));
}

TEST_F(DownloadValidateTest, AnEmptyObjectIsCorrupt) {
  source_->put("the/key.tar", "");
  open();
  const auto got = fetch();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(got.error().message(), HasSubstr("is empty"));
}

TEST_F(DownloadValidateTest, AMaliciousArchiveIsRefusedWithASecurityLine) {
  source_->put("the/key.tar", archive::small_rootfs().file("../../etc/cron.d/evil", "x").finish());
  open();
  const auto got = fetch();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind(), ErrorKind::kRejected);
  EXPECT_THAT(got.error().message(), HasSubstr("cron.d/evil"));
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kFailed);
  EXPECT_THAT(log_lines(), Contains(testing::AllOf(HasSubstr("security=refused"), HasSubstr("the/key.tar"))));
}

TEST_F(DownloadValidateTest, ThePolicyIsTheOneThatIsSet) {
  source_->put("the/key.tar", archive::small_rootfs().file("usr/su", "x", 04755).finish());
  open();
  ASSERT_TRUE(fetch());
  const auto findings = *catalog_->policy_findings("the-image");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "setuid");
  EXPECT_EQ(findings[0].entry, "usr/su");

  std::filesystem::remove(file());
  request_.rules.policy = archive::strict_policy();
  EXPECT_EQ(fetch().error().kind(), ErrorKind::kRejected);
}

TEST_F(DownloadValidateTest, WhatIsThereIsValidatedAgainUnderAnotherPolicy) {
  source_->put("the/key.tar", image(1000));
  open();
  ASSERT_TRUE(fetch());
  const int reads = source_->reads();
  request_.rules.policy.limits.max_files = 50;
  const auto run = start();
  const auto again = wait(run);
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_FALSE(again->downloaded);
  EXPECT_EQ(source_->reads(), reads);
  EXPECT_EQ(tries(run, "validate"), 1);
  const auto known = start();
  ASSERT_TRUE(wait(known));
  EXPECT_EQ(tries(known, "validate"), 0);
}

TEST_F(DownloadValidateTest, WhatIsThereIsRefusedByAStricterPolicyAndStaysForTheOldOne) {
  source_->put("the/key.tar", archive::small_rootfs().file("usr/su", "x", 04755).finish());
  open();
  ASSERT_TRUE(fetch());
  const auto policy = std::exchange(request_.rules.policy, archive::strict_policy());
  EXPECT_EQ(fetch().error().kind(), ErrorKind::kRejected);
  EXPECT_THAT(files(), ElementsAre("the-image.tar"));
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kCompleted);
  EXPECT_THAT(row().error, HasSubstr("usr/su"));
  EXPECT_EQ(fetch().error().kind(), ErrorKind::kRejected);  // again
  request_.rules.policy = policy;
  EXPECT_FALSE(fetch()->downloaded);
}

TEST_F(DownloadValidateTest, AnotherFolderTakesTheFileAlong) {
  source_->put("the/key.tar", image(1000));
  open();
  ASSERT_TRUE(fetch());
  const auto old = file();
  crash();
  settings_.images = folder_.file("elsewhere");
  source_->put("the/key.tar", image(2000));
  open();
  ASSERT_TRUE(fetch());
  EXPECT_THAT(files(), ElementsAre("the-image.tar"));
  EXPECT_FALSE(std::filesystem::exists(old));
}

TEST_F(DownloadValidateTest, AFailureInAnotherFolderLeavesTheGoodFileWhereItIs) {
  source_->put("the/key.tar", image(1000));
  open();
  ASSERT_TRUE(fetch());
  const auto old = file();
  crash();
  settings_.images = folder_.file("elsewhere");
  source_->put("the/key.tar", "no archive at all");
  open();
  ASSERT_FALSE(fetch());
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(old));
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kCompleted);
}

TEST_F(DownloadValidateTest, ALockedCatalogDoesNotKeepTheFailureFromBeingNoted) {
  source_->put("the/key.tar", "no archive at all");
  std::optional<fault::Scope> locked;
  before_ = [&](const fsm::RunContext& run) {
    if (run.transition() == "validate") {
      locked.emplace("catalog.commit.before",
                     fault::Spec{.times = 3, .error = {ErrorKind::kUnavailable, "database is locked"}});
    }
    return true;
  };
  open();
  ASSERT_FALSE(fetch());
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kFailed);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(DownloadValidateTest, FindingsThatAreNotKeptAreCounted) {
  auto tar = archive::small_rootfs();
  for (int i = 0; i < 5; ++i) tar.file("usr/su" + std::to_string(i), "x", 04755);
  source_->put("the/key.tar", tar.finish());
  settings_.max_findings = 2;
  open();
  ASSERT_TRUE(fetch());
  EXPECT_EQ(catalog_->policy_findings("the-image")->size(), 2U);
  EXPECT_EQ(row().archive->findings, 5U);
}

TEST_F(DownloadValidateTest, AReaderThatCrashesOrHangsCostsThatImageOnly) {
  source_->put("the/key.tar", image(1000));
  inspector_ = archive::test_inspector("crash");
  open();
  const auto got = fetch();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(DownloadValidateTest, BytesThatChangedAfterTheDownloadAreNoticed) {
  source_->put("the/key.tar", image(200'000));
  before_ = [&](const fsm::RunContext& run) {
    if (run.transition() != "validate") return true;
    std::fstream spoiled(file(), std::ios::in | std::ios::out | std::ios::binary);
    spoiled.seekp(100'000);
    spoiled.put('!');
    return true;
  };
  open();
  const auto got = fetch();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(got.error().message(), HasSubstr("has the SHA-256"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(DownloadValidateTest, AFileThatIsGoneIsLookedForAgain) {
  source_->put("the/key.tar", image(1000));
  before_ = [&](const fsm::RunContext& run) {
    if (run.transition() == "validate") std::filesystem::remove(file());
    return true;
  };
  open();
  const auto got = fetch_patiently();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(got.error().message(), HasSubstr("after 3 tries"));
}

// --- store-metadata ---

TEST_F(DownloadValidateTest, WhereAScanWillFollowThePackagesAreListedInTheSamePass) {
  source_->put("the/key.tar", archive::small_rootfs()
                                  .file("var/lib/dpkg/status", "Package: a\nStatus: install ok installed\nVersion: 1\n")
                                  .finish());
  request_.list_packages = true;
  open();
  const auto got = fetch();
  ASSERT_TRUE(got) << got.error().describe();
  const auto listed = catalog_->find_inventory("the-image").value();
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->packages, 1U);
  EXPECT_EQ(listed->checksum, got->checksum);
  EXPECT_EQ(row().archive->files, 3U) << "inspected all the same";
}

TEST_F(DownloadValidateTest, WhatIsRefusedHasNoListOfPackages) {
  source_->put("the/key.tar", archive::small_rootfs().file("../out", "x").finish());
  request_.list_packages = true;
  open();
  const auto got = fetch();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind(), ErrorKind::kRejected);
  EXPECT_FALSE(catalog_->find_inventory("the-image").value().has_value());
}

TEST_F(DownloadValidateTest, AListOfPackagesThatACrashTookIsLeftToTheScan) {
  source_->put("the/key.tar", archive::small_rootfs().finish());
  request_.list_packages = true;
  fsm::Gate gate;
  std::atomic<bool> cut = false;
  before_ = [&](const fsm::RunContext& run) {
    if (run.transition() != "store-metadata" || cut.exchange(true)) return true;
    gate.pass(run.stop());
    return false;
  };
  open();
  const auto run = start();
  gate.await_arrivals(1);
  crash();
  open();
  const auto got = wait(run);
  ASSERT_TRUE(got) << got.error().describe();
  EXPECT_FALSE(catalog_->find_inventory("the-image").value().has_value());
}

TEST_F(DownloadValidateTest, ACatalogThatRefusesIsAskedAgain) {
  source_->put("the/key.tar", image(1000));
  std::optional<fault::Scope> locked;
  before_ = [&](const fsm::RunContext& run) {
    if (run.transition() == "store-metadata" && !locked) {
      locked.emplace("catalog.commit.before",
                     fault::Spec{.times = 2, .error = {ErrorKind::kUnavailable, "database is locked"}});
    }
    return true;
  };
  open();
  const auto got = fetch_patiently();
  ASSERT_TRUE(got) << got.error().message();
  EXPECT_EQ(locked->acted(), 2);
  EXPECT_EQ(row().download_status, catalog::DownloadStatus::kCompleted);
}

}  // namespace
}  // namespace slipway::pipeline
