#include "service/perform.h"

#include <atomic>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fsm/machine.h"
#include "fsm/sqlite_run_store.h"
#include "fsm/testing/manager_harness.h"
#include "service/owner_server.h"
#include "sys/testing/child_process.h"
#include "sys/testing/temp_dir.h"
#include "sys/unix_socket.h"

namespace slipway::service {
namespace {

using testing::Contains;
using testing::HasSubstr;

// A store with one machine, "echo", whose handler waits at a gate.
class PerformTest : public testing::Test {
 protected:
  Result<std::shared_ptr<fsm::Manager>> open() {
    auto store = fsm::SqliteRunStore::open(store_path_);
    if (!store) return fail(std::move(store.error()));
    auto manager = fsm::Manager::open(std::move(*store), {.max_crash_resumes = 0});
    if (!manager) return fail(std::move(manager.error()));
    auto added = fsm::machine<std::string, std::string>("echo")
                     .start("say",
                            [this](const fsm::Text& run) -> fsm::Outcome<std::string> {
                              run.progress({1, 2, "words"});
                              if (!gate_.pass(run.stop())) return fsm::error(Error(ErrorKind::kCancelled, "stopped"));
                              return fsm::next("said " + run.request());
                            })
                     .end("done")
                     .add_to(**manager);
    if (!added) return fail(std::move(added.error()));
    if (auto resumed = (*manager)->resume(); !resumed) return fail(std::move(resumed.error()));
    return std::shared_ptr<fsm::Manager>(manager->release(), [](fsm::Manager* gone) {
      gone->shutdown(std::chrono::minutes(1));
      delete gone;
    });
  }

  Runs runs() {
    Runs runs;
    runs.open = [this] { return open(); };
    runs.socket = socket_;
    runs.on_owner = [this](bool here) { (here ? here_ : there_)++; };
    return runs;
  }

  // An owner that others can reach.
  struct Owner {
    std::shared_ptr<fsm::Manager> manager;
    std::unique_ptr<OwnerServer> server;
  };
  Owner own(std::size_t max_clients = 64) {
    Owner owner;
    owner.manager = *open();
    owner.server = *OwnerServer::open(*owner.manager, socket_, {.settings = owners_, .max_clients = max_clients});
    return owner;
  }

  // A run that took its process down, which is once too often here.
  fsm::RunVersion park() {
    sys::ChildProcess victim([this](const sys::ChildProcess::Voice& voice) {
      const auto manager = *open();
      const auto started = manager->start("echo", {"x", "hello", {}});
      gate_.await_arrivals(1);
      voice.say(started->version.to_string());
      for (;;) ::pause();
      return 0;
    });
    const auto run = fsm::RunVersion::parse(victim.hear());
    victim.kill();
    return *run;
  }

  Watching watching() {
    return {.on_started = [this](const fsm::Started& started) { started_.set_value(started.version); },
            .on_event =
                [this](const fsm::RunEvent& event) {
                  const std::scoped_lock lock(mutex_);
                  events_.push_back(std::string(fsm::to_string(event.event.kind)));
                }};
  }
  std::vector<std::string> events() {
    const std::scoped_lock lock(mutex_);
    return events_;
  }

