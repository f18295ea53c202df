#include "service/feeds_client.h"

#include <algorithm>
#include <atomic>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "feeds/testing/counting_provider.h"
#include "fsm/testing/manager_harness.h"
#include "service/feeds_server.h"
#include "service/owner_server.h"
#include "sys/testing/child_process.h"
#include "sys/testing/temp_dir.h"
#include "sys/unix_socket.h"

namespace slipway::service {
namespace {

using feeds::ProviderState;
using testing::HasSubstr;

// Two providers of five items, of which "b" needs "a"; each waits at the gate before its third item.
class FeedsClientTest : public testing::Test {
 protected:
  FeedsClientTest() {
    for (const char* id : {"a", "b"}) {
      auto source = std::make_shared<feeds::CountingSource>();
      source->items = 5;
      source->before = [this](int number, feeds::Intake& intake) -> Result<> {
        if (number != 3 || gate_.pass(intake.stop())) return {};
        return fail(ErrorKind::kCancelled, "stopped");
      };
      sources_[id] = source;
    }
  }
  ~FeedsClientTest() override { gate_.open(); }

  Feeds feeds() {
    Feeds feeds;
    feeds.setup = {.database = database_, .providers = [this] { return registrations(); }};
    feeds.socket = socket_;
    feeds.settings = settings_;
    feeds.on_owner = [this](bool here) { (here ? here_ : there_)++; };
    return feeds;
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

  struct Owner {
    std::unique_ptr<FeedsOwner> owner;
    std::unique_ptr<FeedsServer> server;  // goes first
  };
  Owner own(std::size_t max_clients = 64) {
    Owner made;
    made.owner = FeedsOwner::open(feeds().setup).value();
    EXPECT_TRUE(made.owner->begin());
    made.server =
        FeedsServer::open(made.owner->machine(), socket_, {.settings = settings_, .max_clients = max_clients}).value();
    return made;
  }
  static feeds::ProviderRow row(const FeedsStats& stats, const std::string& id) {
    for (const auto& one : stats.providers) {
      if (one.row.id == id) return one.row;
    }
    return {};
  }
  feeds::ProviderRow saved(const std::string& id) {
    const auto store = feeds::FeedStore::open(database_, sys::system_clock()).value();
    const auto rows = store->list_providers().value();
    for (const auto& one : rows) {
      if (one.id == id) return one;
    }
    return {};
  }
  Result<FeedsStats> sync(std::vector<std::string> ids = {}, const OnStats& on_stats = {}) {
    return sync_feeds(feeds(), ids, on_stats, stop_.get_token());
  }
  Result<std::optional<FeedsStats>> tell(FeedsVerb verb, std::vector<std::string> ids) {
    return command_feeds(feeds(), verb, ids, {}, stop_.get_token());
  }
  // What an owner leaves that was ended while "a" was at work.
  void leave_running() {
    auto owner = own();
    ASSERT_TRUE(owner.owner->machine().sync({}));
    gate_.await_arrivals(1);
    owner.server.reset();
  }

  sys::TempDir folder_;
  const std::string database_ = folder_.file("feeds.db");
  const std::filesystem::path socket_ = socket_beside(database_);
  fsm::Gate gate_;
  std::map<std::string, std::shared_ptr<feeds::CountingSource>> sources_;
  Settings settings_;
  std::atomic<int> here_ = 0;
  std::atomic<int> there_ = 0;
  std::stop_source stop_;
};

TEST_F(FeedsClientTest, WithoutAnOwnerTheSyncIsDoneHere) {
  gate_.open();
  const auto stats = sync();
  ASSERT_TRUE(stats) << stats.error().describe();
  for (const char* id : {"a", "b"}) {
    EXPECT_EQ(row(*stats, id).outcome, feeds::Outcome::kCompleted);
    EXPECT_EQ(row(*stats, id).processed, 5);
  }
  EXPECT_EQ(here_, 1);
  EXPECT_EQ(there_, 0);
  EXPECT_FALSE(std::filesystem::exists(socket_));
}

TEST_F(FeedsClientTest, WithAnOwnerItIsDoneThereAndLookedAtFromHere) {
  const auto owner = own();
  std::atomic<bool> seen_running = false;
  auto syncing = std::async(std::launch::async, [&] {
    return sync({"b"}, [&](const FeedsStats& stats) {
      // "b" waits for what it needs.
      const auto& b = stats.providers.at(1);
      if (row(stats, "a").state == ProviderState::kRunning && b.wanted) seen_running = true;
    });
  });
  gate_.await_arrivals(1);
  while (!seen_running) std::this_thread::yield();
  gate_.open();
  const auto stats = syncing.get();
  ASSERT_TRUE(stats) << stats.error().describe();
  EXPECT_EQ(row(*stats, "a").outcome, feeds::Outcome::kCompleted);
  EXPECT_EQ(row(*stats, "b").outcome, feeds::Outcome::kCompleted);
  EXPECT_EQ(here_, 0);
  EXPECT_EQ(there_, 1);
}

TEST_F(FeedsClientTest, TwoClientsFollowOneSync) {
  const auto owner = own();
  std::vector<std::future<Result<FeedsStats>>> syncing;
  for (int i = 0; i < 2; ++i) syncing.push_back(std::async(std::launch::async, [this] { return sync(); }));
  gate_.await_arrivals(1);
  while (there_ < 2) std::this_thread::yield();
  gate_.open();
  for (auto& one : syncing) {
    const auto stats = one.get();
    ASSERT_TRUE(stats) << stats.error().describe();
    EXPECT_EQ(row(*stats, "b").outcome, feeds::Outcome::kCompleted);
  }
}

TEST_F(FeedsClientTest, WhenTheOwnerEndsFirstTheRestIsTakenOver) {
  auto owner = std::make_optional(own());
  auto syncing = std::async(std::launch::async, [this] { return sync(); });
  gate_.await_arrivals(1);
  owner->server.reset();
  owner.reset();
  gate_.await_arrivals(2);  // "a" again, here
  gate_.open();
  const auto stats = syncing.get();
  ASSERT_TRUE(stats) << stats.error().describe();
  EXPECT_EQ(row(*stats, "b").outcome, feeds::Outcome::kCompleted);
  EXPECT_EQ(row(*stats, "a").processed, 5);
  EXPECT_EQ(here_, 1);
}

TEST_F(FeedsClientTest, WhenTheOwnerIsKilledTheRestIsTakenOver) {
  const auto parent = ::getpid();
  sources_["a"]->before = [parent](int number, feeds::Intake&) -> Result<> {
    while (::getpid() != parent && number == 3) ::pause();
    return {};
  };
  sources_["b"]->before = {};
  sys::ChildProcess victim([this](const sys::ChildProcess::Voice& voice) {
    const auto owner = own();
    voice.say("ready");
    for (;;) ::pause();
    return 0;
  });
  ASSERT_EQ(victim.hear(), "ready");
  std::promise<void> under_way;
  std::atomic<bool> told = false;
  auto syncing = std::async(std::launch::async, [&] {
    return sync({}, [&](const FeedsStats& stats) {
      if (row(stats, "a").processed == 2 && !told.exchange(true)) under_way.set_value();
    });
  });
  under_way.get_future().get();
  victim.kill();
  const auto stats = syncing.get();
  ASSERT_TRUE(stats) << stats.error().describe();
  EXPECT_EQ(row(*stats, "a").processed, 5);
  EXPECT_EQ(row(*stats, "b").outcome, feeds::Outcome::kCompleted);
  EXPECT_EQ(sources_["a"]->runs, 1);  // of this process: it went on after the last item
}

TEST_F(FeedsClientTest, AStopHereLeavesWhatCanBeResumed) {
  auto syncing = std::async(std::launch::async, [this] { return sync(); });
  gate_.await_arrivals(1);
  stop_.request_stop();
  EXPECT_EQ(syncing.get().error().kind(), ErrorKind::kCancelled);
  EXPECT_EQ(saved("a").state, ProviderState::kRunning);
  EXPECT_EQ(saved("a").processed, 2);
  gate_.open();
  stop_ = {};
  const auto stats = sync({"a"});
  ASSERT_TRUE(stats);
  EXPECT_EQ(row(*stats, "a").processed, 5);
  EXPECT_EQ(row(*stats, "a").generation, 1);  // the same sync
}

TEST_F(FeedsClientTest, AStopLeavesTheSyncToItsOwner) {
  const auto owner = own();
  auto syncing = std::async(std::launch::async, [this] { return sync(); });
  gate_.await_arrivals(1);
  while (there_ == 0) std::this_thread::yield();
  stop_.request_stop();
  EXPECT_EQ(syncing.get().error().kind(), ErrorKind::kCancelled);
  gate_.open();
  ASSERT_TRUE(owner.owner->machine().await_rest({}));
  EXPECT_EQ(row(stats_of(owner.owner->machine()), "b").outcome, feeds::Outcome::kCompleted);
}

TEST_F(FeedsClientTest, CommandsActOnTheOwner) {
  const auto owner = own();
  const auto started = tell(FeedsVerb::kStart, {"a"});
  ASSERT_TRUE(started) << started.error().describe();
  gate_.await_arrivals(1);
  ASSERT_TRUE(tell(FeedsVerb::kPause, {"a"}));
  gate_.open();
  while (row(*ask_feeds(socket_), "a").state != ProviderState::kPaused) std::this_thread::yield();
  ASSERT_TRUE(tell(FeedsVerb::kResume, {"a"}));
  ASSERT_TRUE(owner.owner->machine().await_rest({}));
  EXPECT_EQ(row(*ask_feeds(socket_), "a").outcome, feeds::Outcome::kCompleted);
  const auto again = tell(FeedsVerb::kStop, {"a"});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind(), ErrorKind::kConflict);
  const auto unknown = tell(FeedsVerb::kStart, {"a", "zebra"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(unknown.error().hint(), HasSubstr("a, b"));
}

TEST_F(FeedsClientTest, WithoutAnOwnerPauseAndStopChangeWhatIsSaved) {
  leave_running();
  ASSERT_EQ(saved("a").state, ProviderState::kRunning);
  auto done = tell(FeedsVerb::kPause, {"a"});
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_FALSE(*done);
  EXPECT_EQ(saved("a").state, ProviderState::kPaused);
  const auto both = tell(FeedsVerb::kStop, {"a", "b"});  // "b" is idle
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(saved("a").state, ProviderState::kPaused);
  ASSERT_TRUE(tell(FeedsVerb::kStop, {"a"}));
  EXPECT_EQ(saved("a").outcome, feeds::Outcome::kStopped);
  EXPECT_EQ(tell(FeedsVerb::kStop, {"zebra"}).error().kind(), ErrorKind::kNotFound);
}

TEST_F(FeedsClientTest, WithoutAnOwnerStartAndResumeAreDoneHereToTheEnd) {
  leave_running();
  ASSERT_TRUE(tell(FeedsVerb::kPause, {"a"}));
  gate_.open();
  const auto resumed = tell(FeedsVerb::kResume, {"a"});
  ASSERT_TRUE(resumed && *resumed) << resumed.error().describe();
  EXPECT_EQ(row(**resumed, "a").outcome, feeds::Outcome::kCompleted);
  const auto started = tell(FeedsVerb::kStart, {"b"});
  ASSERT_TRUE(started && *started) << started.error().describe();
  EXPECT_EQ(row(**started, "b").outcome, feeds::Outcome::kCompleted);
}

TEST_F(FeedsClientTest, AStartHereOfWhatWasInterruptedGoesOnWithIt) {
  leave_running();
  gate_.open();
  const auto started = tell(FeedsVerb::kStart, {"a"});
  ASSERT_TRUE(started && *started) << started.error().describe();
  EXPECT_EQ(row(**started, "a").outcome, feeds::Outcome::kCompleted);
  EXPECT_EQ(row(**started, "a").instance, 1);
}

TEST_F(FeedsClientTest, AnOwnerWithOtherSettingsDoesNotSync) {
  settings_ = {{"feed_a_source", "theirs"}};
  const auto owner = own();
  settings_ = {{"feed_a_source", "ours"}};
  const auto refused = sync();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("owns the feeds has \"theirs\" as feed_a_source, not \"ours\""));
}

TEST_F(FeedsClientTest, GarbageIsAnsweredAndTheOwnerGoesOn) {
  const auto owner = own();
  for (const std::string& line :
       {std::string("hello"), std::string("{}"), std::string(R"({"protocol":1,"do":"fly","ids":[]})"),
        std::string(R"({"protocol":1,"do":"sync","ids":[1]})"), std::string(kMaxLine + 2, 'x')}) {
    sys::LineSocket client(*sys::connect_to(socket_), kMaxLine);
    [[maybe_unused]] const auto sent = client.write_line(line);
    const auto answer = client.read_line();
    if (!answer) continue;  // it hung up in the middle of a line that is too long
    EXPECT_TRUE(std::holds_alternative<Error>(*decode_feeds_answer(*answer))) << *answer;
    EXPECT_FALSE(client.read_line());
  }
  gate_.open();
  EXPECT_TRUE(sync());
}

TEST_F(FeedsClientTest, OneClientTooManyIsToldSo) {
  const auto owner = own(/*max_clients=*/1);
  const sys::LineSocket first(*sys::connect_to(socket_), kMaxLine);
  auto impatient = feeds();
  impatient.patience = std::chrono::milliseconds(1);
  const auto refused = sync_feeds(impatient, {}, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("owner of the feeds"));
  EXPECT_THAT(refused.error().message(), HasSubstr("busy with 1 clients"));
}

TEST_F(FeedsClientTest, WhereNobodyListensThereAreNoStatistics) {
  EXPECT_FALSE(ask_feeds(socket_));
  const auto silent = sys::listen_at(socket_);
  EXPECT_FALSE(ask_feeds(socket_, std::chrono::milliseconds(1)));
}

TEST_F(FeedsClientTest, ASecondOwnerIsRefusedByName) {
  const auto owner = own();
  const auto second = FeedsOwner::open(feeds().setup);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(second.error().message(), HasSubstr(std::to_string(::getpid())));
}

}  // namespace
}  // namespace slipway::service
