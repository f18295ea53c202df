#include "volumes/testing/pool_contract.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "sys/descriptor.h"

namespace slipway::volumes {

using testing::ElementsAre;
using testing::IsEmpty;

void PrintTo(const PoolFactory& factory, std::ostream* out) { *out << factory.name; }

PoolFactory pool_contract(std::string name, std::function<std::unique_ptr<PoolHarness>()> make) {
  return {std::move(name), std::move(make)};
}

void PoolContract::SetUp() {
  harness_ = GetParam().make();
  if (const std::string why = harness_->hindrance(); !why.empty()) GTEST_SKIP() << why;
  reopen();
}

void PoolContract::TearDown() {
  if (!pool_) return;
  const auto left = pool_->list();
  if (!left) return;
  for (const auto& device : *left) {
    EXPECT_TRUE(pool_->remove({device.id, device.name, 0})) << device.id.value;
  }
}

void PoolContract::reopen() {
  pool_.reset();
  auto opened = harness_->open();
  ASSERT_TRUE(opened) << opened.error().describe();
  pool_ = std::move(*opened);
}

std::string PoolContract::make(const DeviceSpec& volume) {
  const auto made = pool().create(volume);
  EXPECT_TRUE(made) << made.error().describe();
  const auto path = pool().activate(volume);
  EXPECT_TRUE(path) << path.error().describe();
  return path.value_or("");
}

void PoolContract::write(const std::string& path, std::uint64_t offset, const std::string& text) {
  const sys::Descriptor fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(fd) << path;
  ASSERT_EQ(::pwrite(fd.get(), text.data(), text.size(), static_cast<off_t>(offset)),
            static_cast<ssize_t>(text.size()));
  ASSERT_EQ(::fsync(fd.get()), 0);
}

std::string PoolContract::read(const std::string& path, std::uint64_t offset, std::size_t length) {
  const sys::Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(fd) << path;
  std::string text(length, '?');
  EXPECT_EQ(::pread(fd.get(), text.data(), length, static_cast<off_t>(offset)), static_cast<ssize_t>(length));
  return text;
}

ErrorKind PoolContract::kind_of(const Result<>& result) {
  EXPECT_FALSE(result);
  return result ? ErrorKind::kInternal : result.error().kind();
}

namespace {

std::vector<std::uint32_t> ids(Pool& pool) {
  std::vector<std::uint32_t> out;
  const auto devices = pool.list();
  EXPECT_TRUE(devices);
  for (const auto& device : *devices) out.push_back(device.id.value);
  return out;
}

}  // namespace

TEST_P(PoolContract, ANewPoolIsEmpty) {
  EXPECT_THAT(ids(pool()), IsEmpty());
  EXPECT_FALSE(*pool().find({7}));
  EXPECT_THAT(*pool().leftovers(), IsEmpty());
  const auto status = pool().status();
  ASSERT_TRUE(status);
  EXPECT_EQ(status->name, pool().name());
  EXPECT_GT(status->data.total, 0);
  EXPECT_GT(status->data.free(), 0);
  EXPECT_THAT(status->problems, IsEmpty());
}

TEST_P(PoolContract, AVolumeIsMadeInactiveAndReadsAsZeros) {
  const auto volume = spec(7, "thin-7");
  ASSERT_TRUE(pool().create(volume));
  ASSERT_TRUE(*pool().find({7}));
  EXPECT_FALSE((*pool().find({7}))->active());
  const auto path = pool().activate(volume);
  ASSERT_TRUE(path) << path.error().describe();
  EXPECT_EQ(read(*path, 0, 4096), std::string(4096, '\0'));
  EXPECT_EQ(read(*path, kSize - 4096, 4096), std::string(4096, '\0'));
  const auto now = *pool().find({7});
  ASSERT_TRUE(now);
  EXPECT_EQ(now->path, *path);
  EXPECT_EQ(now->name, "thin-7");
  EXPECT_EQ(now->size, kSize);
}

TEST_P(PoolContract, WhatIsWrittenIsThereAfterDeactivationAndReopening) {
  const auto volume = spec(7, "thin-7");
  write(make(volume), 4096, "hello");
  ASSERT_TRUE(pool().deactivate(volume));
  EXPECT_FALSE((*pool().find({7}))->active());
  reopen();
  EXPECT_THAT(ids(pool()), ElementsAre(7));
  EXPECT_EQ(read(pool().activate(volume).value(), 4096, 5), "hello");
}

TEST_P(PoolContract, ATakenIdIsRefusedAndNothingChanges) {
  const auto volume = spec(7, "thin-7");
  const auto path = make(volume);
  write(path, 0, "mine");
  EXPECT_EQ(kind_of(pool().create(spec(7, "another"))), ErrorKind::kAlreadyExists);
  ASSERT_TRUE(pool().create(spec(8, "thin-8")));
  EXPECT_EQ(kind_of(pool().snapshot(spec(7, "snap"), spec(8, "thin-8"))), ErrorKind::kAlreadyExists);
  EXPECT_EQ(read(path, 0, 4), "mine");
  EXPECT_THAT(ids(pool()), ElementsAre(7, 8));
  EXPECT_THAT(*pool().leftovers(), IsEmpty());
}

TEST_P(PoolContract, ASnapshotIsACopyFromThenOn) {
  const auto volume = spec(7, "thin-7");
  const auto snap = spec(9, "snap-a");
  const auto origin = make(volume);
  write(origin, 8192, "before");
  ASSERT_TRUE(pool().deactivate(volume));
  const auto made = pool().snapshot(snap, volume);
  ASSERT_TRUE(made) << made.error().describe();
  EXPECT_FALSE((*pool().find({9}))->active());
  const auto path = pool().activate(snap).value();
  EXPECT_EQ(read(path, 8192, 6), "before");
  write(path, 8192, "after!");
  write(pool().activate(volume).value(), 0, "origin");
  EXPECT_EQ(read(origin, 8192, 6), "before");
  EXPECT_EQ(read(path, 0, 6), std::string(6, '\0'));
  EXPECT_EQ((*pool().find({9}))->size, kSize);
}

TEST_P(PoolContract, ASnapshotOfAnActiveOriginHasWhatWasWrittenToIt) {
  const auto volume = spec(7, "thin-7");
  const auto origin = make(volume);
  write(origin, 0, "active");
  ASSERT_TRUE(pool().snapshot(spec(9, "snap-a"), volume));
  EXPECT_EQ(read(pool().activate(spec(9, "snap-a")).value(), 0, 6), "active");
  write(origin, 0, "on it");  // it goes on being writable
}

TEST_P(PoolContract, ASnapshotKnowsItsOriginOrSaysNothing) {
  const auto volume = spec(7, "thin-7");
  ASSERT_TRUE(pool().create(volume));
  ASSERT_TRUE(pool().snapshot(spec(9, "snap-a"), volume));
  ASSERT_TRUE(pool().activate(spec(9, "snap-a")));
  const auto origin = (*pool().find({9}))->origin;
  if (origin) {
    EXPECT_EQ(*origin, DeviceId{7});
  }
  EXPECT_FALSE((*pool().find({7}))->origin);
}

TEST_P(PoolContract, WithoutAnOriginThereIsNoSnapshot) {
  EXPECT_EQ(kind_of(pool().snapshot(spec(9, "snap-a"), spec(7, "thin-7"))), ErrorKind::kNotFound);
  EXPECT_THAT(ids(pool()), IsEmpty());
  EXPECT_THAT(*pool().leftovers(), IsEmpty());
}

TEST_P(PoolContract, SeveralSnapshotsAndSnapshotsOfSnapshots) {
  const auto volume = spec(7, "thin-7");
  write(make(volume), 0, "v");
  for (std::uint32_t id = 20; id < 25; ++id) ASSERT_TRUE(pool().snapshot(spec(id, fmt::format("s{}", id)), volume));
  const auto first = pool().activate(spec(20, "s20")).value();
  write(first, 0, "s");
  ASSERT_TRUE(pool().snapshot(spec(30, "of-s20"), spec(20, "s20")));
  EXPECT_EQ(read(pool().activate(spec(30, "of-s20")).value(), 0, 1), "s");
  EXPECT_EQ(read(pool().activate(spec(21, "s21")).value(), 0, 1), "v");
  EXPECT_THAT(ids(pool()), ElementsAre(7, 20, 21, 22, 23, 24, 30));
}

TEST_P(PoolContract, TheOriginMayGoBeforeItsSnapshots) {
  const auto volume = spec(7, "thin-7");
  write(make(volume), 0, "kept");
  ASSERT_TRUE(pool().snapshot(spec(9, "snap-a"), volume));
  ASSERT_TRUE(pool().remove(volume));
  EXPECT_THAT(ids(pool()), ElementsAre(9));
  EXPECT_EQ(read(pool().activate(spec(9, "snap-a")).value(), 0, 4), "kept");
}

TEST_P(PoolContract, ActivatingTwiceIsNoEffectAndAnotherNameIsRefused) {
  const auto volume = spec(7, "thin-7");
  const auto path = make(volume);
  EXPECT_EQ(pool().activate(volume).value(), path);
  EXPECT_EQ(pool().activate(spec(7, "other")).error().kind(), ErrorKind::kConflict);
  ASSERT_TRUE(pool().create(spec(8, "thin-8")));
  EXPECT_EQ(pool().activate(spec(8, "thin-7")).error().kind(), ErrorKind::kConflict);
  EXPECT_FALSE((*pool().find({8}))->active());
  EXPECT_EQ(pool().activate(spec(11, "none")).error().kind(), ErrorKind::kNotFound);
}

TEST_P(PoolContract, TheActiveOnesCanBeListedAlone) {
  EXPECT_THAT(*pool().list_active(), IsEmpty());
  const auto path = make(spec(9, "thin-9"));
  const auto other = make(spec(7, "thin-7"));
  ASSERT_TRUE(pool().create(spec(8, "thin-8")));
  const auto active = pool().list_active();
  ASSERT_TRUE(active);
  ASSERT_EQ(active->size(), 2);
  EXPECT_EQ(active->front().id.value, 7);
  EXPECT_EQ(active->front().path, other);
  EXPECT_EQ(active->back().name, "thin-9");
  EXPECT_EQ(active->back().path, path);
}

TEST_P(PoolContract, DeactivatingTwiceIsNoEffect) {
  const auto volume = spec(7, "thin-7");
  make(volume);
  EXPECT_EQ(kind_of(pool().deactivate(spec(7, "other"))), ErrorKind::kConflict);
  EXPECT_TRUE((*pool().find({7}))->active());
  ASSERT_TRUE(pool().deactivate(volume));
  EXPECT_TRUE(pool().deactivate(volume));
  EXPECT_TRUE(pool().deactivate(spec(11, "none")));
  EXPECT_TRUE(*pool().find({7}));
}

TEST_P(PoolContract, RemovingTakesItAwayActiveOrNotAndTwiceIsNoEffect) {
  const auto volume = spec(7, "thin-7");
  make(volume);
  ASSERT_TRUE(pool().remove(volume));
  EXPECT_TRUE(pool().remove(volume));
  EXPECT_FALSE(*pool().find({7}));
  ASSERT_TRUE(pool().create(spec(8, "thin-8")));
  ASSERT_TRUE(pool().remove(spec(8, "thin-8")));
  EXPECT_THAT(ids(pool()), IsEmpty());
  // The id is free, and what comes there has nothing of the old.
  write(make(volume), 0, "x");
  ASSERT_TRUE(pool().remove(volume));
  EXPECT_EQ(read(make(volume), 0, 1), std::string(1, '\0'));
}

TEST_P(PoolContract, NamesThatCannotBeAreRefused) {
  const std::vector<std::string> bad{"", ".hidden", "a/b", "a b", "a\nb", std::string(128, 'a')};
  for (const auto& name : bad) {
    EXPECT_EQ(kind_of(pool().create(spec(7, name))), ErrorKind::kInvalid) << name;
  }
  EXPECT_THAT(ids(pool()), IsEmpty());
}

TEST_P(PoolContract, ManyAtOnce) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint32_t kEach = 5;
  std::vector<std::jthread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint32_t i = 0; i < kEach; ++i) {
        const std::uint32_t id = 100 + thread * 100 + i * 2;
        const auto volume = spec(id, fmt::format("v{}", id));
        const auto snap = spec(id + 1, fmt::format("s{}", id));
        EXPECT_TRUE(pool().create(volume));
        EXPECT_TRUE(pool().activate(volume));
        const auto made = pool().snapshot(snap, volume);
        EXPECT_TRUE(made) << made.error().describe();
        EXPECT_TRUE(pool().activate(snap));
        EXPECT_TRUE(pool().remove(volume));
      }
    });
  }
  threads.clear();
  EXPECT_EQ(ids(pool()).size(), kThreads * kEach);
  const auto left = pool().list().value();
  for (const auto& device : left) EXPECT_TRUE(device.active());
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PoolContract);

}  // namespace slipway::volumes