  sys::TempDir folder_;
  const std::string store_path_ = folder_.file("runs.db");
  const std::filesystem::path socket_ = socket_beside(store_path_);
  fsm::Gate gate_;
  std::atomic<int> here_ = 0;
  std::atomic<int> there_ = 0;
  std::promise<fsm::RunVersion> started_;
  std::mutex mutex_;
  std::vector<std::string> events_;
  Settings owners_;
  const Task work_ = Work{"echo", "x", "hello", ""};
};

TEST_F(PerformTest, WithoutAnOwnerTheWorkIsDoneHere) {
  gate_.open();
  const auto result = perform(runs(), work_, watching(), {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->response, "said hello");
  EXPECT_EQ(here_, 1);
  EXPECT_EQ(there_, 0);
  EXPECT_THAT(events(), Contains("progress"));
  EXPECT_THAT(events(), Contains("finished"));
  EXPECT_FALSE(std::filesystem::exists(socket_));
}

TEST_F(PerformTest, WithAnOwnerTheWorkIsDoneThereWithTheSameEvents) {
  const Owner owner = own();
  gate_.open();
  const auto result = perform(runs(), work_, watching(), {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->response, "said hello");
  EXPECT_EQ(here_, 0);
  EXPECT_EQ(there_, 1);
  EXPECT_THAT(events(), Contains("progress"));
  EXPECT_THAT(events(), Contains("finished"));
}

TEST_F(PerformTest, WhenTheOwnerEndsFirstTheWorkIsTakenOver) {
  auto owner = std::make_optional(own());
  auto performing = std::async(std::launch::async, [&] { return perform(runs(), work_, watching(), {}); });
  const auto version = started_.get_future().get();
  gate_.await_arrivals(1);
  owner->server.reset();
  owner.reset();
  gate_.await_arrivals(2);  // its handler again, in the new owner
  gate_.open();
  const auto result = performing.get();
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->version, version);
  EXPECT_EQ(result->response, "said hello");
  EXPECT_EQ(here_, 1);
}

TEST_F(PerformTest, AStopLeavesTheWorkToItsOwner) {
  const Owner owner = own();
  std::stop_source stop;
  auto performing =
      std::async(std::launch::async, [&] { return perform(runs(), work_, watching(), stop.get_token()); });
  const auto version = started_.get_future().get();
  gate_.await_arrivals(1);
  stop.request_stop();
  EXPECT_EQ(performing.get().error().kind(), ErrorKind::kCancelled);
  gate_.open();
  EXPECT_EQ(owner.manager->wait(version)->response, "said hello");
}

TEST_F(PerformTest, AStopHereLeavesARunThatCanBeResumed) {
  std::stop_source stop;
  auto performing =
      std::async(std::launch::async, [&] { return perform(runs(), work_, watching(), stop.get_token()); });
  const auto version = started_.get_future().get();
  gate_.await_arrivals(1);
  stop.request_stop();
  EXPECT_EQ(performing.get().error().kind(), ErrorKind::kCancelled);
  gate_.open();
  EXPECT_EQ((*open())->wait(version)->response, "said hello");
}

TEST_F(PerformTest, AnOwnerThatCannotBeReachedIsNamedAtLast) {
  const auto owner = *open();  // and no server
  auto impatient = runs();
  impatient.patience = std::chrono::milliseconds(1);
  const auto result = perform(impatient, work_, {}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(result.error().message(), HasSubstr(std::to_string(::getpid())));
}

TEST_F(PerformTest, ALockFileThatIsRemovedDoesNotMakeASecondOwner) {
  const Owner owner = own();
  ASSERT_TRUE(std::filesystem::remove(store_path_ + ".lock"));
  gate_.open();
  EXPECT_EQ(perform(runs(), work_, {}, {})->response, "said hello");
  EXPECT_EQ(here_, 0);
  EXPECT_EQ(there_, 1);
}

TEST_F(PerformTest, WorkThatTheOwnerRefusesIsTheCallersError) {
  const Owner owner = own();
  const auto result = perform(runs(), Work{"no-such-machine", "x", "", ""}, {}, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("no-such-machine"));
}

TEST_F(PerformTest, AnotherRequestForAnIdThatIsUnderWayIsAConflict) {
  const Owner owner = own();
  const auto run = owner.manager->start("echo", {"x", "hello", {}});
  gate_.await_arrivals(1);
  const auto other = perform(runs(), Work{"echo", "x", "good bye", ""}, {}, {});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(other.error().hint(), HasSubstr("slipway runs cancel " + run->version.to_string()));
  gate_.open();
  EXPECT_EQ(perform(runs(), work_, {}, {})->response, "said hello");
}

TEST_F(PerformTest, ACancelReachesARunOfTheOwner) {
  const Owner owner = own();
  const auto run = owner.manager->start("echo", {"x", "hello", {}});
  gate_.await_arrivals(1);
  ASSERT_TRUE(cancel(runs(), Cancel{run->version, "not wanted"}, {}));
  EXPECT_EQ(owner.manager->wait(*run)->ending, fsm::Ending::kCancelled);
  const auto again = cancel(runs(), Cancel{run->version, "not wanted"}, {});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind(), ErrorKind::kConflict);
}

TEST_F(PerformTest, ACancelWithoutAnOwnerIsDoneHere) {
  const auto run = (*open())->start("echo", {"x", "hello", {}});
  ASSERT_TRUE(cancel(runs(), Cancel{run->version, "not wanted"}, {}));
  EXPECT_EQ((*open())->wait(*run)->ending, fsm::Ending::kCancelled);
}

TEST_F(PerformTest, AParkedRunIsTakenUpHere) {
  const auto run = park();
  gate_.open();
  const auto result = perform(runs(), Unpark{run}, {}, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->version, run);
  EXPECT_EQ(result->response, "said hello");
}

TEST_F(PerformTest, AParkedRunIsTakenUpByItsOwner) {
  const auto run = park();
  const Owner owner = own();
  gate_.open();
  EXPECT_EQ(owner.manager->wait(run).error().kind(), ErrorKind::kParked);
  const auto result = perform(runs(), Unpark{run}, {}, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->response, "said hello");
}

TEST_F(PerformTest, AnOwnerWithOtherSettingsDoesNotDoTheWork) {
  owners_ = {{"bucket", "theirs"}, {"region", "same"}};
  const Owner owner = own();
  auto other = runs();
  other.settings = {{"bucket", "ours"}, {"region", "same"}};
  const auto refused = perform(other, work_, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(refused.error().message(), HasSubstr("has \"theirs\" as bucket, not \"ours\""));
  EXPECT_THAT(*owner.manager->runs({}), testing::IsEmpty());
  gate_.open();
  other.settings = owners_;
  EXPECT_TRUE(perform(other, work_, {}, {}));
}

TEST_F(PerformTest, WorkThatIsAskedForAgainIsTakenUpWhenItIsParked) {
  const auto run = park();
  gate_.open();
  const auto result = perform(runs(), work_, {}, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->version, run);
}

TEST_F(PerformTest, GarbageIsAnsweredAndTheOwnerGoesOn) {
  const Owner owner = own();
  for (const std::string& line : {std::string("hello"), std::string("{}"), std::string(kMaxLine + 2, 'x')}) {
    sys::LineSocket client(*sys::connect_to(socket_), kMaxLine);
    [[maybe_unused]] const auto sent = client.write_line(line);  // the owner may hang up in the middle of a long one
    const auto answer = client.read_line();
    if (answer) {
      EXPECT_TRUE(std::holds_alternative<Error>(*decode_answer(*answer))) << *answer;
      EXPECT_FALSE(client.read_line());
    }
  }
  gate_.open();
  EXPECT_TRUE(perform(runs(), work_, {}, {}));
}

// A client that follows run "x", which waits at the gate.
class FullOwnerTest : public PerformTest {
 protected:
  FullOwnerTest() : owner_(own(/*max_clients=*/1)) {
    first_.emplace(*sys::connect_to(socket_), kMaxLine);
    EXPECT_TRUE(first_->write_line(*encode(Request(std::get<Work>(work_)))));
    EXPECT_TRUE(std::holds_alternative<fsm::Started>(*decode_answer(*first_->read_line())));
    gate_.await_arrivals(1);
  }
  ~FullOwnerTest() override { gate_.open(); }

  const Owner owner_;
  std::optional<sys::LineSocket> first_;
};

TEST_F(FullOwnerTest, OneClientTooManyIsToldSoAndGivesUpInTime) {
  auto impatient = runs();
  impatient.patience = std::chrono::milliseconds(1);
  const auto work = perform(impatient, Work{"echo", "y", "hello", ""}, {}, {});
  ASSERT_FALSE(work);
  EXPECT_EQ(work.error().kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(work.error().message(), HasSubstr("busy with 1 clients"));
  const auto cancelled = cancel(impatient, Cancel{fsm::RunVersion(), "not wanted"}, {});
  ASSERT_FALSE(cancelled);
  EXPECT_THAT(cancelled.error().message(), HasSubstr("busy with 1 clients"));
}

TEST_F(FullOwnerTest, AClientThatGoesMakesRoomThoughItsRunGoesOn) {
  auto patient = runs();
  patient.patience = std::chrono::minutes(10);
  auto performing =
      std::async(std::launch::async, [&] { return perform(patient, Work{"echo", "y", "hello", ""}, {}, {}); });
  first_.reset();
  gate_.await_arrivals(2);
  gate_.open();
  const auto result = performing.get();
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->response, "said hello");
}

// An owner that can be reached and says nothing, as one that was stopped by a signal.
class SilentOwnerTest : public PerformTest {
 protected:
  Runs curious() {
    auto curious = runs();
    curious.silence = std::chrono::milliseconds(1);
    curious.log = Logger([this](LogLevel level, std::string_view message, std::span<const LogField>) {
      if (level == LogLevel::kWarn) said_.set_value(std::string(message));
    });
    return curious;
  }

  const std::shared_ptr<fsm::Manager> manager_ = *open();
  const sys::Descriptor listening_ = *sys::listen_at(socket_);
  std::promise<std::string> said_;
  std::stop_source stop_;
};

TEST_F(SilentOwnerTest, WorkForItIsReportedAsWaitingAndEndsWithAStop) {
  auto performing = std::async(std::launch::async, [&] { return perform(curious(), work_, {}, stop_.get_token()); });
  EXPECT_THAT(said_.get_future().get(), HasSubstr(fmt::format("this process ({})", ::getpid())));
  stop_.request_stop();
  EXPECT_EQ(performing.get().error().kind(), ErrorKind::kCancelled);
}

TEST_F(SilentOwnerTest, ACancelEndsWithAStop) {
  auto cancelling = std::async(std::launch::async, [&] {
    return cancel(curious(), Cancel{fsm::RunVersion(), "not wanted"}, stop_.get_token());
  });
  (void)said_.get_future().get();
  stop_.request_stop();
  EXPECT_EQ(cancelling.get().error().kind(), ErrorKind::kCancelled);
}

TEST_F(PerformTest, ManyClientsAreServedAtOnce) {
  const Owner owner = own();
  std::vector<std::future<Result<fsm::RunResult>>> performing;
  for (int i = 0; i < 20; ++i) {
    performing.push_back(std::async(std::launch::async, [this, i] {
      return perform(runs(), Work{"echo", std::to_string(i), std::to_string(i), ""}, {}, {});
    }));
  }
  gate_.await_arrivals(20);
  gate_.open();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(performing[static_cast<std::size_t>(i)].get()->response, "said " + std::to_string(i));
}

}  // namespace
}  // namespace slipway::service
