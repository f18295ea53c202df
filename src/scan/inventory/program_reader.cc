#include "scan/inventory/program_reader.h"

#include <utility>

#include "scan/inventory/elf_parts.h"
#include "scan/inventory/go_build_info.h"
#include "scan/inventory/rust_audit.h"

namespace slipway::scan {
namespace {

constexpr std::uint64_t kSmallest = 1024;  // no program with a list in it is so small

// "libx.so", "libx.so.1.2": libraries need not be executable.
bool names_library(std::string_view name) {
  const auto at = name.rfind(".so");
  if (at == std::string_view::npos || at == 0) return false;
  const auto version = name.substr(at + 3);
  return version.empty() || (version.front() == '.' && version.find_first_not_of(".0123456789") == version.npos);
}

// A program of Go's has no list of crates: it is not missed where the names of sections were not kept.
Result<> read_rust(const ElfParts& program, bool is_go, Finds& finds) {
  const auto section = program.section(".dep-v0");
  if (!section && is_go && section.error().kind() == ErrorKind::kRejected) return {};
  if (!section) return fail(section.error());
  if (!*section) return {};
  const auto bytes = program.at_offset((*section)->offset);
  if (bytes.size() < (*section)->size) {
    return fail(ErrorKind::kRejected, "its list of crates is in a part that was not kept while it was read");
  }
  return add_rust_crates(bytes.first(static_cast<std::size_t>((*section)->size)), finds);
}

}  // namespace

bool wants_program(const FileInfo& file) {
  return file.size >= kSmallest && (file.executable || names_library(file.name()));
}

Result<> read_program(const FileInfo& file, archive::ByteSource& content, Finds& finds) {
  const auto program = ElfParts::read(content, file.size);
  if (!program) return fail(program.error());
  if (!*program) return {};
  const auto go = read_go_build_info(**program);
  if (go) add_go_modules(*go, finds);
  auto rust = read_rust(**program, go && !go->version.empty(), finds);
  if (go) return rust;
  if (!rust) finds.unread(rust.error().message());
  return fail(go.error());
}

}  // namespace slipway::scan
