// Random operations against a simple model of what they mean: after each one the catalog says what the model says, and
// the consistency rules hold, whatever the order. A failure prints its seed; SLIPWAY_SEED=N repeats it.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "catalog/testing/catalog_fixture.h"

namespace slipway::catalog {
namespace {

struct ModelVolume {
  std::uint32_t device = 0;
  std::string content;
  bool verified = false;
};
struct ModelSnapshot {
  std::string image;
  std::uint32_t device = 0;
  bool active = false;
};
struct ModelImage {
  DownloadStatus download = DownloadStatus::kPending;
  bool refreshing = false;
  ActivationStatus activation = ActivationStatus::kInactive;
  std::string content;
  std::optional<ModelVolume> volume;
  std::optional<std::string> scanned;  // the content
  bool blocked = false;
};

class ModelTest : public CatalogTest {
 protected:
  void run(std::uint64_t seed, int steps);

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  std::string some_image() { return std::string(1, static_cast<char>('a' + below(4))); }
  std::string some_content() { return below(3) == 0 ? "two" : "one"; }
  std::string some_snapshot() { return fmt::format("s{}", below(5)); }
  std::uint32_t some_device() { return static_cast<std::uint32_t>(below(9) + 1); }
  DeviceFate some_fate() { return below(2) == 0 ? DeviceFate::kGone : DeviceFate::kMayRemain; }

  void step();
  void download_step(const std::string& id);
  void volume_step(const std::string& id);
  void snapshot_step(const std::string& id);
  void other_step(const std::string& id);
  void remove_image(const std::string& id);

  ModelImage* find(const std::string& id) {
    const auto at = images_.find(id);
    return at == images_.end() ? nullptr : &at->second;
  }
  bool active(const std::string& id) const {
    return std::ranges::any_of(snapshots_, [&](const auto& s) { return s.second.image == id && s.second.active; });
  }
  bool standing(const std::string& id) const {
    return std::ranges::any_of(snapshots_, [&](const auto& s) { return s.second.image == id; });
  }
  void follow(const std::string& id) {
    ModelImage& image = images_.at(id);
    if (active(id)) {
      image.activation = ActivationStatus::kActive;
    } else if (image.activation == ActivationStatus::kActive) {
      image.activation = ActivationStatus::kInactive;
    }
  }
  // Whether `thing` may have the id.
  bool hold(std::uint32_t device, const std::string& thing) {
    for (const auto& [id, owner] : reserved_) {
      if (id == device) return owner == thing;
      if (owner == thing) return false;
    }
    return true;
  }
  // What becomes of the id of something that is not known any more.
  void leave(std::uint32_t device, DeviceFate fate) {
    if (fate == DeviceFate::kGone) {
      reserved_.erase(device);
    } else {
      reserved_[device] = "to be deleted";
    }
  }
  static std::string volume_thing(const std::string& id) { return "volume " + id; }
  static std::string snapshot_thing(const std::string& id, const std::string& name) { return id + "/" + name; }

  Status expected(const std::string& id) const;
  void compare();

