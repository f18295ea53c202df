#include "sys/owner_lock.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/testing/child_process.h"
#include "sys/testing/temp_dir.h"

namespace slipway::sys {
namespace {

class OwnerLockTest : public ::testing::Test {
 protected:
  // A child that says "locked" and holds the lock until it is killed.
  ChildProcess::Body holder() {
    return [this](const ChildProcess::Voice& voice) {
      const auto lock = OwnerLock::acquire(path_, "the beginning");
      voice.say(lock ? "locked" : lock.error().message());
      for (;;) ::pause();
      return 0;
    };
  }

  // Whether another process finds it owned.
  bool owned_for_others() {
    ChildProcess other([this](const auto&) { return OwnerLock::acquire(path_, "now") ? 0 : 1; });
    return other.wait() == 1;
  }

  TempDir dir_;
  std::string path_ = dir_.file("store.lock");
};

TEST_F(OwnerLockTest, IsHeldForItsLifetime) {
  {
    const auto lock = OwnerLock::acquire(path_, "now");
    ASSERT_TRUE(lock) << lock.error().message();
    EXPECT_EQ(lock->path(), path_);
    EXPECT_TRUE(owned_for_others());
  }
  EXPECT_FALSE(owned_for_others());
}

TEST_F(OwnerLockTest, TheErrorNamesTheOwner) {
  ChildProcess owner(holder());
  ASSERT_EQ(owner.hear(), "locked");
  const auto lock = OwnerLock::acquire(path_, "now");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().kind(), ErrorKind::kConflict);
  const std::string& message = lock.error().message();
  EXPECT_NE(message.find(fmt::format("{} is owned by process {} (", path_, owner.pid())), std::string::npos) << message;
  EXPECT_NE(message.find(" on host "), std::string::npos) << message;
  EXPECT_TRUE(message.ends_with(" since the beginning")) << message;
  EXPECT_FALSE(lock.error().hint().empty());
}

TEST_F(OwnerLockTest, AnUnreadableTextLeavesThePidOfTheKernel) {
  ChildProcess owner(holder());
  ASSERT_EQ(owner.hear(), "locked");
  for (const std::string text : {"", "rubbish\n", "process 1 (init) on host h since ever\n"}) {
    std::ofstream(path_) << text;
    const auto lock = OwnerLock::acquire(path_, "now");
    ASSERT_FALSE(lock);
    EXPECT_EQ(lock.error().message(), fmt::format("{} is owned by process {}", path_, owner.pid()));
  }
}

TEST_F(OwnerLockTest, AKilledOwnerIsNotInTheWay) {
  ChildProcess owner(holder());
  ASSERT_EQ(owner.hear(), "locked");
  owner.kill();
  EXPECT_TRUE(OwnerLock::acquire(path_, "now"));
}

TEST_F(OwnerLockTest, AGrandchildThatSurvivesDoesNotKeepIt) {
  pid_t grandchild = -1;
  ChildProcess owner([&](const ChildProcess::Voice& voice) {
    const auto lock = OwnerLock::acquire(path_, "now");
    if (!lock) return 1;
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) ::pause();
    }
    voice.say(std::to_string(child));
    for (;;) ::pause();
    return 0;
  });
  grandchild = std::stoi(owner.hear());
  ASSERT_TRUE(owned_for_others());
  owner.kill();
  EXPECT_EQ(::kill(grandchild, 0), 0) << "it must have survived for the test to mean anything";
  EXPECT_TRUE(OwnerLock::acquire(path_, "now"));
  ::kill(grandchild, SIGKILL);
}

TEST_F(OwnerLockTest, ASecondOneInTheSameProcessIsRefusedAndTheFirstStays) {
  const auto first = OwnerLock::acquire(path_, "now");
  ASSERT_TRUE(first);
  std::filesystem::create_symlink(path_, dir_.file("symlink"));
  std::filesystem::create_hard_link(path_, dir_.file("hardlink"));
  for (const auto& path : {path_, dir_.path() + "/./store.lock", dir_.file("symlink"), dir_.file("hardlink")}) {
    const auto second = OwnerLock::acquire(path, "now");
    ASSERT_FALSE(second) << path;
    EXPECT_EQ(second.error().kind(), ErrorKind::kConflict);
    EXPECT_NE(second.error().message().find("this process"), std::string::npos);
  }
  EXPECT_TRUE(owned_for_others());
}

