#include "catalog/images.h"

#include <utility>

#include "catalog/identity.h"

namespace slipway::catalog::images {
namespace {

constexpr std::size_t kNamed = 5;  // candidates that an error lists

std::string select_images(std::string_view where) {
  return fmt::format("SELECT {} FROM images i WHERE {}", kColumns, where);
}

std::optional<ArchiveFacts> read_archive(const store::Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return ArchiveFacts{.kind = std::string(row.text(column)),
                      .layers = unsigned_of(row, column + 1),
                      .entries = unsigned_of(row, column + 2),
                      .files = unsigned_of(row, column + 3),
                      .total_size = unsigned_of(row, column + 4),
                      .policy = std::string(row.text(column + 5)),
                      .findings = unsigned_of(row, column + 6)};
}

std::optional<FileIdentity> read_file(const store::Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return FileIdentity{.size = unsigned_of(row, column),
                      .mtime_ns = row.int64(column + 1),
                      .ctime_ns = row.int64(column + 2),
                      .inode = unsigned_of(row, column + 3)};
}

// kConflict that names them.
std::unexpected<Error> ambiguous(const std::string& text, const std::vector<Image>& candidates) {
  std::string names;
  for (std::size_t at = 0; at < candidates.size() && at < kNamed; ++at) {
    names += fmt::format("{}{}", at == 0 ? "" : ", ", candidates[at].image_id);
  }
  if (candidates.size() > kNamed) names += ", …";
  return fail(Error(ErrorKind::kConflict, fmt::format("\"{}\" may mean {}", text, names))
                  .with_hint("give the whole id of one of them"));
}

}  // namespace

Result<Image> read(const store::Statement& row, int column) {
  const auto text = [&](int at) { return std::string(row.text(column + at)); };
  auto download = known(parse_download_status(row.text(column + 8)), "download status", row.text(column + 8));
  if (!download) return fail(std::move(download.error()));
  auto activation = known(parse_activation_status(row.text(column + 9)), "activation status", row.text(column + 9));
  if (!activation) return fail(std::move(activation.error()));
  return Image{.row = row.int64(column),
               .image_id = text(1),
               .bucket = text(2),
               .key = text(3),
               .etag = text(4),
               .local_path = text(5),
               .checksum = text(6),
               .size_bytes = unsigned_of(row, column + 7),
               .download_status = *download,
               .activation_status = *activation,
               .created_at = row.time(column + 10),
               .downloaded_at = optional_time(row, column + 11),
               .activated_at = optional_time(row, column + 12),
               .updated_at = row.time(column + 13),
               .refreshing_since = optional_time(row, column + 14),
               .error = text(15),
               .error_at = optional_time(row, column + 16),
               .archive = read_archive(row, column + 17),
               .verified_file = read_file(row, column + 24),
               .verified_at = optional_time(row, column + 28)};
}

Result<std::optional<Image>> find(store::Connection& db, const std::string& image_id) {
  static const std::string sql = select_images("i.image_id = ?1");
  return select_one<Image>(db, sql, read, image_id);
}

Result<Image> get(store::Connection& db, const std::string& image_id) {
  auto found = find(db, image_id);
  if (!found) return fail(std::move(found.error()));
  if (!*found) return fail(ErrorKind::kNotFound, "there is no image {}", image_id);
  return std::move(**found);
}

Result<Image> get_downloaded(store::Connection& db, const std::string& image_id) {
  auto image = get(db, image_id);
  if (!image || image->download_status == DownloadStatus::kCompleted) return image;
  return fail(Error(ErrorKind::kConflict, fmt::format("image {} has no completed download, it is {}", image_id,
                                                      to_string(image->download_status)))
                  .with_hint("download it first"));
}

Result<std::optional<Image>> find_by_key(store::Connection& db, const std::string& bucket, const std::string& key) {
  // The second condition is what the index was made for; SQLite does not work it out from a parameter.
  static const std::string sql = select_images("i.bucket = ?1 AND i.s3_key = ?2 AND i.bucket <> ''");
  return select_one<Image>(db, sql, read, bucket, key);
}

Result<Image> resolve(store::Connection& db, const std::string& text) {
  if (auto sound = check_not_empty("name of the image", text); !sound) return fail(std::move(sound.error()));
  auto by_id = find(db, text);
  if (!by_id) return fail(std::move(by_id.error()));
  if (*by_id) return std::move(**by_id);

  static const std::string by_key = select_images("i.s3_key = ?1 ORDER BY i.id LIMIT 6");
  auto found = select<Image>(db, by_key, read, text);
  if (found && found->empty() && check_image_id(text)) {
    std::string end = text;
    ++end.back();  // the first text after all that begin with it; ids are ASCII, so it cannot overflow
    static const std::string by_prefix =
        select_images("i.image_id >= ?1 AND i.image_id < ?2 ORDER BY i.image_id LIMIT 6");
    found = select<Image>(db, by_prefix, read, text, end);
  }
  if (!found) return fail(std::move(found.error()));
  if (found->size() == 1) return std::move(found->front());
  if (found->size() > 1) return ambiguous(text, *found);
  return fail(Error(ErrorKind::kNotFound, fmt::format("there is no image \"{}\"", text))
                  .with_hint("give its id, the beginning of its id, or its key; `slipway list` has them"));
}

Result<std::vector<Image>> list(store::Connection& db, std::optional<DownloadStatus> status, Page page) {
  static const std::string all = select_images("i.id > ?1 ORDER BY i.id LIMIT ?2");
  static const std::string some = select_images("i.download_status = ?3 AND i.id > ?1 ORDER BY i.id LIMIT ?2");
  if (!status) return select<Image>(db, all, read, page.after, page.limit);
  return select<Image>(db, some, read, page.after, page.limit, to_string(*status));
}

Result<std::vector<PolicyFinding>> policy_findings(store::Connection& db, const std::string& image_id) {
  const auto read_finding = [](const store::Statement& row, int column) -> Result<PolicyFinding> {
    return PolicyFinding{.rule = std::string(row.text(column)),
                         .entry = std::string(row.text(column + 1)),
                         .detail = std::string(row.text(column + 2))};
  };
  return select<PolicyFinding>(db, "SELECT rule, entry, detail FROM policy_findings WHERE image_id = ?1 ORDER BY id",
                               read_finding, image_id);
}

}  // namespace slipway::catalog::images
