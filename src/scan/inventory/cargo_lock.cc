// Cargo.lock, of all forms. Packages without a source are the project's own; they are listed, since a program that is
// itself a published crate may have advisories as such.
#include <string>
#include <utility>

#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"
#include "scan/inventory/toml_tables.h"

namespace slipway::scan {
namespace {

// Crates that Cargo has unpacked bring theirs, which nobody uses.
bool wants(const FileInfo& file) { return file.name() == "Cargo.lock" && !is_within(file.path, "registry/src"); }

Result<> read(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  bool is_lock = false;
  auto read = each_toml_table(content, "package", finds, [&](const feeds::JsonNode& table, bool in_list) {
    is_lock |= in_list || table["version"].is_number();
    if (!in_list) return;
    add_package(finds, {.type = PackageType::kCargo,
                        .name = std::string(table["name"].text()),
                        .version = std::string(table["version"].text())});
  });
  if (!read) return read;
  if (!is_lock) return fail(ErrorKind::kCorrupt, "it has no packages, and is no lock file");
  return {};
}

}  // namespace

FileReader cargo_lock_reader() { return {.name = "cargo lock", .wants = wants, .read = read}; }

}  // namespace slipway::scan
