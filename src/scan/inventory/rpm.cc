#include <utility>

#include "scan/inventory/distributions.h"
#include "scan/inventory/file_reader.h"
#include "scan/inventory/rpm_databases.h"

namespace slipway::scan {
namespace {

// Of those that must be held whole, because their pages are in no order.
constexpr std::uint64_t kMostBytes = 96ULL << 20;

constexpr std::string_view kSqlite = "rpmdb.sqlite";
constexpr std::string_view kSqliteLog = "rpmdb.sqlite-wal";
constexpr std::string_view kNdb = "Packages.db";
constexpr std::string_view kBerkeley = "Packages";

}  // namespace

bool wants_rpm(const FileInfo& file) {
  const std::string_view name = file.name();
  const std::string_view folder = file.path.substr(0, file.path.size() - name.size());
  if (folder != "var/lib/rpm/" && folder != "usr/lib/sysimage/rpm/" && folder != "usr/share/rpm/") return false;
  return name == kSqlite || name == kNdb || name == kBerkeley || (name == kSqliteLog && file.size > 0);
}

Result<> read_rpm(const FileInfo& file, archive::ByteSource& content, Finds& finds) {
  if (file.name() == kSqliteLog) {
    return fail(ErrorKind::kUnsupported, "changes that stand in a write-ahead log beside the database are not read");
  }
  if (file.name() == kNdb) return read_rpm_ndb(content, finds);
  auto bytes = read_whole(content, kMostBytes, file.size);
  if (!bytes) return fail(std::move(bytes.error()));
  if (file.name() == kSqlite) return read_rpm_sqlite(std::move(*bytes), finds);
  return read_rpm_berkeley(*bytes, finds);
}

}  // namespace slipway::scan
