// The list of crates that "cargo auditable" puts into programs: the section .dep-v0, JSON compressed by zlib.
#pragma once

#include <cstdint>
#include <span>

#include "base/error.h"
#include "scan/inventory/finds.h"

namespace slipway::scan {

inline constexpr std::uint64_t kMostAuditBytes = 8ULL << 20;  // unpacked

// `section` is its content. Adds all crates that are in the program, itself too; those that were only needed to build
// it are left out. kCorrupt: it is no such list. kRejected: it unpacks to more than kMostAuditBytes.
[[nodiscard]] Result<> add_rust_crates(std::span<const std::byte> section, Finds& finds);

}  // namespace slipway::scan
