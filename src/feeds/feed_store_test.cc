#include "feeds/feed_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/testing/table_view.h"
#include "sys/fault.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::feeds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Urn cve(int number) { return Urn::make("nvd", "cve", fmt::format("CVE-2024-{:04}", number)).value(); }
Urn cwe(int number) { return Urn::make("mitre", "cwe", fmt::format("CWE-{}", number)).value(); }

Record record_of(int number, const std::string& description = "a flaw") {
  return {.urn = cve(number),
          .title = "",
          .description = description,
          .links = {{"weakness", cwe(79)}},
          .details = Cve{.score = 9.8, .vector = "CVSS:3.1/...", .body = "{}"}};
}

class FeedStoreTest : public testing::Test {
 protected:
  FeedStoreTest() {
    store_ = FeedStore::open(path_, clock_).value();
    EXPECT_TRUE(store_->register_provider("cve", "cve"));
    EXPECT_TRUE(store_->begin_sync("cve"));
  }
  Result<Written> write(std::vector<Record> records, std::vector<BadRecord> bad = {}) {
    const std::string last = records.empty() ? "" : records.back().urn.text();
    return store_->write("cve", {.records = std::move(records),
                                 .bad = std::move(bad),
                                 .checkpoint = {.urn = last, .source_tag = "t", .position = "p"}});
  }
  ProviderRow row() { return store_->list_providers().value().at(0); }
  ProviderRow terminated() {
    auto end = row();
    end.state = ProviderState::kTerminated;
    end.outcome = Outcome::kCompleted;
    return end;
  }

  sys::TempDir folder_;
  const std::string path_ = folder_.file("deep/feeds.db");
  sys::ManualClock clock_;
  std::unique_ptr<FeedStore> store_;
  TableView tables_{path_};
};

TEST_F(FeedStoreTest, ABatchIsStoredWithItsCheckpointAndItsCounts) {
  const auto written = write({record_of(1), record_of(2)}, {{"CVE-x", "no description"}});
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(written->stored, 2);
  EXPECT_EQ(written->changed, 2);
  EXPECT_THAT(written->repeated, IsEmpty());
  EXPECT_EQ(row().processed, 2);
  EXPECT_EQ(row().errors, 1);
  ASSERT_TRUE(row().checkpoint);
  EXPECT_EQ(row().checkpoint->urn, cve(2).text());
  EXPECT_EQ(row().checkpoint->position, "p");
  EXPECT_THAT(tables_.texts("SELECT name FROM record ORDER BY name"), ElementsAre("CVE-2024-0001", "CVE-2024-0002"));
  EXPECT_THAT(tables_.texts("SELECT source || ' ' || relation || ' ' || target FROM links WHERE source LIKE '%0002'"),
              ElementsAre(cve(2).text() + " weakness " + cwe(79).text()));
  EXPECT_EQ(tables_.number("SELECT count(*) FROM cve WHERE score = 9.8"), 2);
  EXPECT_THAT(tables_.texts("SELECT error FROM bad_record"), ElementsAre("no description"));
}

TEST_F(FeedStoreTest, WhatFailsBeforeItIsCommittedLeavesNothing) {
  ASSERT_TRUE(write({record_of(1)}));
  {
    const fault::Scope full("feeds.commit.before", {.error = {ErrorKind::kNoSpace, "disk full"}});
    EXPECT_EQ(write({record_of(2)}, {{"x", "y"}}).error().kind(), ErrorKind::kNoSpace);
  }
  EXPECT_EQ(row().processed, 1);
  EXPECT_EQ(row().errors, 0);
  EXPECT_EQ(row().checkpoint->urn, cve(1).text());
  EXPECT_EQ(tables_.number("SELECT count(*) FROM record"), 1);
  EXPECT_EQ(tables_.number("SELECT count(*) FROM node"), 2);
  // What the one that failed had learnt of nodes is not believed.
  ASSERT_TRUE(write({record_of(2)}));
  EXPECT_EQ(tables_.number("SELECT count(*) FROM links"), 2);
}

