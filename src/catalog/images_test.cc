#include "catalog/images.h"

#include <gtest/gtest.h>

#include "catalog/testing/catalog_fixture.h"

namespace slipway::catalog {
namespace {

using std::chrono::seconds;

class ImagesTest : public CatalogTest {};

TEST_F(ImagesTest, GoesFromPendingOverDownloadingToCompleted) {
  EXPECT_EQ(catalog_->add_image(source_of("a"))->download_status, DownloadStatus::kPending);
  EXPECT_FALSE(catalog_->find_downloaded(kBucket, "images/a.tar").value().has_value());
  EXPECT_EQ(catalog_->mark_downloading(source_of("a"))->download_status, DownloadStatus::kDownloading);
  EXPECT_FALSE(catalog_->find_downloaded(kBucket, "images/a.tar").value().has_value());
  clock_.advance(seconds(5));
  DownloadedImage whole = downloaded("a");
  whole.archive = ArchiveFacts{
      .kind = "oci", .layers = 2, .entries = 30, .files = 20, .total_size = 5'000, .policy = "strict", .findings = 7};
  whole.policy_findings = {{.rule = "setuid", .entry = "usr/bin/su", .detail = "04755"},
                           {.rule = "device", .entry = "x"}};
  ASSERT_TRUE(catalog_->store_image(whole));

  const Image image = catalog_->find_downloaded(kBucket, "images/a.tar").value().value();
  EXPECT_EQ(image.image_id, "a");
  EXPECT_EQ(image.bucket, kBucket);
  EXPECT_EQ(image.key, "images/a.tar");
  EXPECT_EQ(image.etag, "etag-of-one");
  EXPECT_EQ(image.local_path, "/images/a.tar");
  EXPECT_EQ(image.checksum, sha256_hex("one"));
  EXPECT_EQ(image.size_bytes, 3U);
  EXPECT_EQ(image.download_status, DownloadStatus::kCompleted);
  EXPECT_EQ(image.activation_status, ActivationStatus::kInactive);
  EXPECT_EQ(image.created_at, clock_.now() - seconds(5));
  EXPECT_EQ(image.downloaded_at, clock_.now());
  EXPECT_EQ(image.updated_at, clock_.now());
  EXPECT_EQ(image.archive, whole.archive);
  EXPECT_EQ(image.verified_file, whole.verified_file);
  EXPECT_EQ(image.verified_at, clock_.now());
  EXPECT_EQ(catalog_->policy_findings("a").value(), whole.policy_findings);
}

TEST_F(ImagesTest, StoringTheSameAgainChangesOnlyTheTimeOfTheUpdate) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  const Image before = catalog_->get_image("a").value();
  clock_.advance(seconds(5));
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  const Image after = catalog_->get_image("a").value();
  EXPECT_EQ(after.downloaded_at, before.downloaded_at);
  EXPECT_EQ(after.row, before.row);
  EXPECT_EQ(after.updated_at, clock_.now());
  EXPECT_EQ(catalog_->list_images()->size(), 1U);
}

TEST_F(ImagesTest, ACompletedImageKeepsItsDataWhileItIsDownloadedAgain) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  const Image marked = catalog_->mark_downloading(source_of("a")).value();
  EXPECT_EQ(marked.download_status, DownloadStatus::kCompleted);
  EXPECT_EQ(marked.refreshing_since, clock_.now());
  EXPECT_EQ(marked.checksum, sha256_hex("one"));
  EXPECT_EQ(marked.local_path, "/images/a.tar");
  const Image stored = catalog_->store_image(downloaded("a", "two")).value();
  EXPECT_EQ(stored.refreshing_since, std::nullopt);
  EXPECT_EQ(stored.checksum, sha256_hex("two"));
}

TEST_F(ImagesTest, AFailedDownloadSaysWhyUntilTheNextTry) {
  ASSERT_TRUE(catalog_->mark_downloading(source_of("a")));
  const Image failed = catalog_->mark_download_failed("a", {.reason = "entry ../x leaves the root"}).value();
  EXPECT_EQ(failed.download_status, DownloadStatus::kFailed);
  EXPECT_EQ(failed.error, "entry ../x leaves the root");
  EXPECT_EQ(failed.error_at, clock_.now());
  EXPECT_EQ(catalog_->mark_downloading(source_of("a"))->error, "");
  EXPECT_EQ(catalog_->store_image(downloaded("a"))->error_at, std::nullopt);
}

TEST_F(ImagesTest, AFailedRefreshLeavesTheEarlierDownloadGood) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  ASSERT_TRUE(catalog_->mark_downloading(source_of("a")));
  const Image image = catalog_->mark_download_failed("a", {.reason = "access denied"}).value();
  EXPECT_EQ(image.download_status, DownloadStatus::kCompleted);
  EXPECT_EQ(image.refreshing_since, std::nullopt);
  EXPECT_EQ(image.error, "access denied");
  EXPECT_EQ(image.checksum, sha256_hex("one"));
}

