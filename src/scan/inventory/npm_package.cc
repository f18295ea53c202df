// package.json of an installed package: NAME/package.json or @SCOPE/NAME/package.json directly in node_modules, or what
// Yarn keeps in a store there.
#include <algorithm>
#include <string>
#include <utility>

#include "scan/inventory/json_members.h"
#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"

namespace slipway::scan {
namespace {

constexpr std::string_view kFolder = "node_modules/";

// "x" or "@s/x" of a package.json that is a package's own; else empty.
std::string_view folder_of_package(const FileInfo& file) {
  if (file.name() != "package.json") return {};
  const std::size_t at = file.path.rfind(kFolder);
  if (at == std::string_view::npos || (at > 0 && file.path[at - 1] != '/')) return {};
  auto folder = file.path.substr(at + kFolder.size());
  if (folder == file.name()) return {};
  folder.remove_suffix(std::string_view("/package.json").size());
  const std::size_t slash = folder.find('/');
  const bool one_name = slash == std::string_view::npos;
  const bool is_scoped = folder.starts_with('@');
  // Yarn's store of what is linked to from elsewhere: ".store/x-npm-1.2.0-c0ffee/package".
  if (folder.starts_with(".store/") && folder.ends_with("/package") && std::ranges::count(folder, '/') == 2) {
    return folder;
  }
  if (folder.starts_with('.') || is_scoped == one_name) return {};
  return is_scoped && folder.find('/', slash + 1) != std::string_view::npos ? std::string_view() : folder;
}

bool wants(const FileInfo& file) { return !folder_of_package(file).empty(); }

// A file without a version tells of no package: {"type": "module"} and the like are markers. A name that it does not
// state is that of its folder. (Where both are, the folder's may be an alias.)
Result<> read(const FileInfo& file, archive::ByteSource& content, Finds& finds) {
  feeds::JsonDocument document;
  const auto root = read_json(content, document);
  if (!root) return fail(root.error());
  const auto version = (*root)["version"].text();
  const auto stated = (*root)["name"].text();
  if (const auto& fault = document.fault()) return fail(*fault);
  if (version.empty()) return {};
  auto licence = licence_of((*root)["license"]);
  if (licence.empty()) licence = licence_of((*root)["licenses"]);
  add_package(finds, {.type = PackageType::kNpm,
                      .name = std::string(stated.empty() ? folder_of_package(file) : stated),
                      .version = std::string(version),
                      .licence = std::move(licence)});
  return {};
}

}  // namespace

FileReader npm_package_reader() { return {.name = "npm", .wants = wants, .read = read}; }

}  // namespace slipway::scan
