#include "catalog/scans.h"

#include <utility>

#include "base/digest.h"
#include "catalog/images.h"

namespace slipway::catalog::scans {
namespace {

Result<Finding> read_finding(const store::Statement& row, int column) {
  const auto text = [&](int at) { return std::string(row.text(column + at)); };
  return Finding{.package = text(0),
                 .version = text(1),
                 .vulnerability = text(2),
                 .severity = static_cast<Severity>(row.int64(column + 3)),  // 0 to 5, by the table's CHECK
                 .fixed_version = text(4),
                 .source = text(5),
                 .location = text(6),
                 .title = text(7),
                 .aliases = text(8),
                 .status = text(9),
                 .score = row.is_null(column + 10) ? std::optional<double>() : row.real(column + 10)};
}

Result<StoredInventory> read_inventory(const store::Statement& row, int column) {
  return StoredInventory{.image_id = std::string(row.text(column)),
                         .checksum = std::string(row.text(column + 1)),
                         .taken_at = row.time(column + 2),
                         .packages = unsigned_of(row, column + 3),
                         .body = std::string(row.text(column + 4))};
}

Result<> insert_verdict(store::Connection& db, const ScanVerdict& verdict, const std::string& digest) {
  auto vulnerabilities = storable("a number of vulnerabilities", verdict.vuln_count);
  if (!vulnerabilities) return fail(std::move(vulnerabilities.error()));
  auto suppressed = storable("a number of suppressed findings", verdict.suppressed);
  if (!suppressed) return fail(std::move(suppressed.error()));
  auto stored =
      change(db,
             "INSERT INTO scans (image_id, checksum, scanned_at, has_critical, has_high, vuln_count, "
             "blocked, engine, database_date, policy, complete, warnings, data_dates, suppressed, "
             "allowed_by, allowed_at, allowed, findings_digest) "
             "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, "
             "?18) "
             "ON CONFLICT (image_id) DO UPDATE SET checksum = excluded.checksum, "
             "scanned_at = excluded.scanned_at, has_critical = excluded.has_critical, "
             "has_high = excluded.has_high, vuln_count = excluded.vuln_count, blocked = excluded.blocked, "
             "engine = excluded.engine, database_date = excluded.database_date, policy = excluded.policy, "
             "complete = excluded.complete, warnings = excluded.warnings, "
             "data_dates = excluded.data_dates, suppressed = excluded.suppressed, "
             "allowed_by = excluded.allowed_by, allowed_at = excluded.allowed_at, "
             "allowed = excluded.allowed, findings_digest = excluded.findings_digest",
             verdict.image_id, verdict.checksum, verdict.scanned_at, verdict.has_critical ? 1 : 0,
             verdict.has_high ? 1 : 0, *vulnerabilities, verdict.blocked ? 1 : 0, verdict.engine, verdict.database_date,
             verdict.policy, verdict.complete ? 1 : 0, verdict.warnings, verdict.data_dates, *suppressed,
             verdict.allowed_by, verdict.allowed_at, verdict.allowed, digest);
  if (!stored) return fail(std::move(stored.error()));
  return {};
}

// Somebody else was there since it was made: the image was removed or downloaded again, or was scanned.
Result<bool> is_stale(store::Connection& db, const ScanVerdict& verdict) {
  const auto image = images::get_downloaded(db, verdict.image_id);
  if (!image) {
    const auto kind = image.error().kind();
    if (kind == ErrorKind::kNotFound || kind == ErrorKind::kConflict) return true;
    return fail(image.error());
  }
  if (image->checksum != verdict.checksum) return true;
  const auto there = find(db, verdict.image_id);
  if (!there) return fail(there.error());
  return *there && (*there)->current && (*there)->scanned_at > verdict.scanned_at;
}

}  // namespace

}  // namespace slipway::catalog::scans

namespace slipway::catalog {

std::string digest_of(std::span<const Finding> findings) {
  Hasher hasher(HashAlgorithm::kSha256);
  std::string line;
  const auto add = [&](std::string_view text) {
    line += std::to_string(text.size());  // so no text runs into the next
    line += ':';
    line += text;
  };
  for (const auto& finding : findings) {
    line.clear();
    for (const auto* text : {&finding.package, &finding.version, &finding.vulnerability, &finding.fixed_version,
                             &finding.source, &finding.location, &finding.title, &finding.aliases, &finding.status}) {
      add(*text);
    }
    add(slipway::to_string(finding.severity));
    add(finding.score ? fmt::format("{}", *finding.score) : std::string());
    hasher.update(line);
  }
  return to_hex(hasher.finish());
}

}  // namespace slipway::catalog