TEST_F(ImagesTest, AFailedRefreshThatTookTheFileLeavesNothingOfIt) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  const Image image = catalog_->mark_download_failed("a", {.reason = "malicious", .file_removed = true}).value();
  EXPECT_EQ(image.download_status, DownloadStatus::kFailed);
  EXPECT_EQ(image.checksum, "");
  EXPECT_EQ(image.local_path, "");
  EXPECT_EQ(image.etag, "");
  EXPECT_EQ(image.verified_file, std::nullopt);
  EXPECT_EQ(image.downloaded_at, std::nullopt);
}

TEST_F(ImagesTest, AFailedRefreshOfAnUnpackedImageOnlyForgetsTheFile) {
  unpack("a", 7);
  const Image image = catalog_->mark_download_failed("a", {.reason = "malicious", .file_removed = true}).value();
  EXPECT_EQ(image.download_status, DownloadStatus::kCompleted);
  EXPECT_EQ(image.verified_file, std::nullopt);
  EXPECT_EQ(image.error, "malicious");
}

TEST_F(ImagesTest, AnIdStandsForOneObjectAndAnObjectForOneId) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  ImageSource other_key = source_of("a");
  other_key.key = "elsewhere";
  EXPECT_FAILS(catalog_->mark_downloading(other_key), ErrorKind::kConflict, "image a is key images/a.tar");
  ImageSource other_bucket = source_of("a");
  other_bucket.bucket = "other";
  EXPECT_FAILS(catalog_->add_image(other_bucket), ErrorKind::kConflict, "not key images/a.tar of bucket other");
  ImageSource other_id = source_of("a");
  other_id.image_id = "b";
  EXPECT_FAILS(catalog_->mark_downloading(other_id), ErrorKind::kConflict, "is image a already, not b");
  other_id.bucket = "other";
  EXPECT_TRUE(catalog_->mark_downloading(other_id));  // a key is unique within its bucket
}

TEST_F(ImagesTest, BadValuesAreRefusedBeforeTheyAreStored) {
  EXPECT_FAILS(catalog_->add_image(source_of("../a")), ErrorKind::kInvalid, "\"../a\" is not an image id");
  EXPECT_FAILS(catalog_->add_image({.image_id = "a", .bucket = "", .key = "k"}), ErrorKind::kInvalid,
               "bucket is empty");
  EXPECT_FAILS(catalog_->add_image({.image_id = "a", .bucket = "b", .key = ""}), ErrorKind::kInvalid, "key is empty");
  DownloadedImage image = downloaded("a");
  image.checksum = "ABC";
  EXPECT_FAILS(catalog_->store_image(image), ErrorKind::kInvalid, "not a SHA-256");
  image = downloaded("a");
  image.size_bytes = ~std::uint64_t{0};
  EXPECT_FAILS(catalog_->store_image(image), ErrorKind::kInvalid, "more than can be stored");
  EXPECT_FAILS(catalog_->mark_download_failed("a", {}), ErrorKind::kNotFound, "no image a");
  EXPECT_TRUE(catalog_->list_images()->empty());
}

TEST_F(ImagesTest, KeysMayBeAnyBytes) {
  const ImageSource odd{.image_id = "a", .bucket = "b", .key = "sp ace+%20/\xff\xfe/日本'\";--"};
  ASSERT_TRUE(catalog_->mark_downloading(odd));
  EXPECT_EQ(catalog_->find_image_by_key("b", odd.key).value().value().key, odd.key);
}

TEST_F(ImagesTest, ALargeInodeComesBackAsItWas) {
  DownloadedImage image = downloaded("a");
  image.verified_file->inode = ~std::uint64_t{0};
  ASSERT_TRUE(catalog_->store_image(image));
  EXPECT_EQ(catalog_->get_image("a")->verified_file, image.verified_file);
}

TEST_F(ImagesTest, AVerificationIsOfTheContentThatTheImageHas) {
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  clock_.advance(seconds(9));
  const FileIdentity again{.size = 3, .mtime_ns = 10, .ctime_ns = 20, .inode = 30};
  ASSERT_TRUE(catalog_->record_verification("a", sha256_hex("one"), again));
  EXPECT_EQ(catalog_->get_image("a")->verified_file, again);
  EXPECT_EQ(catalog_->get_image("a")->verified_at, clock_.now());
  EXPECT_FAILS(catalog_->record_verification("a", sha256_hex("two"), again), ErrorKind::kConflict,
               "image a has checksum");
  ASSERT_TRUE(catalog_->add_image(source_of("b")));
  EXPECT_FAILS(catalog_->record_verification("b", sha256_hex("two"), again), ErrorKind::kConflict,
               "no completed download");
}