TEST_F(FeedStoreTest, AChangedRecordTakesThePlaceOfTheOldOneEverywhere) {
  ASSERT_TRUE(write({record_of(1, "an ancient overflow")}));
  ASSERT_TRUE(store_->begin_sync("cve"));
  auto changed = record_of(1, "a modern traversal");
  changed.links = {{"weakness", cwe(22)}};
  const auto written = write({changed});
  ASSERT_TRUE(written);
  EXPECT_EQ(written->stored, 1);
  EXPECT_EQ(written->changed, 1);
  EXPECT_THAT(tables_.texts("SELECT target FROM links"), ElementsAre(cwe(22).text()));
  EXPECT_THAT(tables_.texts("SELECT rowid FROM search WHERE search MATCH 'ancient'"), IsEmpty());
  EXPECT_EQ(tables_.number("SELECT count(*) FROM search WHERE search MATCH 'traversals'"), 1);  // by its stem
}

TEST_F(FeedStoreTest, AnUnchangedRecordIsSeenAndNotWrittenAgain) {
  ASSERT_TRUE(write({record_of(1)}));
  const auto before = tables_.number("SELECT processed_at FROM record");
  ASSERT_TRUE(store_->begin_sync("cve"));
  clock_.advance(std::chrono::hours(1));
  const auto written = write({record_of(1)});
  ASSERT_TRUE(written);
  EXPECT_EQ(written->stored, 1);
  EXPECT_EQ(written->changed, 0);
  EXPECT_EQ(tables_.number("SELECT processed_at FROM record"), before);
  EXPECT_EQ(tables_.number("SELECT generation FROM record"), 2);
}

TEST_F(FeedStoreTest, OneThatComesTwiceInASyncIsNamedAndCountsOnceAndTheLaterOneCounts) {
  const auto written = write({record_of(1, "first"), record_of(1, "second")});
  ASSERT_TRUE(written);
  EXPECT_EQ(written->stored, 1);
  EXPECT_THAT(written->repeated, ElementsAre(cve(1).text()));
  EXPECT_THAT(tables_.texts("SELECT description FROM record"), ElementsAre("second"));
  EXPECT_EQ(row().processed, 1);
  EXPECT_EQ(tables_.number("SELECT count(*) FROM search WHERE search MATCH 'first'"), 0);
}

TEST_F(FeedStoreTest, WhatAWholeSourceNoLongerHasIsMarkedAndComesBack) {
  ASSERT_TRUE(write({record_of(1), record_of(2)}));
  ASSERT_TRUE(store_->complete_sync(terminated(), "tag-1", /*whole=*/true));
  EXPECT_EQ(tables_.number("SELECT count(*) FROM record WHERE gone_since IS NOT NULL"), 0);
  EXPECT_EQ(row().source_tag, "tag-1");
  EXPECT_EQ(row().completed_at, clock_.now());
  EXPECT_EQ(row().checkpoint->position, "");

  ASSERT_TRUE(store_->begin_sync("cve"));
  ASSERT_TRUE(write({record_of(1)}));
  ASSERT_TRUE(store_->complete_sync(terminated(), "tag-2", /*whole=*/false));
  EXPECT_EQ(tables_.number("SELECT count(*) FROM record WHERE gone_since IS NOT NULL"), 0);
  ASSERT_TRUE(store_->complete_sync(terminated(), "tag-2", /*whole=*/true));
  EXPECT_THAT(tables_.texts("SELECT name FROM record WHERE gone_since IS NOT NULL"), ElementsAre("CVE-2024-0002"));

  ASSERT_TRUE(store_->begin_sync("cve"));
  ASSERT_TRUE(write({record_of(2)}));
  EXPECT_EQ(tables_.number("SELECT count(*) FROM record WHERE gone_since IS NOT NULL"), 0);
}

