// What Go's linker writes into programs: the version of Go and the modules that it was made of.
//
// The mark "\xff Go buildinf:" begins it, on a multiple of 16. Since Go 1.18 both texts follow it, each with its length
// before it. Before, it held the addresses of two string variables, in the program's own width and byte order, and the
// texts stand elsewhere.
#pragma once

#include <string>

#include "base/error.h"
#include "scan/inventory/elf_parts.h"
#include "scan/inventory/finds.h"

namespace slipway::scan {

struct GoBuildInfo {
  std::string version{};  // "go1.21.3"; empty: there is none, and it is no program of Go's
  std::string modules{};  // lines "path", "mod", "dep", "=>", "build"; empty: made without modules
};

// kCorrupt: lengths or addresses that make no sense. kRejected: it is in a part of the program that was not kept.
// kUnsupported: addresses that are known only when the program runs.
[[nodiscard]] Result<GoBuildInfo> read_go_build_info(const ElfParts& program);

// Go itself as "stdlib", the main module, and all that it needs; of one that was replaced, what it was replaced by,
// unless that is a folder, which has no version. Modules under development have none either, and are left out.
void add_go_modules(const GoBuildInfo& info, Finds& finds);

}  // namespace slipway::scan
