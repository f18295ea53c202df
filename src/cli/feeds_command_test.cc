#include <chrono>
#include <fstream>
#include <functional>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cli/testing/program_fixture.h"
#include "feeds/query/feed_reader.h"
#include "feeds/testing/counting_provider.h"
#include "feeds/testing/small_feeds.h"
#include "service/feeds_keeper.h"
#include "service/owner_server.h"
#include "sys/testing/child_process.h"

namespace slipway::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// The whole program, with two providers of five items each, of which "b" needs "a".
class FeedsCommandTest : public ProgramFixture {
 protected:
  FeedsCommandTest() {
    programs_clock_ = &sys::system_clock();
    input_.providers = [this] { return registrations(); };
    for (const char* id : {"a", "b"}) {
      sources_[id] = std::make_shared<feeds::CountingSource>();
      sources_[id]->items = 5;
    }
  }
  Result<std::vector<feeds::Registration>> registrations() {
    std::vector<feeds::Registration> all;
    for (const auto& [id, source] : sources_) {
      all.push_back({{.id = id,
                      .type = "count",
                      .dependencies = id == "b" ? std::vector<std::string>{"a"} : std::vector<std::string>(),
                      .batch_size = 1,
                      .max_retries = 0},
                     std::make_unique<feeds::CountingProvider>(source)});
    }
    return all;
  }

  void fail_source(const std::string& id) {
    sources_[id]->tag = "another";
    sources_[id]->before = [](int, feeds::Intake&) -> Result<> { return fail(ErrorKind::kIo, "the source is gone"); };
  }
  service::Feeds as_owner() {
    service::Feeds feeds;
    feeds.setup = {.database = database(), .providers = input_.providers};
    feeds.socket = service::socket_beside(database());
    feeds.settings = {{"feeds_cache_dir", dir_.file("state/feeds")}};
    return feeds;
  }
  [[nodiscard]] std::string database() const { return dir_.file("state/feeds.db"); }

  std::map<std::string, std::shared_ptr<feeds::CountingSource>> sources_;
};

TEST_F(FeedsCommandTest, ListWorksBeforeAnythingWasSynced) {
  EXPECT_EQ(run({"feeds"}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("PROVIDER"), HasSubstr("IDLE"), HasSubstr("never!"), HasSubstr("feeds sync")));
  EXPECT_FALSE(std::filesystem::exists(database()));
  const auto list = json({"feeds", "list"});
  ASSERT_EQ(list.at("providers").size(), 2);
  EXPECT_EQ(list.at("owned"), false);
  EXPECT_TRUE(list.at("state").is_null());
  EXPECT_EQ(list.at("providers")[0].at("alarm"), true);
}