  std::mt19937_64 random_;
  std::map<std::string, ModelImage> images_;
  std::map<std::string, ModelSnapshot> snapshots_;
  std::map<std::uint32_t, std::string> reserved_;
};

void ModelTest::download_step(const std::string& id) {
  ModelImage* image = find(id);
  switch (below(3)) {
    case 0: {
      ASSERT_TRUE(catalog_->mark_downloading(source_of(id)));
      ModelImage& marked = images_[id];
      marked.refreshing = marked.download == DownloadStatus::kCompleted;
      if (!marked.refreshing) marked.download = DownloadStatus::kDownloading;
      return;
    }
    case 1: {
      const std::string content = some_content();
      ASSERT_TRUE(catalog_->store_image(downloaded(id, content)));
      images_[id].download = DownloadStatus::kCompleted;
      images_[id].refreshing = false;
      images_[id].content = content;
      return;
    }
    default: {
      const bool removed = below(2) == 0;
      const auto failed = catalog_->mark_download_failed(id, {.reason = "r", .file_removed = removed});
      ASSERT_EQ(failed.has_value(), image != nullptr);
      if (image == nullptr) return;
      image->refreshing = false;
      if (image->download == DownloadStatus::kCompleted && (!removed || image->volume)) return;
      image->download = DownloadStatus::kFailed;
      image->content.clear();
    }
  }
}

void ModelTest::volume_step(const std::string& id) {
  ModelImage* image = find(id);
  if (below(3) == 0) {
    const DeviceFate fate = some_fate();
    const auto gone = catalog_->delete_volume(id, fate);
    const bool there = image != nullptr && image->volume;
    ASSERT_EQ(gone.has_value(), !(there && standing(id)));
    if (!gone) return;
    ASSERT_EQ(*gone, there);
    if (!there) return;
    leave(image->volume->device, fate);
    image->volume.reset();
    return;
  }
  const ModelVolume next{.device = some_device(), .content = some_content(), .verified = below(4) != 0};
  NewVolume volume = volume_of(id, next.device, next.content);
  volume.layout_verified = next.verified;
  const bool same = image != nullptr && image->volume && image->volume->device == next.device &&
                    image->volume->content == next.content && next.verified;
  const bool allowed = image != nullptr && image->download == DownloadStatus::kCompleted && (!standing(id) || same) &&
                       hold(next.device, volume_thing(id));
  const auto stored = catalog_->store_volume(volume);
  ASSERT_EQ(stored.has_value(), allowed) << (stored ? "" : stored.error().message());
  if (!allowed) return;
  reserved_[next.device] = volume_thing(id);
  image->volume = next;
}

void ModelTest::snapshot_step(const std::string& id) {
  const std::string name = some_snapshot();
  const auto known = snapshots_.find(name);
  const int what = below(4);
  if (what == 0) {
    const bool was = known != snapshots_.end() && known->second.active;
    ASSERT_EQ(catalog_->deactivate_snapshot(name).value(), was);
    if (!was) return;
    known->second.active = false;
    return follow(known->second.image);
  }
  if (what == 1) {
    const DeviceFate fate = some_fate();
    ASSERT_EQ(catalog_->delete_snapshot(name, fate).value(), known != snapshots_.end());
    if (known == snapshots_.end()) return;
    leave(known->second.device, fate);
    const std::string owner = known->second.image;
    snapshots_.erase(known);
    return follow(owner);
  }
  ModelImage* image = find(id);
  const std::uint32_t device = some_device();
  const std::uint32_t origin = image != nullptr && image->volume && below(8) != 0 ? image->volume->device : 9;
  bool allowed = image != nullptr && image->volume && image->volume->verified && image->volume->device == origin;
  if (known != snapshots_.end()) {
    allowed = allowed && known->second.image == id && (!known->second.active || known->second.device == device);
  }
  allowed = allowed && hold(device, snapshot_thing(id, name));
  const auto stored = catalog_->register_snapshot(snapshot_of(id, origin, device, name));
  ASSERT_EQ(stored.has_value(), allowed) << (stored ? "" : stored.error().message());
  if (!allowed) return;
  reserved_[device] = snapshot_thing(id, name);
  snapshots_[name] = {.image = id, .device = device, .active = true};
  follow(id);
}

void ModelTest::remove_image(const std::string& id) {
  const DeviceFate fate = some_fate();
  const auto of_image = [&](const auto& entry) {
    return entry.second == volume_thing(id) || entry.second.starts_with(id + "/");
  };
  const bool allowed = find(id) != nullptr && !active(id);
  const auto gone = catalog_->delete_image(id, fate);
  ASSERT_EQ(gone.has_value(), allowed) << (gone ? "" : gone.error().message());
  if (!allowed) return;
  images_.erase(id);
  std::erase_if(snapshots_, [&](const auto& entry) { return entry.second.image == id; });
  std::vector<std::uint32_t> devices;
  for (const auto& entry : reserved_) {
    if (of_image(entry)) devices.push_back(entry.first);
  }
  for (const auto device : devices) leave(device, fate);
}

void ModelTest::other_step(const std::string& id) {
  ModelImage* image = find(id);
  switch (below(5)) {
    case 0: return remove_image(id);
    case 1: {
      const auto wanted = static_cast<ActivationStatus>(below(3));
      const bool allowed = image != nullptr && (wanted == ActivationStatus::kActive) == active(id);
      ASSERT_EQ(catalog_->update_activation_status(id, wanted, "r").has_value(), allowed);
      if (allowed) image->activation = wanted;
      return;
    }
    case 2: {
      const ScanVerdict verdict{
          .image_id = id, .checksum = sha256_hex(some_content()), .blocked = below(2) == 0, .engine = "e"};
      const bool allowed = image != nullptr && image->download == DownloadStatus::kCompleted;
      ASSERT_EQ(catalog_->record_scan(verdict, {}).has_value(), allowed);
      if (!allowed) return;
      image->scanned = verdict.checksum;
      image->blocked = verdict.blocked;
      return;
    }
    case 3: {
      const auto reserved = catalog_->reserve({.pool = kPool, .image_id = id, .start = {some_device()}});
      ASSERT_EQ(reserved.has_value(), image != nullptr);
      if (reserved) {
        ASSERT_TRUE(hold(reserved->device_id.value, volume_thing(id)));
        reserved_[reserved->device_id.value] = volume_thing(id);
      }
      return;
    }
    default: {
      const std::uint32_t device = some_device();
      bool held = std::ranges::any_of(snapshots_, [&](const auto& s) { return s.second.device == device; });
      for (const auto& [name, other] : images_) held = held || (other.volume && other.volume->device == device);
      const auto freed = catalog_->release_reservation(kPool, {device});
      ASSERT_EQ(freed.has_value(), !held);
      if (freed) {
        ASSERT_EQ(*freed, reserved_.erase(device) == 1);
      }
    }
  }
}

void ModelTest::step() {
  const std::string id = some_image();
  switch (below(4)) {
    case 0: return download_step(id);
    case 1: return volume_step(id);
    case 2: return snapshot_step(id);
    default: return other_step(id);
  }
}

Status ModelTest::expected(const std::string& id) const {
  const ModelImage& image = images_.at(id);
  if (image.download == DownloadStatus::kPending) return Status::kPending;
  if (image.download == DownloadStatus::kDownloading) return Status::kDownloading;
  if (image.download == DownloadStatus::kFailed) return Status::kFailed;
  const bool scanned = image.scanned == sha256_hex(image.content);
  if (scanned && image.blocked && !image.refreshing) return Status::kVulnerable;
  const bool unpacked = image.volume && image.volume->verified && image.volume->content == image.content;
  if (unpacked && active(id)) return Status::kReady;
  if (image.activation == ActivationStatus::kFailed) return Status::kFailed;
  if (unpacked) return Status::kUnpacked;
  if (image.refreshing) return Status::kDownloading;
  return scanned ? Status::kScanned : Status::kDownloaded;
}

void ModelTest::compare() {
  ASSERT_EQ(breaches(*catalog_), "");
  const auto listed = catalog_->list_status().value();
  ASSERT_EQ(listed.size(), images_.size());
  for (const auto& summary : listed) {
    const std::string& id = summary.image.image_id;
    ASSERT_EQ(to_string(summary.status), to_string(expected(id))) << id;
    ASSERT_EQ(summary.image.activation_status, images_.at(id).activation) << id;
    ASSERT_EQ(catalog_->find_volume(id).value().has_value(), images_.at(id).volume.has_value()) << id;
  }
  std::set<std::string> active_names;
  const auto active_ones = catalog_->list_active_snapshots().value();
  for (const auto& snapshot : active_ones) active_names.insert(snapshot.name);
  std::set<std::string> expected_names;
  for (const auto& [name, snapshot] : snapshots_) {
    if (snapshot.active) expected_names.insert(name);
  }
  ASSERT_EQ(active_names, expected_names);
  std::set<std::uint32_t> ids;
  const auto reservations = catalog_->list_reservations().value();
  for (const auto& reservation : reservations) ids.insert(reservation.device_id.value);
  std::set<std::uint32_t> expected_ids;
  for (const auto& [id, thing] : reserved_) expected_ids.insert(id);
  ASSERT_EQ(ids, expected_ids);
}

void ModelTest::run(std::uint64_t seed, int steps) {
  SCOPED_TRACE(fmt::format("SLIPWAY_SEED={}", seed));
  random_.seed(seed);
  for (int i = 0; i < steps && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(fmt::format("step {}", i));
    step();
    if (!HasFatalFailure()) compare();
  }
}

TEST_F(ModelTest, TheRulesHoldAfterEveryOperationOfAnySequence) {
  const char* given = std::getenv("SLIPWAY_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  run(seed, 1'500);
  // What a random walk must have met, else it shows nothing.
  EXPECT_GT(images_.size() + reserved_.size() + snapshots_.size(), 0U);
}

TEST_F(ModelTest, TheRulesHoldOnAKnownWalk) { run(20'261'116, 1'500); }

}  // namespace
}  // namespace slipway::catalog
