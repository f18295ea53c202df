// Internal to catalog/: the tables scans, scan_findings and inventories. Contracts: catalog/catalog.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/query.h"
#include "catalog/types.h"

namespace slipway::catalog::scans {

// The columns of table s beside its image i, in read()'s order.
inline constexpr std::string_view kColumns =
    "s.image_id, s.checksum, s.scanned_at, s.has_critical, s.has_high, s.vuln_count, s.blocked, s.engine, "
    "s.database_date, s.policy, s.complete, s.warnings, s.data_dates, s.suppressed, s.allowed_by, s.allowed_at, "
    "s.allowed, s.findings_digest, s.checksum = i.checksum";
inline constexpr int kColumnCount = 19;

[[nodiscard]] Result<ScanVerdict> read(const store::Statement& row, int column);

// kSame or kChanged.
[[nodiscard]] Result<Recorded> record(store::Connection& db, const ScanVerdict& verdict,
                                      std::span<const Finding> findings);
[[nodiscard]] Result<std::vector<Recorded>> record_all(store::Connection& db, std::span<const Scan> scans);
[[nodiscard]] Result<std::optional<ScanVerdict>> find(store::Connection& db, const std::string& image_id);
[[nodiscard]] Result<std::vector<Finding>> findings(store::Connection& db, const std::string& image_id);

[[nodiscard]] Result<> store_inventory(store::Connection& db, const StoredInventory& inventory, TimePoint now);
[[nodiscard]] Result<std::optional<StoredInventory>> find_inventory(store::Connection& db, const std::string& image_id);

}  // namespace slipway::catalog::scans
