#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/schema.h"
#include "catalog/testing/catalog_fixture.h"
#include "catalog/testing/old_catalogs.h"
#include "sys/fault.h"
#include "sys/testing/child_process.h"

namespace slipway::catalog {
namespace {

// Everything that defines a database, as text.
std::string schema_of(const std::string& path) {
  auto db = store::Database::open({.path = path}).value();
  auto rows = db.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name").value();
  std::string all;
  while (rows.step().value()) {
    for (const char c : rows.text(0)) {
      if (!std::isspace(static_cast<unsigned char>(c))) all += c;
    }
    all += '\n';
  }
  return all;
}

std::int64_t ask(const std::string& path, std::string_view sql) {
  auto db = store::Database::open({.path = path}).value();
  auto rows = db.prepare(sql).value();
  EXPECT_TRUE(rows.step().value());
  return rows.int64(0);
}

// That nothing of version 1's rows was lost or changed.
void expect_rows_of_version_1(Catalog& catalog) {
  const Image ready = catalog.get_image("ready").value();
  EXPECT_EQ(ready.row, 1);
  EXPECT_EQ(ready.bucket, "");
  EXPECT_EQ(ready.key, "images/ready.tar");
  EXPECT_EQ(ready.local_path, "/images/ready.tar");
  EXPECT_EQ(ready.checksum, sha256_hex("one"));
  EXPECT_EQ(ready.download_status, DownloadStatus::kCompleted);
  EXPECT_EQ(ready.activation_status, ActivationStatus::kActive);
  EXPECT_EQ(ready.created_at, from_micros(11));
  EXPECT_EQ(ready.activated_at, from_micros(13));
  EXPECT_FALSE(ready.verified_file.has_value());
  EXPECT_EQ(catalog.list_images()->size(), 3U);
  const Volume volume = catalog.find_unpacked("ready").value().value();
  EXPECT_EQ(volume.device_id, DeviceId{7});
  EXPECT_EQ(volume.device_name, "thin-ready");
  EXPECT_EQ(volume.file_count, 10U);
  EXPECT_EQ(volume.unpacked_at, from_micros(32));
  const auto snapshots = catalog.snapshots_of("ready").value();
  ASSERT_EQ(snapshots.size(), 2U);
  EXPECT_EQ(snapshots[0].name, "old-ready");
  EXPECT_EQ(snapshots[0].deactivated_at, from_micros(62));
  EXPECT_EQ(snapshots[1].snapshot_id, DeviceId{8});
  EXPECT_EQ(snapshots[1].origin, DeviceId{7});
  EXPECT_TRUE(snapshots[1].active);
  EXPECT_EQ(catalog.image_status("ready").value().value().status, Status::kReady);
  const auto ids = catalog.list_reservations().value();
  EXPECT_EQ(std::ranges::count(ids, IdState::kMade, &Reservation::state), 3);
  EXPECT_EQ(breaches(catalog), "");
}

class MigrationTest : public ::testing::TestWithParam<int> {
 protected:
  sys::TempDir dir_;
  std::string path_ = dir_.file("catalog.db");
  sys::ManualClock clock_;
};

TEST_P(MigrationTest, BringsAnOlderCatalogUpToDateWithAllItsRows) {
  make_old_catalog(path_, GetParam());
  auto catalog = Catalog::open(path_, clock_);
  ASSERT_TRUE(catalog) << catalog.error().message();
  if (GetParam() >= 1) expect_rows_of_version_1(**catalog);
  if (GetParam() >= 2) {
    EXPECT_EQ((*catalog)->find_lock("new").value().value().holder, "run-1");
    EXPECT_EQ((*catalog)->find_lock("new").value().value().since, from_micros(1'600'000'000'000'000));
  }
  if (GetParam() >= 3) {
    EXPECT_EQ(ask(path_, "SELECT count(*) FROM id_reservations WHERE device_id = 77 AND state = 'reserved'"), 1);
  }
  if (GetParam() >= 4) {
    const auto scan = (*catalog)->find_scan("ready").value().value();
    EXPECT_TRUE(scan.has_high);
    EXPECT_TRUE(scan.complete);
    EXPECT_EQ(scan.warnings, "[]");
    EXPECT_EQ((*catalog)->findings("ready").value().at(0).vulnerability, "CVE-1");
    EXPECT_EQ(scan.findings_digest, "") << "nobody has counted them";
    const auto package = (*catalog)->findings("ready").value().at(0).package;
    EXPECT_EQ(scan.allowed, GetParam() < 5 ? "[]" : fmt::format(R"([["CVE-1","{}"]])", package));
  }
  EXPECT_EQ(ask(path_, "SELECT count(*) FROM schema_migrations"), 6);
  EXPECT_EQ(ask(path_, "SELECT applied_at FROM schema_migrations WHERE version = 6"), to_micros(clock_.now()));
  EXPECT_EQ(ask(path_, "SELECT count(*) FROM schema_migrations WHERE applied_at = 1600000000000000"), GetParam());
}

TEST_P(MigrationTest, EndsWithTheSameTablesAsANewCatalog) {
  make_old_catalog(path_, GetParam());
  ASSERT_TRUE(Catalog::open(path_, clock_));
  const std::string fresh = dir_.file("fresh.db");
  ASSERT_TRUE(Catalog::open(fresh, clock_));
  EXPECT_EQ(schema_of(path_), schema_of(fresh));
}

TEST_P(MigrationTest, TwoProcessesAtOnceBothSucceed) {
  make_old_catalog(path_, GetParam());
  const auto open_it = [&](const sys::ChildProcess::Voice& voice) {
    voice.say("ready");
    const auto catalog = Catalog::open(path_, sys::system_clock());
    if (!catalog) voice.say(catalog.error().message());
    return catalog && breaches(**catalog).empty() ? 0 : 1;
  };
  sys::ChildProcess one(open_it);
  sys::ChildProcess two(open_it);
  sys::ChildProcess three(open_it);
  for (auto* child : {&one, &two, &three}) {
    EXPECT_EQ(child->hear(), "ready");
    EXPECT_EQ(child->hear(), "");
    EXPECT_EQ(child->wait(), 0);
  }
  EXPECT_EQ(ask(path_, "SELECT count(*) FROM schema_migrations"), 6);
}

// Kills the migration at its Nth write or sync, for every N there is.
TEST_P(MigrationTest, KilledAtAnyWriteItGoesOnWhereItWas) {
  for (const char* point : {"store.write", "store.sync", "store.sync.after"}) {
    int skip = 0;
    for (; skip < 500; skip += point == std::string_view("store.write") ? 7 : 1) {
      const std::string path = dir_.file(fmt::format("{}-{}.db", point, skip));
      make_old_catalog(path, GetParam());
      sys::ChildProcess child([&](const auto&) {
        const fault::Scope kill(point, {.skip = skip, .action = fault::Action::kKill});
        return Catalog::open(path, sys::system_clock()) ? 0 : 1;
      });
      const int status = child.wait();
      const auto version = ask(path, "PRAGMA user_version");
      EXPECT_GE(version, GetParam());
      if (version > 0) {
        EXPECT_EQ(ask(path, "SELECT count(*) FROM schema_migrations"), version);
      }
      auto catalog = Catalog::open(path, clock_);
      ASSERT_TRUE(catalog) << point << " " << skip << ": " << catalog.error().message();
      if (GetParam() >= 1) expect_rows_of_version_1(**catalog);
      EXPECT_EQ(breaches(**catalog), "");
      catalog->reset();
      std::filesystem::remove(path);
      if (status == 0) break;
      ASSERT_EQ(status, 128 + SIGKILL);
    }
    EXPECT_GT(skip, 0) << point << " was never reached";
  }
}

TEST_P(MigrationTest, OnAFullDiskLeavesTheRowsAndWorksWhenThereIsRoom) {
  make_old_catalog(path_, GetParam());
  int failures = 0;
  for (int skip = 0; skip < 500; skip += 4) {
    const fault::Scope full(
        "store.write", {.skip = skip, .times = -1, .error = Error(ErrorKind::kNoSpace, "no space left on device")});
    const auto catalog = Catalog::open(path_, clock_);
    if (catalog) break;
    EXPECT_EQ(catalog.error().kind(), ErrorKind::kNoSpace) << catalog.error().message();
    EXPECT_NE(catalog.error().message().find(path_), std::string::npos);
    ++failures;
  }
  EXPECT_GT(failures, 0);
  auto catalog = Catalog::open(path_, clock_);
  ASSERT_TRUE(catalog) << catalog.error().message();
  if (GetParam() >= 1) expect_rows_of_version_1(**catalog);
}

INSTANTIATE_TEST_SUITE_P(FromVersion, MigrationTest, ::testing::Values(0, 1, 2, 3, 4, 5));

class OldRowsTest : public MigrationTest {
 protected:
  void SetUp() override {
    make_old_catalog(path_, 2);
    catalog_ = std::move(Catalog::open(path_, clock_).value());
  }
  void TearDown() override { EXPECT_EQ(breaches(*catalog_), ""); }

  std::unique_ptr<Catalog> catalog_;
};

TEST_F(OldRowsTest, GetTheirBucketWithTheNextDownload) {
  ImageSource source{.image_id = "new", .bucket = kBucket, .key = "images/same.tar"};
  EXPECT_EQ(catalog_->mark_downloading(source)->bucket, kBucket);
  source.image_id = "twin";
  EXPECT_FAILS(catalog_->mark_downloading(source), ErrorKind::kConflict, "is image new already, not twin");
}

TEST_F(OldRowsTest, GetTheirPoolWhenItIsKnown) {
  // Until then their ids are given out in no pool.
  ASSERT_EQ(catalog_->reserve({.pool = "p", .image_id = "new", .start = {7}})->device_id, DeviceId{10});
  EXPECT_EQ(catalog_->adopt_pool("p").value(), 1U);
  EXPECT_EQ(catalog_->find_volume_by_device("p", {7}).value().value().image_id, "ready");
  EXPECT_EQ(catalog_->find_snapshot_by_device("p", {8}).value().value().name, "snap-ready");
  EXPECT_EQ(catalog_->adopt_pool("p").value(), 0U);
  NewSnapshot more{.image_id = "ready", .pool = "p", .snapshot_id = {20}, .name = "more", .origin = {7}};
  EXPECT_TRUE(catalog_->register_snapshot(more));
}

TEST_F(OldRowsTest, AreNotAdoptedIntoAPoolThatHasTheirIds) {
  NewVolume volume = volume_of("new", 7);
  ASSERT_TRUE(catalog_->store_image({.source = {.image_id = "new", .bucket = kBucket, .key = "images/same.tar"},
                                     .local_path = "/x",
                                     .checksum = sha256_hex("one")}));
  ASSERT_TRUE(catalog_->store_volume(volume));
  EXPECT_FAILS(catalog_->adopt_pool(kPool), ErrorKind::kConflict, "has given out device 7");
}

}  // namespace
}  // namespace slipway::catalog
