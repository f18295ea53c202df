// package-lock.json and npm-shrinkwrap.json. Forms 2 and 3 have all packages by their folders in "packages"; form 1 has
// a tree of them in "dependencies", which form 2 has as well, for old readers.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scan/inventory/json_members.h"
#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"

namespace slipway::scan {
namespace {

using feeds::JsonNode;

bool wants(const FileInfo& file) {
  const auto name = file.name();
  return (name == "package-lock.json" || name == "npm-shrinkwrap.json") && !is_within(file.path, "node_modules");
}

// One of "packages". Those outside of node_modules are the project's own.
void read_placed(std::string_view folder, const JsonNode& node, Finds& finds) {
  constexpr std::string_view kModules = "node_modules/";
  const std::size_t at = folder.rfind(kModules);
  if (at == std::string_view::npos || node["link"].flag() || node["dev"].flag()) return;
  const auto alias_of = node["name"].text();
  add_package(finds, {.type = PackageType::kNpm,
                      .name = std::string(alias_of.empty() ? folder.substr(at + kModules.size()) : alias_of),
                      .version = std::string(node["version"].text()),
                      .licence = licence_of(node["license"])});
}

// What is installed from somewhere else than a registry has an address in place of a version; nothing is known of it.
bool is_address(std::string_view version) {
  return version.find(':') != std::string_view::npos || version.find('/') != std::string_view::npos;
}

std::optional<Locked> named(std::string_view name, std::string_view version) {
  constexpr std::string_view kAlias = "npm:";
  if (version.starts_with(kAlias)) {
    const auto [real, real_version] = split_at_sign(version.substr(kAlias.size()));
    name = real;
    version = real_version;
  }
  if (is_address(version)) return std::nullopt;
  return Locked{.name = std::string(name), .version = std::string(version)};
}

// One of "dependencies", with those that are nested in it.
void read_tree(std::string_view name, const JsonNode& node, std::vector<Locked>& found) {
  std::vector<std::pair<std::string_view, JsonNode>> open{{name, node}};
  while (!open.empty()) {
    const auto [one, entry] = open.back();
    open.pop_back();
    if (!entry["dev"].flag()) {
      if (auto package = named(one, entry["version"].text())) found.push_back(std::move(*package));
    }
    for (const auto& nested : entry["dependencies"].members()) open.push_back(nested);
  }
}

Result<> read(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  bool is_lock = false;
  bool is_placed = false;
  std::vector<Locked> tree;
  auto read = each_member(content, [&](std::string_view name, std::string_view json) -> Result<> {
    is_lock |= name == "lockfileVersion" || name == "packages" || name == "dependencies";
    if (name == "packages") {
      is_placed = true;
      tree = {};
      return each_parsed_member(
          json, finds, [&](std::string_view folder, const JsonNode& node) { read_placed(folder, node, finds); });
    }
    if (name == "dependencies" && !is_placed) {
      return each_parsed_member(json, finds,
                                [&](std::string_view one, const JsonNode& node) { read_tree(one, node, tree); });
    }
    return {};
  });
  for (auto& one : tree) {
    add_package(finds, {.type = PackageType::kNpm, .name = std::move(one.name), .version = std::move(one.version)});
  }
  if (!read) return read;
  if (!is_lock) return fail(ErrorKind::kCorrupt, "it has no packages, and is no lock file");
  return {};
}

}  // namespace

FileReader npm_lock_reader() { return {.name = "npm lock", .wants = wants, .read = read}; }

}  // namespace slipway::scan
