// An inventory as JSON: what the catalog stores, and what the process that reads images answers with.
//
//   {"version": 2, "distribution": {"id": "debian", "version": "12", "codename": "bookworm", "name": "Debian ..."},
//    "layers": [["sha256:...", "sha256:..."]], "unread": [["var/lib/rpm/Packages", "why"]],
//    "packages": [["deb", "bash", "5.2-1", "", "", "amd64", "GPL-3", "var/lib/dpkg/status", 0, ""]]}
//
// A package is a list in the order of Package's members: names would be most of the text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "scan/package.h"

namespace slipway::scan {

// Changes when the same image may give another inventory: what was stored before is taken anew.
inline constexpr int kInventoryVersion = 2;

[[nodiscard]] std::string to_json(const Inventory& inventory);
// The same with only these packages: an inventory may be sent in parts.
[[nodiscard]] std::string to_json(const Inventory& inventory, std::span<const Package> packages);

// kUnsupported: of another version. kCorrupt: not of this shape. What comes is trusted for nothing but its meaning.
[[nodiscard]] Result<Inventory> inventory_from_json(std::string_view json);

}  // namespace slipway::scan
