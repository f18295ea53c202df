// The forms that rpm's database has: each gives the headers of its packages to add_rpm_package(). A database of a form
// that is not read is an error, never one without packages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "archive/byte_source.h"
#include "base/error.h"
#include "scan/inventory/finds.h"

namespace slipway::scan {

// rpmdb.sqlite, of rpm 4.16 and later.
[[nodiscard]] Result<> read_rpm_sqlite(std::string bytes, Finds& finds);

// Packages.db, which SUSE has. Only one header at a time is held.
[[nodiscard]] Result<> read_rpm_ndb(archive::ByteSource& content, Finds& finds);

// Packages: a hash table of Berkeley DB, of rpm before 4.16. Not read, as kUnsupported: its other kinds, and those that
// are encrypted or have checksums, which rpm never makes.
[[nodiscard]] Result<> read_rpm_berkeley(std::string_view bytes, Finds& finds);

}  // namespace slipway::scan
