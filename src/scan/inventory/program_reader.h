// Programs and libraries that say what they were made of: those of Go, and those of Rust that are auditable.
#pragma once

#include "archive/byte_source.h"
#include "base/error.h"
#include "scan/inventory/finds.h"

namespace slipway::scan {

[[nodiscard]] bool wants_program(const FileInfo& file);
// Whatever is no ELF program is passed without a word.
[[nodiscard]] Result<> read_program(const FileInfo& file, archive::ByteSource& content, Finds& finds);

}  // namespace slipway::scan
