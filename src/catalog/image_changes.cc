// What changes the table images.
#include <bit>
#include <utility>

#include "catalog/identity.h"
#include "catalog/images.h"
#include "catalog/locks.h"
#include "catalog/reservations.h"
#include "catalog/snapshots.h"
#include "catalog/volumes.h"

namespace slipway::catalog::images {
namespace {

Result<> check_source(const ImageSource& source) {
  if (auto id = check_image_id(source.image_id); !id) return id;
  if (auto bucket = check_not_empty("bucket", source.bucket); !bucket) return bucket;
  return check_not_empty("key", source.key);
}

Result<> ran(Result<std::int64_t> changed) {
  if (!changed) return fail(std::move(changed.error()));
  return {};
}

// The image's row, or none when it is new. kConflict when id or object belong together with another.
Result<std::optional<Image>> claim(store::Connection& db, const ImageSource& source) {
  if (auto sound = check_source(source); !sound) return fail(std::move(sound.error()));
  auto by_key = find_by_key(db, source.bucket, source.key);
  if (!by_key) return by_key;
  if (*by_key && (*by_key)->image_id != source.image_id) {
    return fail(Error(ErrorKind::kConflict, fmt::format("key {} of bucket {} is image {} already, not {}", source.key,
                                                        source.bucket, (*by_key)->image_id, source.image_id))
                    .with_hint("use that id, or remove that image first"));
  }
  auto by_id = find(db, source.image_id);
  if (!by_id || !*by_id) return by_id;
  const Image& image = **by_id;
  if (image.key == source.key && (image.bucket == source.bucket || image.bucket.empty())) return by_id;
  return fail(
      Error(ErrorKind::kConflict, fmt::format("image {} is key {} of bucket {}, not key {} of bucket {}",
                                              image.image_id, image.key, image.bucket, source.key, source.bucket))
          .with_hint("choose another id, or remove that image first"));
}

Result<> insert(store::Connection& db, const ImageSource& source, DownloadStatus status, TimePoint now) {
  return ran(change(db,
                    "INSERT INTO images (image_id, bucket, s3_key, download_status, created_at, updated_at) "
                    "VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
                    source.image_id, source.bucket, source.key, to_string(status), now));
}

Result<> replace_policy_findings(store::Connection& db, const std::string& image_id,
                                 const std::vector<PolicyFinding>& findings) {
  auto gone = change(db, "DELETE FROM policy_findings WHERE image_id = ?1", image_id);
  if (!gone) return ran(std::move(gone));
  for (const auto& finding : findings) {
    auto stored = change(db, "INSERT INTO policy_findings (image_id, rule, entry, detail) VALUES (?1, ?2, ?3, ?4)",
                         image_id, finding.rule, finding.entry, finding.detail);
    if (!stored) return ran(std::move(stored));
  }
  return {};
}

Result<> set_file(store::Connection& db, const std::string& image_id, const std::optional<FileIdentity>& file,
                  TimePoint now) {
  if (!file) {
    return ran(change(db,
                      "UPDATE images SET file_size = NULL, file_mtime_ns = NULL, file_ctime_ns = NULL, "
                      "file_inode = NULL, verified_at = NULL WHERE image_id = ?1",
                      image_id));
  }
  auto size = storable("a file size", file->size);
  if (!size) return fail(std::move(size.error()));
  return ran(change(db,
                    "UPDATE images SET file_size = ?2, file_mtime_ns = ?3, file_ctime_ns = ?4, file_inode = ?5, "
                    "verified_at = ?6 WHERE image_id = ?1",
                    image_id, *size, file->mtime_ns, file->ctime_ns, std::bit_cast<std::int64_t>(file->inode), now));
}

Result<> set_archive(store::Connection& db, const std::string& image_id, const std::optional<ArchiveFacts>& facts) {
  if (!facts) {
    return ran(change(db,
                      "UPDATE images SET archive_kind = NULL, archive_layers = NULL, archive_entries = NULL, "
                      "archive_files = NULL, archive_total_size = NULL, archive_policy = NULL, archive_findings = NULL "
                      "WHERE image_id = ?1",
                      image_id));
  }
  auto layers = storable("a number of layers", facts->layers);
  auto entries = storable("a number of entries", facts->entries);
  auto files = storable("a number of files", facts->files);
  auto total = storable("a total size", facts->total_size);
  auto findings = storable("a number of findings", facts->findings);
  for (auto* number : {&layers, &entries, &files, &total, &findings}) {
    if (!*number) return fail(std::move(number->error()));
  }
  return ran(change(db,
                    "UPDATE images SET archive_kind = ?2, archive_layers = ?3, archive_entries = ?4, "
                    "archive_files = ?5, archive_total_size = ?6, archive_policy = ?7, "
                    "archive_findings = ?8 WHERE image_id = ?1",
                    image_id, facts->kind, *layers, *entries, *files, *total, facts->policy, *findings));
}

// A failed download that leaves no good content behind.
Result<> fail_for_good(store::Connection& db, const std::string& image_id, const std::string& reason, TimePoint now) {
  auto failed = change(db,
                       "UPDATE images SET download_status = 'failed', etag = NULL, local_path = NULL, "
                       "checksum = NULL, size_bytes = NULL, downloaded_at = NULL, refreshing_since = NULL, "
                       "error = ?2, error_at = ?3, updated_at = ?3 WHERE image_id = ?1",
                       image_id, reason, now);
  if (!failed) return ran(std::move(failed));
  if (auto file = set_file(db, image_id, std::nullopt, now); !file) return file;
  if (auto archive = set_archive(db, image_id, std::nullopt); !archive) return archive;
  return replace_policy_findings(db, image_id, {});
}

}  // namespace

Result<Image> add(store::Connection& db, const ImageSource& source, TimePoint now) {
  auto image = claim(db, source);
  if (!image) return fail(std::move(image.error()));
  if (*image) return std::move(**image);
  if (auto added = insert(db, source, DownloadStatus::kPending, now); !added) return fail(std::move(added.error()));
  return get(db, source.image_id);
}

Result<Image> mark_downloading(store::Connection& db, const ImageSource& source, TimePoint now) {
  auto image = claim(db, source);
  if (!image) return fail(std::move(image.error()));
  Result<> marked;
  if (!*image) {
    marked = insert(db, source, DownloadStatus::kDownloading, now);
  } else if ((*image)->download_status == DownloadStatus::kCompleted) {
    marked = ran(change(db, "UPDATE images SET bucket = ?2, refreshing_since = ?3, updated_at = ?3 WHERE image_id = ?1",
                        source.image_id, source.bucket, now));
  } else {
    marked = ran(change(db,
                        "UPDATE images SET bucket = ?2, download_status = 'downloading', error = NULL, "
                        "error_at = NULL, updated_at = ?3 WHERE image_id = ?1",
                        source.image_id, source.bucket, now));
  }
  if (!marked) return fail(std::move(marked.error()));
  return get(db, source.image_id);
}

Result<Image> store(store::Connection& db, const DownloadedImage& image, TimePoint now) {
  const ImageSource& source = image.source;
  if (auto sound = check_checksum(image.checksum); !sound) return fail(std::move(sound.error()));
  if (auto sound = check_not_empty("local path", image.local_path); !sound) return fail(std::move(sound.error()));
  auto size = storable("a size", image.size_bytes);
  if (!size) return fail(std::move(size.error()));
  auto before = claim(db, source);
  if (!before) return fail(std::move(before.error()));
  if (!*before) {
    if (auto made = insert(db, source, DownloadStatus::kPending, now); !made) return fail(std::move(made.error()));
  }
  const bool same = *before && (*before)->checksum == image.checksum;
  const TimePoint downloaded = same ? (*before)->downloaded_at.value_or(now) : now;
  auto stored =
      ran(change(db,
                 "UPDATE images SET bucket = ?2, etag = ?3, local_path = ?4, checksum = ?5, size_bytes = ?6, "
                 "download_status = 'completed', downloaded_at = ?7, refreshing_since = NULL, error = NULL, "
                 "error_at = NULL, updated_at = ?8 WHERE image_id = ?1",
                 source.image_id, source.bucket, image.etag, image.local_path, image.checksum, *size, downloaded, now));
  if (stored) stored = set_file(db, source.image_id, image.verified_file, now);
  if (stored) stored = set_archive(db, source.image_id, image.archive);
  if (stored) stored = replace_policy_findings(db, source.image_id, image.policy_findings);
  if (!stored) return fail(std::move(stored.error()));
  return get(db, source.image_id);
}

Result<Image> mark_failed(store::Connection& db, const std::string& image_id, const DownloadFailure& failure,
                          TimePoint now) {
  auto image = get(db, image_id);
  if (!image) return image;
  auto volume = volumes::find(db, image_id);
  if (!volume) return fail(std::move(volume.error()));
  const bool completed = image->download_status == DownloadStatus::kCompleted;
  const bool stays = completed && (!failure.file_removed || volume->has_value());
  Result<> noted;
  if (!stays) {
    noted = fail_for_good(db, image_id, failure.reason, now);
  } else {
    noted = ran(change(db,
                       "UPDATE images SET refreshing_since = NULL, error = ?2, error_at = ?3, updated_at = ?3 "
                       "WHERE image_id = ?1",
                       image_id, failure.reason, now));
    if (noted && failure.file_removed) noted = set_file(db, image_id, std::nullopt, now);
  }
  if (!noted) return fail(std::move(noted.error()));
  return get(db, image_id);
}

Result<> record_verification(store::Connection& db, const std::string& image_id, const std::string& checksum,
                             const FileIdentity& file, TimePoint now) {
  auto image = get_downloaded(db, image_id);
  if (!image) return fail(std::move(image.error()));
  if (image->checksum != checksum) {
    return fail(ErrorKind::kConflict, "image {} has checksum {}, not {}", image_id, image->checksum, checksum);
  }
  return set_file(db, image_id, file, now);
}

Result<> update_activation(store::Connection& db, const std::string& image_id, ActivationStatus status,
                           const std::string& reason, TimePoint now) {
  auto image = get(db, image_id);
  if (!image) return fail(std::move(image.error()));
  auto active = snapshots::count_active(db, image_id);
  if (!active) return fail(std::move(active.error()));
  if ((*active > 0) != (status == ActivationStatus::kActive)) {
    return fail(ErrorKind::kConflict, "image {} has {} active snapshots: it cannot become {}", image_id, *active,
                to_string(status));
  }
  const bool failed = status == ActivationStatus::kFailed;
  const bool failed_before = image->activation_status == ActivationStatus::kFailed;
  if (!failed && !failed_before) {  // a download's error stays
    return ran(change(db, "UPDATE images SET activation_status = ?2, updated_at = ?3 WHERE image_id = ?1", image_id,
                      to_string(status), now));
  }
  const std::optional<std::string_view> error = failed ? std::optional<std::string_view>(reason) : std::nullopt;
  const std::optional<TimePoint> error_at = failed ? std::optional(now) : std::nullopt;
  return ran(change(db,
                    "UPDATE images SET activation_status = ?2, error = ?3, error_at = ?4, updated_at = ?5 "
                    "WHERE image_id = ?1",
                    image_id, to_string(status), error, error_at, now));
}

Result<> follow_snapshots(store::Connection& db, const std::string& image_id, TimePoint now) {
  auto image = get(db, image_id);
  if (!image) return fail(std::move(image.error()));
  auto active = snapshots::count_active(db, image_id);
  if (!active) return fail(std::move(active.error()));
  const bool was = image->activation_status == ActivationStatus::kActive;
  if (was == (*active > 0)) return {};
  if (was) return update_activation(db, image_id, ActivationStatus::kInactive, {}, now);
  auto dated = change(db, "UPDATE images SET activated_at = ?2 WHERE image_id = ?1", image_id, now);
  if (!dated) return ran(std::move(dated));
  return update_activation(db, image_id, ActivationStatus::kActive, {}, now);
}

Result<> remove(store::Connection& db, const std::string& image_id, DeviceFate devices, const std::string& holder) {
  if (auto image = get(db, image_id); !image) return fail(std::move(image.error()));
  auto lock = locks::find(db, image_id);
  if (!lock) return fail(std::move(lock.error()));
  if (*lock && (*lock)->holder != holder) {
    return fail(ErrorKind::kConflict, "image {} is locked by {}", image_id, (*lock)->holder);
  }
  auto active = snapshots::count_active(db, image_id);
  if (!active) return fail(std::move(active.error()));
  if (*active > 0) {
    return fail(Error(ErrorKind::kConflict, fmt::format("image {} has {} active snapshots", image_id, *active))
                    .with_hint("deactivate them first"));
  }
  const std::string_view ids = devices == DeviceFate::kGone
                                   ? "DELETE FROM id_reservations WHERE image_id = ?1 AND state <> 'deleting'"
                                   : "UPDATE id_reservations SET state = 'deleting' WHERE image_id = ?1";
  // Snapshots first: they hold on to the volume.
  const std::string_view in_order[] = {
      "DELETE FROM snapshots WHERE image_id = ?1", "DELETE FROM unpacked_images WHERE image_id = ?1", ids,
      "DELETE FROM image_locks WHERE image_id = ?1", "DELETE FROM images WHERE image_id = ?1"};
  for (const auto sql : in_order) {
    if (auto gone = change(db, sql, image_id); !gone) return ran(std::move(gone));
  }
  return {};
}

}  // namespace slipway::catalog::images