TEST_F(FeedsCommandTest, ASyncIsDoneHereWithALineForEachStateAndIsSeenInTheList) {
  EXPECT_EQ(run({"feeds", "sync"}), 0) << err_;
  EXPECT_THAT(err_, AllOf(HasSubstr("a: completed, 5 items"), HasSubstr("b: completed, 5 items"),
                          HasSubstr("2 of 2 providers are up to date.")));
  const auto list = json({"feeds"});
  const auto& b = list.at("providers")[1];
  EXPECT_EQ(list.at("state"), "STABILIZING");
  EXPECT_EQ(b.at("id"), "b");
  EXPECT_EQ(b.at("state"), "TERMINATED");
  EXPECT_EQ(b.at("outcome"), "completed");
  EXPECT_EQ(b.at("processed"), 5);
  EXPECT_EQ(b.at("records"), 5);
  EXPECT_EQ(b.at("alarm"), false);
  EXPECT_EQ(b.at("checkpoint"), feeds::counted_urn(5).text());
  EXPECT_EQ(run({"feeds", "list"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("TERMINATED (completed)"), HasSubstr(feeds::counted_urn(5).text()),
                          HasSubstr("nobody runs them")));
}

TEST_F(FeedsCommandTest, OfSomeOnlyTheseAreSynced) {
  const auto done = json({"feeds", "sync", "a"});
  ASSERT_EQ(done.at("providers").size(), 1);
  EXPECT_EQ(done.at("providers")[0].at("outcome"), "completed");
  EXPECT_EQ(sources_["b"]->runs, 0);
  EXPECT_EQ(run({"feeds", "sync", "aa"}), 2);
  EXPECT_THAT(err_, AllOf(HasSubstr("there is no provider aa"), HasSubstr("did you mean a?")));
}

TEST_F(FeedsCommandTest, AFailureIsExitCodeOneWithItsReasonAndTheAgeOfTheData) {
  ASSERT_EQ(run({"feeds", "sync"}), 0) << err_;
  fail_source("a");
  EXPECT_EQ(run({"feeds", "sync"}), 1);
  EXPECT_THAT(err_, AllOf(HasSubstr("a: failed: the source is gone"), HasSubstr("its last good data is "),
                          HasSubstr("b: blocked: it needs a")));
  const auto again = json({"feeds", "sync", "a"}, 1);
  EXPECT_EQ(again.at("providers")[0].at("failure").at("message"), "the source is gone");
  EXPECT_EQ(run({"feeds"}), 0);
  EXPECT_THAT(err_, HasSubstr("a failed: the source is gone"));
}

TEST_F(FeedsCommandTest, CheckIsAnAlarmForWhatIsMissingOrTooOld) {
  EXPECT_EQ(run({"feeds", "sync", "--check"}), 1);
  EXPECT_THAT(out_, AllOf(HasSubstr("a: it has no data"), HasSubstr("b: it has no data")));
  EXPECT_EQ(sources_["a"]->runs, 0);
  ASSERT_EQ(run({"feeds", "sync", "a"}), 0) << err_;
  EXPECT_EQ(run({"feeds", "sync", "--check", "a"}), 0);
  EXPECT_EQ(json({"feeds", "sync", "--check"}, 1).at("alarm"), true);
  sys::ManualClock later(sys::system_clock().now() + std::chrono::hours(8 * 24));
  programs_clock_ = &later;
  EXPECT_EQ(run({"feeds", "sync", "--check", "a"}), 1);
  EXPECT_THAT(out_, HasSubstr("a: its data is 8d old"));
  EXPECT_EQ(run({"feeds", "sync", "--check", "a", "--feeds-max-age", "9d"}), 0);
}

TEST_F(FeedsCommandTest, WhatIsPausedIsToldAndResumed) {
  sources_["a"]->before = [this](int number, feeds::Intake&) -> Result<> {
    if (number != 3) return {};
    // The process that runs it is its owner: another one asks it.
    std::vector<std::string> ids{"a"};
    auto told = service::command_feeds(as_owner(), service::FeedsVerb::kPause, ids, {}, {});
    EXPECT_TRUE(told) << told.error().describe();
    return {};
  };
  EXPECT_EQ(run({"feeds", "sync", "a"}), 1) << err_;
  EXPECT_THAT(err_, HasSubstr("a: paused: `slipway feeds resume a`"));
  sources_["a"]->before = {};
  EXPECT_EQ(run({"feeds", "resume", "a"}), 0) << err_;
  EXPECT_EQ(json({"feeds"}).at("providers")[0].at("outcome"), "completed");
  EXPECT_EQ(run({"feeds", "resume", "a"}), 1);
  EXPECT_THAT(err_, HasSubstr("TERMINATED"));
  EXPECT_EQ(run({"feeds", "pause", "a"}), 1);
  EXPECT_EQ(run({"feeds", "start", "b"}), 0) << err_;
  EXPECT_EQ(run({"feeds", "stop"}), 2);
}

TEST_F(FeedsCommandTest, WithAnOwnerItDoesTheWorkAndTheCommandsActOnIt) {
  std::promise<void> there;
  std::promise<void> go_on;
  sources_["a"]->before = [&, wait = go_on.get_future().share()](int number, feeds::Intake&) -> Result<> {
    if (number == 3) there.set_value();
    if (number == 3) wait.wait();
    return {};
  };
  const service::FeedsKeeper keeper(as_owner(), {}, sys::system_clock());
  there.get_future().get();
  const auto list = json({"feeds"});
  EXPECT_EQ(list.at("owned"), true);
  EXPECT_EQ(list.at("permits"), 10);
  EXPECT_EQ(list.at("providers")[0].at("state"), "RUNNING");
  EXPECT_EQ(list.at("providers")[0].at("permits"), 1);
  EXPECT_EQ(list.at("providers")[1].at("waits_for_needs"), true);
  EXPECT_EQ(run({"feeds"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("waits for its needs"), HasSubstr("9 of 10 permits free")));
  EXPECT_EQ(run({"feeds", "start", "a"}), 1);  // it runs
  go_on.set_value();
  EXPECT_EQ(run({"feeds", "sync"}), 0) << err_;
  EXPECT_THAT(err_, HasSubstr("2 of 2 providers are up to date."));
}

TEST_F(FeedsCommandTest, AnInterruptionIs130AndTheSameCommandGoesOn) {
  sys::ChildProcess child([this](const sys::ChildProcess::Voice& voice) {
    sources_["a"]->before = [&](int number, feeds::Intake& intake) -> Result<> {
      if (number != 3) return {};
      voice.say("there");
      while (!intake.stop().stop_requested()) std::this_thread::yield();
      return fail(ErrorKind::kCancelled, "stopped");
    };
    return run({"feeds", "sync", "a"});
  });
  ASSERT_EQ(child.hear(), "there");
  ::kill(child.pid(), SIGINT);
  EXPECT_EQ(child.wait(), 130);
  EXPECT_THAT(read("err"), HasSubstr("the same command again goes on from there"));
  EXPECT_EQ(json({"feeds"}).at("providers")[0].at("processed"), 2);
  EXPECT_EQ(run({"feeds", "sync", "a"}), 0) << err_;
  EXPECT_EQ(json({"feeds"}).at("providers")[0].at("processed"), 5);
  EXPECT_EQ(json({"feeds"}).at("providers")[0].at("instance"), 1);
}

TEST_F(FeedsCommandTest, ProvidersThatCannotBeMadeAreWrongUse) {
  input_.providers = []() -> Result<std::vector<feeds::Registration>> {
    return fail(ErrorKind::kInvalid, "feed_a_source is no source");
  };
  EXPECT_EQ(run({"feeds", "sync"}), 2);
  EXPECT_THAT(err_, HasSubstr("feed_a_source is no source"));
}

}  // namespace
}  // namespace slipway::cli
