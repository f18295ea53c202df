// composer.lock, and vendor/composer/installed.json, which is a list in old composers and has one in later ones. What
// is installed counts, also when it is for development.
#include <string>
#include <utility>

#include "scan/inventory/json_members.h"
#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"

namespace slipway::scan {
namespace {

using feeds::JsonNode;

bool wants_lock(const FileInfo& file) { return file.name() == "composer.lock" && !is_within(file.path, "vendor"); }

bool wants_installed(const FileInfo& file) {
  return file.name() == "installed.json" && file.path.ends_with("composer/installed.json");
}

void add(const JsonNode& node, Finds& finds) {
  add_package(finds, {.type = PackageType::kComposer,
                      .name = std::string(node["name"].text()),
                      .version = std::string(node["version"].text()),
                      .licence = licence_of(node["license"])});
}

Result<> read_lock(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  return each_parsed_item(content, {"packages", "packages-dev"}, finds,
                          [&](std::string_view list, const JsonNode& node) {
                            if (list == "packages") add(node, finds);
                          });
}

Result<> read_installed(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  return each_parsed_item(content, {"packages"}, finds,
                          [&](std::string_view, const JsonNode& node) { add(node, finds); });
}

}  // namespace

FileReader composer_lock_reader() { return {.name = "composer lock", .wants = wants_lock, .read = read_lock}; }
FileReader composer_installed_reader() {
  return {.name = "composer", .wants = wants_installed, .read = read_installed};
}

}  // namespace slipway::scan