// A file that is owned, beside its lock file.
class GuardTest : public OwnerLockTest {
 protected:
  GuardTest() { std::ofstream(owned_) << "x"; }

  Result<OwnerLock> acquire_guarded() {
    auto lock = OwnerLock::acquire(path_, "now");
    if (!lock) return lock;
    if (auto guarded = lock->guard(owned_); !guarded) return fail(guarded.error());
    return lock;
  }

  std::string owned_ = dir_.file("store");
};

TEST_F(GuardTest, ALockFileThatIsRemovedDoesNotLetASecondOwnerIn) {
  ChildProcess owner([this](const ChildProcess::Voice& voice) {
    const auto lock = acquire_guarded();
    voice.say(lock ? "locked" : lock.error().message());
    for (;;) ::pause();
    return 0;
  });
  ASSERT_EQ(owner.hear(), "locked");
  std::filesystem::remove(path_);
  const auto second = acquire_guarded();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind(), ErrorKind::kConflict);
  EXPECT_NE(second.error().message().find(fmt::format("process {}", owner.pid())), std::string::npos)
      << second.error().message();
  owner.kill();
  EXPECT_TRUE(acquire_guarded());
}

TEST_F(GuardTest, AChildWithACopyDoesNotKeepWhatIsReleased) {
  auto lock = std::make_optional(acquire_guarded());
  ASSERT_TRUE(*lock);
  const ChildProcess child([](const ChildProcess::Voice&) {
    for (;;) ::pause();
    return 0;
  });
  lock.reset();
  EXPECT_TRUE(acquire_guarded());
}

TEST_F(GuardTest, IsMovedAndReleasedWithItsLock) {
  auto first = acquire_guarded();
  ASSERT_TRUE(first);
  {
    const OwnerLock moved = std::move(*first);
    std::filesystem::remove(path_);
    EXPECT_FALSE(acquire_guarded());
  }
  EXPECT_TRUE(acquire_guarded());
}

TEST_F(OwnerLockTest, CanBeTakenAgainAfterItsRelease) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(OwnerLock::acquire(path_, "now"));
}

TEST_F(OwnerLockTest, OnlyOneOfManyThreadsGetsIt) {
  std::atomic<int> got = 0;
  std::atomic<int> finished = 0;
  constexpr int kThreads = 8;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        const auto lock = OwnerLock::acquire(path_, "now");
        got += lock ? 1 : 0;
        ++finished;
        while (finished < kThreads) std::this_thread::yield();
      });
    }
  }
  EXPECT_EQ(got, 1);
}

TEST_F(OwnerLockTest, MovesWithItsLock) {
  auto first = OwnerLock::acquire(path_, "now");
  ASSERT_TRUE(first);
  {
    OwnerLock second(std::move(*first));
    auto other = OwnerLock::acquire(dir_.file("other.lock"), "now");
    ASSERT_TRUE(other);
    *other = std::move(second);
    EXPECT_TRUE(owned_for_others());
    EXPECT_TRUE(OwnerLock::acquire(dir_.file("other.lock"), "now"));
  }
  EXPECT_FALSE(owned_for_others());
}

TEST_F(OwnerLockTest, AForkedChildOwnsNothing) {
  const auto lock = OwnerLock::acquire(path_, "now");
  ASSERT_TRUE(lock);
  ChildProcess child([&](const ChildProcess::Voice& voice) {
    voice.say(OwnerLock::acquire(path_, "now").error().message());
    return 0;
  });
  const std::string message = child.hear();
  EXPECT_NE(message.find(fmt::format("process {} (", ::getpid())), std::string::npos) << message;
}

TEST_F(OwnerLockTest, AMissingDirectoryIsNotFound) {
  const auto lock = OwnerLock::acquire(dir_.file("missing/store.lock"), "now");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace slipway::sys
