// Internal to catalog/: the table images, and policy_findings with it. Contracts: catalog/catalog.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/query.h"
#include "catalog/types.h"

namespace slipway::catalog::images {

// The columns of table i, in read()'s order.
inline constexpr std::string_view kColumns =
    "i.id, i.image_id, i.bucket, i.s3_key, i.etag, i.local_path, i.checksum, i.size_bytes, i.download_status, "
    "i.activation_status, i.created_at, i.downloaded_at, i.activated_at, i.updated_at, i.refreshing_since, i.error, "
    "i.error_at, i.archive_kind, i.archive_layers, i.archive_entries, i.archive_files, i.archive_total_size, "
    "i.archive_policy, i.archive_findings, i.file_size, i.file_mtime_ns, i.file_ctime_ns, i.file_inode, i.verified_at";
inline constexpr int kColumnCount = 29;

[[nodiscard]] Result<Image> read(const store::Statement& row, int column);

[[nodiscard]] Result<Image> get(store::Connection& db, const std::string& image_id);  // kNotFound
// kNotFound, or kConflict when its download is not completed.
[[nodiscard]] Result<Image> get_downloaded(store::Connection& db, const std::string& image_id);
[[nodiscard]] Result<std::optional<Image>> find(store::Connection& db, const std::string& image_id);
[[nodiscard]] Result<std::optional<Image>> find_by_key(store::Connection& db, const std::string& bucket,
                                                       const std::string& key);
[[nodiscard]] Result<Image> resolve(store::Connection& db, const std::string& text);
[[nodiscard]] Result<std::vector<Image>> list(store::Connection& db, std::optional<DownloadStatus> status, Page page);
[[nodiscard]] Result<std::vector<PolicyFinding>> policy_findings(store::Connection& db, const std::string& image_id);

[[nodiscard]] Result<Image> add(store::Connection& db, const ImageSource& source, TimePoint now);
[[nodiscard]] Result<Image> mark_downloading(store::Connection& db, const ImageSource& source, TimePoint now);
[[nodiscard]] Result<Image> store(store::Connection& db, const DownloadedImage& image, TimePoint now);
[[nodiscard]] Result<Image> mark_failed(store::Connection& db, const std::string& image_id,
                                        const DownloadFailure& failure, TimePoint now);
[[nodiscard]] Result<> record_verification(store::Connection& db, const std::string& image_id,
                                           const std::string& checksum, const FileIdentity& file, TimePoint now);
[[nodiscard]] Result<> update_activation(store::Connection& db, const std::string& image_id, ActivationStatus status,
                                         const std::string& reason, TimePoint now);
// After a change of the image's snapshots: active exactly when one of them is.
[[nodiscard]] Result<> follow_snapshots(store::Connection& db, const std::string& image_id, TimePoint now);
[[nodiscard]] Result<> remove(store::Connection& db, const std::string& image_id, DeviceFate devices,
                              const std::string& holder);

}  // namespace slipway::catalog::images
