#include "scan/inventory_json.h"

#include <limits>
#include <utility>

#include "feeds/formats/json_node.h"
#include "feeds/formats/json_writer.h"

namespace slipway::scan {
namespace {

using feeds::JsonNode;
using feeds::JsonWriter;

constexpr std::size_t kPackageParts = 10;

void write_package(JsonWriter& json, const Package& package) {
  json.open('[').value(to_string(package.type)).value(package.name).value(package.version).value(package.source);
  json.value(package.source_version).value(package.architecture).value(package.licence).value(package.path);
  json.number(std::int64_t{package.layer}).value(package.owner).close(']');
}

Result<Package> read_package(const JsonNode& node) {
  const auto parts = node.items();
  if (parts.size() != kPackageParts) return fail(ErrorKind::kCorrupt, "a package has {} parts", parts.size());
  const auto type = parse_package_type(parts[0].text());
  const auto layer = parts[8].number();
  if (!type) return fail(ErrorKind::kCorrupt, "a package is of type {}, which is none", parts[0].text());
  if (!layer || *layer < 0 || *layer > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorKind::kCorrupt, "a package has no layer");
  }
  const auto text = [&](std::size_t at) { return std::string(parts[at].text()); };
  return Package{.type = *type,
                 .name = text(1),
                 .version = text(2),
                 .source = text(3),
                 .source_version = text(4),
                 .architecture = text(5),
                 .licence = text(6),
                 .path = text(7),
                 .layer = static_cast<std::uint32_t>(*layer),
                 .owner = text(9)};
}

Result<std::pair<std::string, std::string>> read_pair(const JsonNode& node) {
  const auto parts = node.items();
  if (parts.size() != 2) return fail(ErrorKind::kCorrupt, "a pair has {} parts", parts.size());
  return std::pair(std::string(parts[0].text()), std::string(parts[1].text()));
}

Result<Inventory> read_inventory(const JsonNode& root) {
  if (root["version"].number() != kInventoryVersion) {
    return fail(ErrorKind::kUnsupported, "an inventory of another version than {}", kInventoryVersion);
  }
  Inventory inventory;
  if (const auto of = root["distribution"]) {
    inventory.distribution = Distribution{.id = std::string(of["id"].text()),
                                          .version = std::string(of["version"].text()),
                                          .codename = std::string(of["codename"].text()),
                                          .name = std::string(of["name"].text())};
  }
  for (const auto& node : root["layers"].items()) {
    auto layer = read_pair(node);
    if (!layer) return fail(std::move(layer.error()));
    inventory.layers.push_back({std::move(layer->first), std::move(layer->second)});
  }
  for (const auto& node : root["unread"].items()) {
    auto unread = read_pair(node);
    if (!unread) return fail(std::move(unread.error()));
    inventory.unread.push_back({std::move(unread->first), std::move(unread->second)});
  }
  for (const auto& node : root["packages"].items()) {
    auto package = read_package(node);
    if (!package) return fail(std::move(package.error()));
    inventory.packages.push_back(std::move(*package));
  }
  return inventory;
}

}  // namespace

std::string to_json(const Inventory& inventory) { return to_json(inventory, inventory.packages); }

std::string to_json(const Inventory& inventory, std::span<const Package> packages) {
  JsonWriter json;
  json.open('{').name("version").number(std::int64_t{kInventoryVersion});
  if (const auto& of = inventory.distribution) {
    json.name("distribution").open('{').member("id", of->id).member("version", of->version);
    json.member("codename", of->codename).member("name", of->name).close('}');
  }
  json.name("layers").open('[');
  for (const auto& layer : inventory.layers) json.open('[').value(layer.digest).value(layer.diff_id).close(']');
  json.close(']').name("unread").open('[');
  for (const auto& [path, reason] : inventory.unread) json.open('[').value(path).value(reason).close(']');
  json.close(']').name("packages").open('[');
  for (const auto& package : packages) write_package(json, package);
  return json.close(']').close('}').take();
}

Result<Inventory> inventory_from_json(std::string_view json) {
  feeds::JsonDocument document;
  const auto root = document.parse(json);
  if (!root) return root.error().during("read an inventory");
  auto inventory = read_inventory(*root);
  if (!inventory) return inventory.error().during("read an inventory");
  if (const auto& fault = document.fault()) return fault->during("read an inventory");
  return inventory;
}

}  // namespace slipway::scan
