// The readers of distributions' files, one by one; their table is distribution_readers().
#pragma once

#include <string>
#include <string_view>

#include "archive/byte_source.h"
#include "base/error.h"
#include "scan/inventory/finds.h"

namespace slipway::scan {

// etc/os-release and usr/lib/os-release. One that does not say which distribution it is of is noted as unread.
[[nodiscard]] bool wants_os_release(const FileInfo& file);
[[nodiscard]] Result<> read_os_release(const FileInfo& file, archive::ByteSource& content, Finds& finds);

// var/lib/dpkg: status, and the files of status.d that images without dpkg have instead. Only what is installed is a
// package; one that dpkg has left half done is noted as unread, since files of it are there.
[[nodiscard]] bool wants_dpkg_status(const FileInfo& file);
[[nodiscard]] Result<> read_dpkg_status(const FileInfo& file, archive::ByteSource& content, Finds& finds);

// Whose files are whose: info/NAME.list or info/NAME:ARCHITECTURE.list, and status.d/NAME.md5sums.
[[nodiscard]] bool wants_dpkg_files(const FileInfo& file);
[[nodiscard]] Result<> read_dpkg_files(const FileInfo& file, archive::ByteSource& content, Finds& finds);

// lib/apk/db/installed, since 2025 in usr/lib: packages and their files.
[[nodiscard]] bool wants_apk(const FileInfo& file);
[[nodiscard]] Result<> read_apk(const FileInfo& file, archive::ByteSource& content, Finds& finds);

// The databases of rpm, in var/lib/rpm, usr/lib/sysimage/rpm or usr/share/rpm (of rpm-ostree): rpmdb.sqlite,
// Packages.db (rpm's own, "ndb") and Packages (Berkeley DB). What stands only in a write-ahead log beside the first is
// kUnsupported.
[[nodiscard]] bool wants_rpm(const FileInfo& file);
[[nodiscard]] Result<> read_rpm(const FileInfo& file, archive::ByteSource& content, Finds& finds);

// Of a source package: as Package has it, empty where it is the binary package's own.
void set_source(Package& package, std::string_view name, std::string_view version);

}  // namespace slipway::scan