namespace slipway::catalog::scans {

Result<ScanVerdict> read(const store::Statement& row, int column) {
  return ScanVerdict{.image_id = std::string(row.text(column)),
                     .checksum = std::string(row.text(column + 1)),
                     .scanned_at = row.time(column + 2),
                     .has_critical = row.int64(column + 3) != 0,
                     .has_high = row.int64(column + 4) != 0,
                     .vuln_count = unsigned_of(row, column + 5),
                     .blocked = row.int64(column + 6) != 0,
                     .engine = std::string(row.text(column + 7)),
                     .database_date = optional_time(row, column + 8),
                     .policy = std::string(row.text(column + 9)),
                     .complete = row.int64(column + 10) != 0,
                     .warnings = std::string(row.text(column + 11)),
                     .data_dates = std::string(row.text(column + 12)),
                     .suppressed = unsigned_of(row, column + 13),
                     .allowed_by = std::string(row.text(column + 14)),
                     .allowed_at = optional_time(row, column + 15),
                     .allowed = std::string(row.text(column + 16)),
                     .findings_digest = std::string(row.text(column + 17)),
                     .current = row.int64(column + 18) != 0};
}

Result<Recorded> record(store::Connection& db, const ScanVerdict& verdict, std::span<const Finding> findings) {
  if (auto sound = check_checksum(verdict.checksum); !sound) return fail(std::move(sound.error()));
  if (auto sound = check_not_empty("scan engine", verdict.engine); !sound) return fail(std::move(sound.error()));
  if (auto image = images::get_downloaded(db, verdict.image_id); !image) return fail(std::move(image.error()));
  const auto before = find(db, verdict.image_id);
  if (!before) return fail(before.error());
  const auto digest = digest_of(findings);
  if (auto stored = insert_verdict(db, verdict, digest); !stored) return fail(std::move(stored.error()));
  // Newer data mostly say the same again, of hundreds of images at a time.
  if (*before && (*before)->findings_digest == digest) return Recorded::kSame;
  auto gone = change(db, "DELETE FROM scan_findings WHERE image_id = ?1", verdict.image_id);
  if (!gone) return fail(std::move(gone.error()));
  for (const auto& finding : findings) {
    auto stored = change(db,
                         "INSERT INTO scan_findings (image_id, package, version, vulnerability, severity, "
                         "fixed_version, source, location, title, aliases, status, score) "
                         "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                         verdict.image_id, finding.package, finding.version, finding.vulnerability,
                         std::to_underlying(finding.severity), finding.fixed_version, finding.source, finding.location,
                         finding.title, finding.aliases, finding.status, finding.score);
    if (!stored) return fail(std::move(stored.error()));
  }
  return Recorded::kChanged;
}

Result<std::vector<Recorded>> record_all(store::Connection& db, std::span<const Scan> scans) {
  std::vector<Recorded> all;
  all.reserve(scans.size());
  for (const auto& [verdict, findings] : scans) {
    const auto stale = is_stale(db, verdict);
    if (!stale) return stale.error().during("image {}", verdict.image_id);
    const auto recorded = *stale ? Recorded::kNot : record(db, verdict, findings);
    if (!recorded) return recorded.error().during("image {}", verdict.image_id);
    all.push_back(*recorded);
  }
  return all;
}

Result<std::optional<ScanVerdict>> find(store::Connection& db, const std::string& image_id) {
  static const std::string sql =
      fmt::format("SELECT {} FROM scans s JOIN images i ON i.image_id = s.image_id WHERE s.image_id = ?1", kColumns);
  return select_one<ScanVerdict>(db, sql, read, image_id);
}

Result<std::vector<Finding>> findings(store::Connection& db, const std::string& image_id) {
  return select<Finding>(db,
                         "SELECT package, version, vulnerability, severity, fixed_version, source, location, title, "
                         "aliases, status, score "
                         "FROM scan_findings WHERE image_id = ?1 ORDER BY severity DESC, id",
                         read_finding, image_id);
}

Result<> store_inventory(store::Connection& db, const StoredInventory& inventory, TimePoint now) {
  if (auto sound = check_checksum(inventory.checksum); !sound) return sound;
  if (auto image = images::get_downloaded(db, inventory.image_id); !image) return fail(std::move(image.error()));
  auto packages = storable("a number of packages", inventory.packages);
  if (!packages) return fail(std::move(packages.error()));
  auto stored = change(db,
                       "INSERT OR REPLACE INTO inventories (image_id, checksum, taken_at, packages, body) "
                       "VALUES (?1, ?2, ?3, ?4, ?5)",
                       inventory.image_id, inventory.checksum, now, *packages, inventory.body);
  if (!stored) return fail(std::move(stored.error()));
  return {};
}

Result<std::optional<StoredInventory>> find_inventory(store::Connection& db, const std::string& image_id) {
  return select_one<StoredInventory>(
      db, "SELECT image_id, checksum, taken_at, packages, body FROM inventories WHERE image_id = ?1", read_inventory,
      image_id);
}

}  // namespace slipway::catalog::scans
