#include "catalog/consistency.h"

#include <utility>

#include "catalog/schema.h"

namespace slipway::catalog::consistency {
namespace {

// Each answers a row (image id, sentence) for every breach.
struct Rule {
  std::string_view name;
  std::string_view sql;
};

constexpr Rule kRules[] = {
    {"unpacked-needs-download",
     "SELECT v.image_id, 'image ' || v.image_id || ' is unpacked, but its download is ' || i.download_status "
     "FROM unpacked_images v JOIN images i ON i.image_id = v.image_id WHERE i.download_status <> 'completed'"},
    {"snapshot-needs-volume",
     "SELECT n.image_id, 'snapshot ' || n.snapshot_name || ' stands on a volume of image ' || n.image_id || "
     "CASE WHEN v.image_id IS NULL THEN ' that is not there' ELSE ' whose layout is not verified' END "
     "FROM snapshots n LEFT JOIN unpacked_images v ON v.image_id = n.image_id "
     "WHERE v.image_id IS NULL OR v.layout_verified = 0"},
    {"snapshot-origin",
     "SELECT n.image_id, 'snapshot ' || n.snapshot_name || ' stands on device ' || n.origin_device_id || "
     "', but the volume of its image ' || n.image_id || ' is device ' || v.device_id "
     "FROM snapshots n JOIN unpacked_images v ON v.image_id = n.image_id "
     "WHERE n.pool <> v.pool OR n.origin_device_id <> v.device_id"},
    {"active-needs-snapshot",
     "SELECT i.image_id, 'image ' || i.image_id || ' is active, but has no active snapshot' FROM images i "
     "WHERE i.activation_status = 'active' "
     "AND NOT EXISTS (SELECT 1 FROM snapshots n WHERE n.image_id = i.image_id AND n.active = 1)"},
    {"snapshot-needs-active",
     "SELECT i.image_id, 'image ' || i.image_id || ' has an active snapshot, but is ' || i.activation_status "
     "FROM images i WHERE i.activation_status <> 'active' "
     "AND EXISTS (SELECT 1 FROM snapshots n WHERE n.image_id = i.image_id AND n.active = 1)"},
    {"completed-needs-checksum",
     "SELECT i.image_id, 'image ' || i.image_id || ' is downloaded, but its checksum, size or path is not known' "
     "FROM images i WHERE i.download_status = 'completed' "
     "AND (coalesce(i.checksum, '') = '' OR i.size_bytes IS NULL OR coalesce(i.local_path, '') = '')"},
    {"volume-needs-reservation",
     "SELECT v.image_id, 'the volume of image ' || v.image_id || ' is device ' || v.device_id || "
     "', which is not reserved for it' FROM unpacked_images v WHERE NOT EXISTS "
     "(SELECT 1 FROM id_reservations r WHERE r.pool = v.pool AND r.device_id = v.device_id "
     "AND r.purpose = 'volume' AND r.image_id = v.image_id)"},
    {"snapshot-needs-reservation",
     "SELECT n.image_id, 'snapshot ' || n.snapshot_name || ' is device ' || n.snapshot_id || "
     "', which is not reserved for it' FROM snapshots n WHERE NOT EXISTS "
     "(SELECT 1 FROM id_reservations r WHERE r.pool = n.pool AND r.device_id = n.snapshot_id "
     "AND r.purpose = 'snapshot' AND r.image_id = n.image_id AND r.snapshot_name = n.snapshot_name)"},
    {"foreign-key",
     "SELECT '', 'row ' || coalesce(\"rowid\", '?') || ' of ' || \"table\" || ' points to a row of ' || \"parent\" || "
     "' that is not there' FROM pragma_foreign_key_check"},
    {"integrity", "SELECT '', integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'"},
};

struct Breach {
  std::string image_id;
  std::string sentence;
};

Result<Breach> read_breach(const store::Statement& row, int column) {
  return Breach{.image_id = std::string(row.text(column)), .sentence = std::string(row.text(column + 1))};
}

Result<> check_ledger(store::Connection& db, std::vector<Inconsistency>& found) {
  auto version = db.db().user_version();
  if (!version) return fail(std::move(version.error()));
  auto steps = select<std::int64_t>(db, "SELECT version FROM schema_migrations ORDER BY version", read_count);
  if (!steps) return fail(std::move(steps.error()));
  bool same = static_cast<std::int32_t>(steps->size()) == *version;
  for (std::size_t at = 0; same && at < steps->size(); ++at) same = (*steps)[at] == static_cast<std::int64_t>(at) + 1;
  if (same) return {};
  found.push_back(
      {.rule = "ledger",
       .image_id = {},
       .sentence = fmt::format("schema_migrations does not say what the file has: versions 1 to {}", *version)});
  return {};
}

}  // namespace

Result<std::vector<Inconsistency>> check(store::Connection& db) {
  // All of one instant. The lease ends the transaction, which only reads.
  if (auto begun = db.db().execute("BEGIN"); !begun) return fail(std::move(begun.error()));
  std::vector<Inconsistency> found;
  for (const auto& rule : kRules) {
    auto breaches = select<Breach>(db, rule.sql, read_breach);
    if (!breaches) return breaches.error().during("check rule {}", rule.name);
    for (auto& breach : *breaches) {
      found.push_back({.rule = std::string(rule.name),
                       .image_id = std::move(breach.image_id),
                       .sentence = std::move(breach.sentence)});
    }
  }
  if (auto ledger = check_ledger(db, found); !ledger) return fail(std::move(ledger.error()));
  return found;
}

}  // namespace slipway::catalog::consistency
