#include "scan/inventory/go_build_info.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "archive/entry.h"

namespace slipway::scan {
namespace {

using namespace std::string_view_literals;
using Bytes = std::span<const std::byte>;

constexpr auto kMark = "\xff Go buildinf:"sv;
constexpr auto kSection = ".go.buildinfo"sv;
constexpr std::size_t kAlign = 16;
constexpr std::size_t kHeader = 32;
constexpr std::uint64_t kMostVersion = 1'000;
constexpr std::uint64_t kMostModules = 4ULL << 20;
constexpr std::size_t kFrame = 16;  // bytes before and behind the list of modules, by which a running program finds it

constexpr unsigned kBigEndian = 1;
constexpr unsigned kInline = 2;

std::unexpected<Error> lies() {
  return fail(ErrorKind::kCorrupt, "its build information is not of the length that it states");
}

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// What the bytes behind the mark can be.
bool plausible(Bytes header) {
  if (header.size() < kHeader) return false;
  const auto width = std::to_integer<unsigned>(header[14]);
  const auto flags = std::to_integer<unsigned>(header[15]);
  return flags <= (kBigEndian | kInline) && ((flags & kInline) != 0 || width == 4 || width == 8);
}

Bytes find_in(const ElfParts::Part& part) {
  const std::string_view text = text_of(part.bytes);
  for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at + 1)) {
    const auto found = Bytes(part.bytes).subspan(at);
    if ((part.offset + at) % kAlign == 0 && plausible(found)) return found;
  }
  return {};
}

// By its section, else where Go looks for it too: in what is writable; then in the rest.
Bytes find(const ElfParts& program) {
  if (const auto section = program.section(kSection); section && *section) {
    const Bytes bytes = program.at_offset((*section)->offset);
    if (text_of(bytes).starts_with(kMark) && plausible(bytes)) return bytes;
  }
  for (const bool writable : {true, false}) {
    for (const auto& part : program.parts()) {
      if (part.writable != writable) continue;
      if (const Bytes found = find_in(part); !found.empty()) return found;
    }
  }
  return {};
}

// A length in groups of seven bits, lowest first, and so many bytes: taken off `from`.
Result<std::string> take_text(Bytes& from, std::uint64_t most) {
  std::uint64_t length = 0;
  std::size_t used = 0;
  for (bool more = true; more; ++used) {
    if (used == from.size() || used == 5) return lies();
    const auto byte = std::to_integer<std::uint64_t>(from[used]);
    length |= (byte & 0x7fU) << (7 * used);
    more = (byte & 0x80U) != 0;
  }
  from = from.subspan(used);
  if (length > most || length > from.size()) return lies();
  const auto text = from.first(static_cast<std::size_t>(length));
  from = from.subspan(text.size());
  return std::string(text_of(text));
}

struct Pointers {
  std::size_t width = 8;
  bool big_endian = false;
};

// The string whose variable is at `address`.
Result<std::string> string_at(const ElfParts& program, std::uint64_t address, Pointers pointers, std::uint64_t most) {
  const auto elsewhere = [] {
    return fail(ErrorKind::kRejected, "its build information is in a part that was not kept while it was read");
  };
  if (program.zero_at(address)) return std::string();
  const Bytes variable = program.at_address(address);
  if (variable.size() < 2 * pointers.width) return elsewhere();
  const std::uint64_t data = read_number(variable, pointers.width, pointers.big_endian);
  const std::uint64_t length = read_number(variable.subspan(pointers.width), pointers.width, pointers.big_endian);
  if (length == 0) return std::string();
  if (length > most) return lies();
  const Bytes bytes = program.at_address(data);
  if (bytes.size() < length) return elsewhere();
  return std::string(text_of(bytes.first(static_cast<std::size_t>(length))));
}

