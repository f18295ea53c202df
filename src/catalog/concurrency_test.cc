// Four processes of ten threads each work on one catalog.
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/testing/catalog_fixture.h"
#include "sys/testing/child_process.h"

namespace slipway::catalog {
namespace {

constexpr int kProcesses = 4;
constexpr int kThreads = 10;
constexpr int kRounds = 3;
constexpr int kShared = 6;  // images that all work on

// One thread's work. Whatever fails is said to the parent; the only failure that belongs to it is a lock of another's.
class Worker {
 public:
  Worker(Catalog& catalog, std::string name) : catalog_(catalog), name_(std::move(name)) {}

  void run() {
    for (int round = 0; round < kRounds; ++round) {
      make_own(round);
      count_up(fmt::format("shared-{}", (round + static_cast<int>(name_.size()) + name_.back()) % kShared));
      need(catalog_.list_status(Status::kReady, {.limit = 20}));
    }
  }
  const std::string& errors() const { return errors_; }

 private:
  template <class T>
  T need(Result<T> result) {
    if (!result) {
      errors_ += fmt::format("{}: {} {}; ", name_, to_string(result.error().kind()), result.error().message());
      if constexpr (!std::is_void_v<T>) return T{};
    }
    if constexpr (!std::is_void_v<T>) return std::move(*result);
  }

  // An image of its own, through all its stages.
  void make_own(int round) {
    const std::string id = fmt::format("{}-{}", name_, round);
    need(catalog_.mark_downloading(source_of(id)));
    need(catalog_.store_image(downloaded(id)));
    const auto volume = need(catalog_.reserve({.pool = kPool, .image_id = id, .start = {1'000}}));
    need(catalog_.store_volume(volume_of(id, volume.device_id.value)));
    const auto snapshot = need(catalog_.reserve({.pool = kPool,
                                                 .purpose = Purpose::kSnapshot,
                                                 .image_id = id,
                                                 .snapshot_name = "snap-" + id,
                                                 .start = {1'000}}));
    need(catalog_.register_snapshot(snapshot_of(id, volume.device_id.value, snapshot.device_id.value, "snap-" + id)));
    if (round % 2 == 1) need(catalog_.deactivate_snapshot("snap-" + id));
  }

  // Reads a number, and writes the next one, under the image's lock: without it, updates would be lost.
  void count_up(const std::string& id) {
    for (;;) {
      const auto locked = catalog_.acquire_lock(id, name_);
      if (locked) break;
      if (locked.error().kind() != ErrorKind::kConflict) return need(locked);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    DownloadedImage next = downloaded(id);
    next.size_bytes = need(catalog_.get_image(id)).size_bytes + 1;
    need(catalog_.store_image(next));
    need(catalog_.release_lock(id, name_));
  }

  Catalog& catalog_;
  std::string name_;
  std::string errors_;
};

int hammer(const std::string& path, int process, const sys::ChildProcess::Voice& voice) {
  auto catalog = Catalog::open(path, sys::system_clock());
  if (!catalog) {
    voice.say(catalog.error().message());
    return 1;
  }
  std::mutex mutex;
  std::string errors;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        Worker worker(**catalog, fmt::format("p{}t{}", process, thread));
        worker.run();
        const std::scoped_lock lock(mutex);
        errors += worker.errors();
      });
    }
  }
  if (!errors.empty()) voice.say(errors);
  return errors.empty() ? 0 : 1;
}

TEST(CatalogConcurrencyTest, NoUpdateIsLostNoLockFailsAndTheRulesHold) {
  const sys::TempDir dir;
  const std::string path = dir.file("catalog.db");
  {
    auto catalog = Catalog::open(path, sys::system_clock()).value();
    for (int i = 0; i < kShared; ++i) {
      DownloadedImage image = downloaded(fmt::format("shared-{}", i));
      image.size_bytes = 0;
      ASSERT_TRUE(catalog->store_image(image));
    }
  }  // closed: no connection is carried over a fork
  {
    std::vector<std::unique_ptr<sys::ChildProcess>> children;
    for (int process = 0; process < kProcesses; ++process) {
      children.push_back(std::make_unique<sys::ChildProcess>(
          [&, process](const auto& voice) { return hammer(path, process, voice); }));
    }
    for (auto& child : children) {
      EXPECT_EQ(child->hear(), "");
      EXPECT_EQ(child->wait(), 0);
    }
  }
  auto catalog = Catalog::open(path, sys::system_clock()).value();
  constexpr auto kMade = static_cast<std::size_t>(kProcesses * kThreads * kRounds);
  std::uint64_t counted = 0;
  for (int i = 0; i < kShared; ++i) counted += catalog->get_image(fmt::format("shared-{}", i))->size_bytes;
  EXPECT_EQ(counted, kMade);
  EXPECT_TRUE(catalog->list_locks()->empty());
  std::set<std::uint32_t> ids;
  const auto reservations = catalog->list_reservations().value();
  for (const auto& reservation : reservations) ids.insert(reservation.device_id.value);
  ASSERT_EQ(ids.size(), 2 * kMade);
  EXPECT_EQ(*ids.begin(), 1'000U);  // the first free one each time: there is no gap
  EXPECT_EQ(*ids.rbegin(), 1'000U + 2 * kMade - 1);
  EXPECT_EQ(catalog->list_status(Status::kReady)->size(), kMade / kRounds * 2);
  EXPECT_EQ(catalog->list_status(Status::kUnpacked)->size(), kMade / kRounds);
  EXPECT_EQ(breaches(*catalog), "");
}

}  // namespace
}  // namespace slipway::catalog
