#include "catalog/scans.h"

#include <utility>

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
                 .title = text(7)};
}

Result<> insert_verdict(store::Connection& db, const ScanVerdict& verdict) {
  auto vulnerabilities = storable("a number of vulnerabilities", verdict.vuln_count);
  if (!vulnerabilities) return fail(std::move(vulnerabilities.error()));
  auto stored = change(db,
                       "INSERT INTO scans (image_id, checksum, scanned_at, has_critical, has_high, vuln_count, "
                       "blocked, engine, database_date) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                       verdict.image_id, verdict.checksum, verdict.scanned_at, verdict.has_critical ? 1 : 0,
                       verdict.has_high ? 1 : 0, *vulnerabilities, verdict.blocked ? 1 : 0, verdict.engine,
                       verdict.database_date);
  if (!stored) return fail(std::move(stored.error()));
  return {};
}

}  // namespace

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
                     .current = row.int64(column + 9) != 0};
}

Result<> record(store::Connection& db, const ScanVerdict& verdict, std::span<const Finding> findings) {
  if (auto sound = check_checksum(verdict.checksum); !sound) return sound;
  if (auto sound = check_not_empty("scan engine", verdict.engine); !sound) return sound;
  if (auto image = images::get_downloaded(db, verdict.image_id); !image) return fail(std::move(image.error()));
  // The findings go with the verdict that they belong to.
  auto gone = change(db, "DELETE FROM scans WHERE image_id = ?1", verdict.image_id);
  if (!gone) return fail(std::move(gone.error()));
  if (auto stored = insert_verdict(db, verdict); !stored) return stored;
  for (const auto& finding : findings) {
    auto stored = change(db,
                         "INSERT INTO scan_findings (image_id, package, version, vulnerability, severity, "
                         "fixed_version, source, location, title) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                         verdict.image_id, finding.package, finding.version, finding.vulnerability,
                         std::to_underlying(finding.severity), finding.fixed_version, finding.source, finding.location,
                         finding.title);
    if (!stored) return fail(std::move(stored.error()));
  }
  return {};
}

Result<std::optional<ScanVerdict>> find(store::Connection& db, const std::string& image_id) {
  static const std::string sql =
      fmt::format("SELECT {} FROM scans s JOIN images i ON i.image_id = s.image_id WHERE s.image_id = ?1", kColumns);
  return select_one<ScanVerdict>(db, sql, read, image_id);
}

Result<std::vector<Finding>> findings(store::Connection& db, const std::string& image_id) {
  return select<Finding>(db,
                         "SELECT package, version, vulnerability, severity, fixed_version, source, location, title "
                         "FROM scan_findings WHERE image_id = ?1 ORDER BY severity DESC, id",
                         read_finding, image_id);
}

}  // namespace slipway::catalog::scans