Result<GoBuildInfo> by_pointers(const ElfParts& program, Bytes header) {
  const Pointers pointers{std::to_integer<std::size_t>(header[14]),
                          (std::to_integer<unsigned>(header[15]) & kBigEndian) != 0};
  const std::uint64_t version_at = read_number(header.subspan(16), pointers.width, pointers.big_endian);
  const std::uint64_t modules_at =
      read_number(header.subspan(16 + pointers.width), pointers.width, pointers.big_endian);
  if (version_at == 0) {
    return fail(ErrorKind::kUnsupported, "the addresses of its build information are set only when it is started");
  }
  auto version = string_at(program, version_at, pointers, kMostVersion);
  if (!version) return fail(std::move(version.error()));
  auto modules = modules_at == 0 ? Result<std::string>{} : string_at(program, modules_at, pointers, kMostModules);
  if (!modules) return fail(std::move(modules.error()));
  return GoBuildInfo{std::move(*version), std::move(*modules)};
}

Result<GoBuildInfo> by_texts(Bytes header) {
  Bytes texts = header.subspan(kHeader);
  auto version = take_text(texts, kMostVersion);
  if (!version) return fail(std::move(version.error()));
  auto modules = take_text(texts, kMostModules);
  if (!modules) return fail(std::move(modules.error()));
  return GoBuildInfo{std::move(*version), std::move(*modules)};
}

std::string_view take_until(std::string_view& text, char end) {
  const auto at = text.find(end);
  const auto taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

struct Module {
  std::string_view path{};
  std::string_view version{};

  [[nodiscard]] bool released() const { return !version.empty() && version != "(devel)"; }
};

void add(Finds& finds, const std::optional<Module>& module) {
  if (!module || !module->released()) return;
  std::string_view version = module->version;
  if (version.starts_with('v')) version.remove_prefix(1);
  finds.add(
      {.type = PackageType::kGolang, .name = archive::printable(module->path), .version = archive::printable(version)});
}

// "go1.21.3", "go1.22.1 X:boringcrypto", "devel go1.23-5e1e9fa 2024-..."; before 1.17 a development version was "devel
// +hash", which tells no version.
std::optional<std::string> version_of_go(std::string_view text) {
  if (text.starts_with("devel ")) text.remove_prefix(6);
  if (!text.starts_with("go")) return std::nullopt;
  text.remove_prefix(2);
  return archive::printable(take_until(text, ' '));
}

}  // namespace

Result<GoBuildInfo> read_go_build_info(const ElfParts& program) {
  const Bytes header = find(program);
  const auto section = program.section(kSection);
  const bool has_sections = section && program.names_sections();  // then Go's would be among them
  if (header.empty() && !has_sections && !program.has_all_data()) {
    return fail(ErrorKind::kRejected, "it has too much data to be searched for what it was made of");
  }
  if (header.empty()) return GoBuildInfo{};
  const bool inline_texts = (std::to_integer<unsigned>(header[15]) & kInline) != 0;
  auto info = inline_texts ? by_texts(header) : by_pointers(program, header);
  if (!info) return info;
  std::string& modules = info->modules;
  const bool framed = modules.size() > 2 * kFrame && modules[modules.size() - kFrame - 1] == '\n';
  modules = framed ? modules.substr(kFrame, modules.size() - 2 * kFrame) : std::string();
  return info;
}

void add_go_modules(const GoBuildInfo& info, Finds& finds) {
  if (info.version.empty()) return;
  if (auto version = version_of_go(info.version)) {
    finds.add({.type = PackageType::kGolang, .name = "stdlib", .version = std::move(*version)});
  } else {
    finds.unread("it was made by Go " + archive::printable(info.version) + ", which is no version");
  }
  std::optional<Module> last;
  for (std::string_view lines = info.modules; !lines.empty();) {
    std::string_view line = take_until(lines, '\n');
    const auto kind = take_until(line, '\t');
    Module module{.path = take_until(line, '\t')};
    module.version = take_until(line, '\t');
    if (kind == "=>") {
      if (module.released()) last = module;
    } else if (kind == "mod" || kind == "dep") {
      add(finds, std::exchange(last, module));
    }
  }
  add(finds, last);
}

}  // namespace slipway::scan