TEST_F(ImagesTest, IsFoundByIdKeyOrTheBeginningOfItsId) {
  for (const char* id : {"alpine-1", "alpine-22", "debian"}) ASSERT_TRUE(catalog_->add_image(source_of(id)));
  ASSERT_TRUE(catalog_->add_image({.image_id = "twin", .bucket = "other", .key = "images/debian.tar"}));
  EXPECT_EQ(catalog_->resolve_image("alpine-1")->image_id, "alpine-1");
  EXPECT_EQ(catalog_->resolve_image("alpine-2")->image_id, "alpine-22");
  EXPECT_EQ(catalog_->resolve_image("d")->image_id, "debian");
  EXPECT_EQ(catalog_->resolve_image("images/alpine-1.tar")->image_id, "alpine-1");
  EXPECT_FAILS(catalog_->resolve_image("alp"), ErrorKind::kConflict, "\"alp\" may mean alpine-1, alpine-22");
  EXPECT_FAILS(catalog_->resolve_image("images/debian.tar"), ErrorKind::kConflict, "may mean debian, twin");
  EXPECT_FAILS(catalog_->resolve_image("x"), ErrorKind::kNotFound, "\"x\"");
  EXPECT_FAILS(catalog_->resolve_image("alpine-_"), ErrorKind::kNotFound, "alpine-_");
  EXPECT_FAILS(catalog_->resolve_image("%"), ErrorKind::kNotFound, "%");
  EXPECT_FAILS(catalog_->resolve_image(""), ErrorKind::kInvalid, "empty");
}

TEST_F(ImagesTest, ManyCandidatesAreNamedOnlyInPart) {
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(catalog_->add_image(source_of("same-" + std::to_string(i))));
  EXPECT_FAILS(catalog_->resolve_image("same"), ErrorKind::kConflict, "same-4, …");
}

TEST_F(ImagesTest, ListsInOrderByPagesAndByStatus) {
  for (const char* id : {"c", "a", "b", "d"}) ASSERT_TRUE(catalog_->add_image(source_of(id)));
  ASSERT_TRUE(catalog_->store_image(downloaded("a")));
  const auto ids = [](const std::vector<Image>& images) {
    std::string all;
    for (const auto& image : images) all += image.image_id;
    return all;
  };
  EXPECT_EQ(ids(catalog_->list_images().value()), "cabd");
  const auto first = catalog_->list_images({}, {.limit = 3}).value();
  EXPECT_EQ(ids(first), "cab");
  EXPECT_EQ(ids(catalog_->list_images({}, {.after = first.back().row, .limit = 3}).value()), "d");
  EXPECT_EQ(ids(catalog_->list_images(DownloadStatus::kCompleted).value()), "a");
  EXPECT_EQ(ids(catalog_->list_images(DownloadStatus::kPending, {.limit = 2}).value()), "cb");
}

TEST_F(ImagesTest, DeletingTakesAllThatIsRecordedOfIt) {
  unpack("a", 7);
  unpack("b", 9);
  activate("a", 7, 8, "snap-a");
  ASSERT_TRUE(catalog_->record_scan({.image_id = "a", .checksum = sha256_hex("one"), .engine = "e"}, {}));
  EXPECT_FAILS(catalog_->delete_image("a", DeviceFate::kGone), ErrorKind::kConflict, "1 active snapshots");
  ASSERT_TRUE(catalog_->deactivate_snapshot("snap-a"));
  ASSERT_TRUE(catalog_->acquire_lock("a", "run-1"));
  EXPECT_FAILS(catalog_->delete_image("a", DeviceFate::kGone), ErrorKind::kConflict, "locked by run-1");
  ASSERT_TRUE(catalog_->delete_image("a", DeviceFate::kGone, "run-1"));
  EXPECT_FALSE(catalog_->find_image("a").value().has_value());
  EXPECT_FALSE(catalog_->find_volume("a").value().has_value());
  EXPECT_FALSE(catalog_->find_snapshot("snap-a").value().has_value());
  EXPECT_FALSE(catalog_->find_scan("a").value().has_value());
  EXPECT_FALSE(catalog_->find_lock("a").value().has_value());
  ASSERT_EQ(catalog_->list_reservations()->size(), 1U);
  EXPECT_EQ(catalog_->list_reservations()->front().image_id, "b");
  EXPECT_FAILS(catalog_->delete_image("a", DeviceFate::kGone), ErrorKind::kNotFound, "no image a");
}

TEST_F(ImagesTest, DevicesThatMayRemainAreRememberedWithoutTheImage) {
  unpack("a", 7);
  activate("a", 7, 8, "snap-a");
  ASSERT_TRUE(catalog_->deactivate_snapshot("snap-a"));
  ASSERT_TRUE(catalog_->delete_image("a", DeviceFate::kMayRemain));
  const auto left = catalog_->list_reservations().value();
  ASSERT_EQ(left.size(), 2U);
  for (const auto& id : left) EXPECT_EQ(id.state, IdState::kDeleting);
  EXPECT_EQ(left[1].snapshot_name, "snap-a");
  EXPECT_EQ(breaches(*catalog_), "");
  // The image may come back meanwhile, with other devices.
  unpack("a", 9);
  EXPECT_EQ(catalog_->list_reservations()->size(), 3U);
  ASSERT_TRUE(catalog_->delete_image("a", DeviceFate::kGone));
  EXPECT_EQ(catalog_->list_reservations()->size(), 2U);
}

}  // namespace
}  // namespace slipway::catalog
