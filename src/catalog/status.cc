#include "catalog/status.h"

#include <utility>

#include "catalog/images.h"
#include "catalog/locks.h"
#include "catalog/scans.h"
#include "catalog/snapshots.h"
#include "catalog/volumes.h"

namespace slipway::catalog::status {
namespace {

// The one place that says what an image's status is. Other than the download's own, each stage counts only when it is
// of the image's current content; what is further on wins, but for a verdict that blocks: advisories that came later
// make an image vulnerable that was ready. While an image is downloaded again, its file may be the old
// one, or a new one that nobody has validated: only what was made of the old one before still counts.
constexpr std::string_view kStatus = R"sql(
  CASE
    WHEN i.download_status <> 'completed' THEN i.download_status
    WHEN s.checksum = i.checksum AND s.blocked AND i.refreshing_since IS NULL THEN 'vulnerable'
    WHEN v.layout_verified AND v.source_checksum = i.checksum AND i.activation_status = 'active' THEN 'ready'
    WHEN i.activation_status = 'failed' THEN 'failed'
    WHEN v.layout_verified AND v.source_checksum = i.checksum THEN 'unpacked'
    WHEN i.refreshing_since IS NOT NULL THEN 'downloading'
    WHEN s.checksum = i.checksum THEN 'scanned'
    ELSE 'downloaded'
  END)sql";

constexpr std::string_view kTables =
    "images i LEFT JOIN unpacked_images v ON v.image_id = i.image_id LEFT JOIN scans s ON s.image_id = i.image_id";

constexpr int kStatusAt = images::kColumnCount;
constexpr int kScanAt = kStatusAt + 1;
constexpr int kRestAt = kScanAt + scans::kColumnCount;

Result<Status> read_status(const store::Statement& row) {
  return known(parse_status(row.text(kStatusAt)), "status", row.text(kStatusAt));
}

template <class T>
Result<std::optional<T>> read_optional(const store::Statement& row, int column, RowReader<T> read) {
  if (row.is_null(column)) return std::nullopt;
  auto value = read(row, column);
  if (!value) return fail(std::move(value.error()));
  return std::optional(std::move(*value));
}

Result<ImageSummary> read_summary(const store::Statement& row, int) {
  auto image = images::read(row, 0);
  if (!image) return fail(std::move(image.error()));
  auto status = read_status(row);
  if (!status) return fail(std::move(status.error()));
  auto scan = read_optional<ScanVerdict>(row, kScanAt, scans::read);
  if (!scan) return fail(std::move(scan.error()));
  return ImageSummary{.image = std::move(*image),
                      .status = *status,
                      .scan = std::move(*scan),
                      .snapshots = unsigned_of(row, kRestAt),
                      .active_snapshots = unsigned_of(row, kRestAt + 1),
                      .device_path = std::string(row.text(kRestAt + 2))};
}

// One row a snapshot, or one without.
constexpr int kVolumeAt = kRestAt;
constexpr int kLockAt = kVolumeAt + volumes::kColumnCount;
constexpr int kSnapshotAt = kLockAt + 3;

Result<ImageStatus> read_image_status(const store::Statement& row, int) {
  ImageStatus out;
  auto image = images::read(row, 0);
  if (!image) return fail(std::move(image.error()));
  auto status = read_status(row);
  if (!status) return fail(std::move(status.error()));
  auto scan = read_optional<ScanVerdict>(row, kScanAt, scans::read);
  if (!scan) return fail(std::move(scan.error()));
  auto volume = read_optional<Volume>(row, kVolumeAt, volumes::read);
  if (!volume) return fail(std::move(volume.error()));
  auto lock = read_optional<ImageLock>(row, kLockAt, locks::read);
  if (!lock) return fail(std::move(lock.error()));
  auto snapshot = read_optional<Snapshot>(row, kSnapshotAt, snapshots::read);
  if (!snapshot) return fail(std::move(snapshot.error()));
  out = {.image = std::move(*image), .status = *status, .scan = std::move(*scan), .volume = std::move(*volume)};
  out.lock = std::move(*lock);
  if (*snapshot) out.snapshots.push_back(std::move(**snapshot));
  return out;
}

}  // namespace

Result<std::optional<ImageStatus>> of_image(store::Connection& db, const std::string& image_id) {
  static const std::string sql = fmt::format(
      "SELECT {}, {}, {}, {}, l.image_id, l.locked_by, l.locked_at, {} FROM {} "
      "LEFT JOIN image_locks l ON l.image_id = i.image_id LEFT JOIN snapshots n ON n.image_id = i.image_id "
      "WHERE i.image_id = ?1 ORDER BY n.snapshot_name",
      images::kColumns, kStatus, scans::kColumns, volumes::kColumns, snapshots::kColumns, kTables);
  auto rows = select<ImageStatus>(db, sql, read_image_status, image_id);
  if (!rows) return fail(std::move(rows.error()));
  if (rows->empty()) return std::nullopt;
  ImageStatus out = std::move(rows->front());
  for (std::size_t at = 1; at < rows->size(); ++at) out.snapshots.push_back(std::move((*rows)[at].snapshots.front()));
  return out;
}

Result<std::vector<ImageSummary>> list(store::Connection& db, std::optional<Status> status, Page page) {
  static const std::string sql = fmt::format(
      "SELECT {}, {} AS status, {}, "
      "(SELECT count(*) FROM snapshots n WHERE n.image_id = i.image_id), "
      "(SELECT count(*) FROM snapshots n WHERE n.image_id = i.image_id AND n.active = 1), "
      "(SELECT min(n.device_path) FROM snapshots n WHERE n.image_id = i.image_id AND n.active = 1) "
      "FROM {} WHERE i.id > ?1 AND (?3 IS NULL OR status = ?3) ORDER BY i.id LIMIT ?2",
      images::kColumns, kStatus, scans::kColumns, kTables);
  const auto wanted = status ? std::optional(to_string(*status)) : std::nullopt;
  return select<ImageSummary>(db, sql, read_summary, page.after, page.limit, wanted);
}

}  // namespace slipway::catalog::status