TEST_F(FeedStoreTest, AnotherProvidersRecordBecomesTheOnesWhoToldOfItLast) {
  ASSERT_TRUE(store_->register_provider("mirror", "cve"));
  ASSERT_TRUE(write({record_of(1, "ours")}));
  ASSERT_TRUE(store_->begin_sync("mirror"));
  ASSERT_TRUE(store_->write("mirror", {.records = {record_of(1, "theirs")}}));
  EXPECT_THAT(tables_.texts("SELECT provider FROM record"), ElementsAre("mirror"));
  EXPECT_EQ(tables_.number("SELECT count(*) FROM search WHERE search MATCH 'ours'"), 0);
}

TEST_F(FeedStoreTest, AStateIsSavedWithWhatBelongsToIt) {
  auto wanted = row();
  wanted.state = ProviderState::kWaitingBackoff;
  wanted.resume_at = clock_.now() + std::chrono::minutes(3);
  ASSERT_TRUE(store_->save_state(wanted));
  EXPECT_EQ(row().state, ProviderState::kWaitingBackoff);
  EXPECT_EQ(row().resume_at, wanted.resume_at);
  wanted.state = ProviderState::kTerminated;
  wanted.resume_at.reset();
  wanted.outcome = Outcome::kFailed;
  wanted.error = Error(ErrorKind::kCorrupt, "not XML: \xff").with_hint("try a mirror");
  ASSERT_TRUE(store_->save_state(wanted));
  EXPECT_EQ(row().outcome, Outcome::kFailed);
  EXPECT_EQ(row().error->kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(row().error->message(), HasSubstr("not XML"));
  EXPECT_EQ(row().error->hint(), "try a mirror");
}

TEST_F(FeedStoreTest, AStateWithoutWhatItNeedsIsRefusedByTheTable) {
  auto wrong = row();
  wrong.state = ProviderState::kTerminated;
  EXPECT_FALSE(store_->save_state(wrong));
  wrong.state = ProviderState::kWaitingBackoff;
  EXPECT_FALSE(store_->save_state(wrong));
  EXPECT_EQ(row().state, ProviderState::kIdle);
}

TEST_F(FeedStoreTest, AProviderIsRegisteredOnceAndKeepsItsType) {
  const auto again = store_->register_provider("cve", "cve");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->generation, 1);
  const auto other = store_->register_provider("cve", "osv");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind(), ErrorKind::kConflict);
}

TEST_F(FeedStoreTest, TheMacroMachineHasOneRow) {
  EXPECT_EQ(store_->macro()->state, MacroState::kBootstrapping);
  ASSERT_TRUE(store_->save_macro(MacroState::kOrchestrating));
  EXPECT_EQ(store_->macro()->state, MacroState::kOrchestrating);
  EXPECT_EQ(tables_.number("SELECT count(*) FROM macro"), 1);
}

TEST_F(FeedStoreTest, AllIsThereForTheNextProcess) {
  ASSERT_TRUE(write({record_of(1)}));
  store_.reset();
  store_ = FeedStore::open(path_, clock_).value();
  EXPECT_EQ(row().processed, 1);
  EXPECT_EQ(row().checkpoint->source_tag, "t");
  ASSERT_TRUE(write({record_of(2)}));
  EXPECT_THAT(tables_.texts("SELECT name FROM record"), UnorderedElementsAre("CVE-2024-0001", "CVE-2024-0002"));
}

TEST_F(FeedStoreTest, IdsWithCharactersOfSqlAndPathsAreOnlyText) {
  auto hostile = record_of(1);
  hostile.urn = Urn::make("nvd", "cve", "../../x';DROP-TABLE-record;--").value();
  hostile.links.clear();
  ASSERT_TRUE(write({hostile}));
  EXPECT_THAT(tables_.texts("SELECT name FROM record"), ElementsAre("../../x';DROP-TABLE-record;--"));
}

}  // namespace
}  // namespace slipway::feeds
