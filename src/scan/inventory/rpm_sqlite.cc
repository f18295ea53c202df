#include <utility>

#include "scan/inventory/rpm_databases.h"
#include "scan/inventory/rpm_header.h"
#include "store/memory_database.h"

namespace slipway::scan {
namespace {

// What a row takes in the file besides the header in it.
constexpr std::uint64_t kRowSize = 4;

// A table whose values are in the file, and not computed from something else.
Result<> check_table(store::MemoryDatabase& database) {
  bool there = false;
  bool computed = false;
  auto asked = database.for_each("PRAGMA table_xinfo(Packages)", [&](const store::Statement& column) -> Result<> {
    constexpr int kName = 1;
    constexpr int kHidden = 6;
    there = there || column.text(kName) == "blob";
    computed = computed || column.int64(kHidden) != 0;
    return {};
  });
  if (!asked) return asked;
  if (!there) return fail(ErrorKind::kCorrupt, "there is no table of packages in it");
  if (computed) return fail(ErrorKind::kCorrupt, "its table of packages is not one that rpm makes");
  return {};
}

}  // namespace

Result<> read_rpm_sqlite(std::string bytes, Finds& finds) {
  std::uint64_t room = bytes.size();
  auto database = store::MemoryDatabase::open(std::move(bytes));
  if (!database) return fail(std::move(database.error()));
  if (auto checked = check_table(*database); !checked) return checked;
  return database->for_each("SELECT blob FROM Packages NOT INDEXED", [&](const store::Statement& row) -> Result<> {
    const store::Bytes header = row.blob(0);
    if (header.size() + kRowSize > room) {
      return fail(ErrorKind::kCorrupt, "its packages take more room than there is: pages of it are used twice");
    }
    room -= header.size() + kRowSize;
    add_rpm_package({reinterpret_cast<const char*>(header.data()), header.size()}, finds);
    return {};
  });
}

}  // namespace slipway::scan
