#include "scan/reports/sbom_inventory.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/number.h"
#include "scan/inventory/finds.h"
#include "scan/letters.h"
#include "scan/reports/distribution_names.h"
#include "scan/reports/sbom_distribution.h"
#include "scan/reports/sbom_source.h"

namespace slipway::scan {
namespace {

constexpr std::size_t kMostNotes = 1000;  // a hostile document does not fill the log
constexpr std::size_t kMostLayers = 10'000;

std::string relative(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  return std::string(path);
}

// A Go module's URL is in small letters by its specification, and its name is not: the component's own tells more.
void take_spelling(const SbomComponent& component, Package& package) {
  if (package.type != PackageType::kGolang || small_letters(package.name) != package.name) return;
  for (const auto& name : {component.name, fmt::format("{}/{}", component.group, component.name)}) {
    if (!same_letters(name, package.name)) continue;
    package.name = name;
    return;
  }
}

}  // namespace

void SbomInventory::unread(std::string path, std::string reason) {
  if (found_.unread.size() >= kMostNotes) {
    ++unnoted_;
    return;
  }
  found_.unread.push_back({std::move(path), std::move(reason)});
}

void SbomInventory::set_distribution(Distribution distribution) {
  distribution.id = distribution_id(distribution.id);
  if (distribution.id.empty()) return;
  if (!found_.distribution) {
    found_.distribution = std::move(distribution);
  } else if (found_.distribution->id != distribution.id || found_.distribution->version != distribution.version) {
    unread(name_of(distribution),
           fmt::format("a second distribution: packages that do not tell of theirs are taken as those of {}",
                       name_of(*found_.distribution)));
  }
}

void SbomInventory::describe(const std::vector<Property>& properties) {
  std::size_t digests = 0;
  for (const auto& [name, value] : properties) {
    const bool trivys = name == "aquasecurity:trivy:DiffID" || name == "DiffID";
    if (found_.layers.size() < kMostLayers && (name == property::kLayerDiffId || trivys)) {
      layers_.try_emplace(value, static_cast<std::uint32_t>(found_.layers.size()));
      found_.layers.push_back({.digest = {}, .diff_id = value});
    } else if (name == property::kLayerDigest && digests < found_.layers.size()) {
      found_.layers[digests++].digest = value;
    } else if (name == property::kUnreadPath) {
      unread(value, {});
    } else if (name == property::kUnreadReason && !found_.unread.empty() && found_.unread.back().reason.empty()) {
      found_.unread.back().reason = value;
    }
  }
}

std::uint32_t SbomInventory::layer_of(const std::string& diff_id) {
  const auto next = static_cast<std::uint32_t>(found_.layers.size());
  if (next >= kMostLayers && !layers_.contains(diff_id)) return 0;
  const auto [at, added] = layers_.try_emplace(diff_id, next);
  if (added) found_.layers.push_back({.digest = {}, .diff_id = diff_id});
  return at->second;
}

void SbomInventory::apply_ours(const Property& property, Package& package) {
  const auto& [name, value] = property;
  if (name == property::kName) package.name = value;
  if (name == property::kVersion) package.version = value;
  if (name == property::kArchitecture) package.architecture = value;
  if (name == property::kSourceName) package.source = value;
  if (name == property::kSourceVersion) package.source_version = value;
  if (name == property::kPath) package.path = value;
  if (name == property::kOwner) package.owner = value;
  if (name == property::kLayerIndex) package.layer = parse_number<std::uint32_t>(value).value_or(0);
}

void SbomInventory::apply_trivys(std::string_view name, const std::string& value, Package& package) {
  if (name == "FilePath") package.path = relative(value);
  if (name == "LayerDiffID") package.layer = layer_of(value);
  // After the line above: both are told together, this one first or second.
  if (name == "LayerDigest" && package.layer < found_.layers.size()) {
    auto& digest = found_.layers[package.layer].digest;
    if (digest.empty()) digest = value;
  }
}

void SbomInventory::apply(const SbomComponent& component, Package& package) {
  package.licence = component.licence;
  set_source(component, package);
  // The digest belongs to the layer that the other one names.
  for (const std::string_view wanted : {"LayerDiffID", "LayerDigest", "FilePath"}) {
    for (const auto& [name, value] : component.properties) {
      std::string_view bare = name;
      if (bare.starts_with(property::kTrivy)) bare.remove_prefix(property::kTrivy.size());
      if (bare == wanted) apply_trivys(bare, value, package);
    }
  }
  for (const auto& [name, value] : component.properties) {
    if (name == "syft:location:0:path" && package.path.empty()) package.path = relative(value);
  }
  for (const auto& property : component.properties) {
    if (property.name.starts_with(property::kOurs)) apply_ours(property, package);
  }
}

void SbomInventory::add(const SbomComponent& component) {
  const auto label = component.name.empty() ? component.ref : component.name;
  if (component.url.empty()) return unread(label, "it has no package URL");
  if (found_.packages.size() >= Finds::kMostPackages) {
    if (!std::exchange(overfull_, true)) {
      unread(label, fmt::format("there are more than {} packages: what follows is left out", Finds::kMostPackages));
    }
    return;
  }
  const auto url = parse_package_url(component.url);
  if (!url) return unread(label, url.error().message());
  Package package = package_of(*url);
  take_spelling(component, package);
  if (package.version.empty()) package.version = component.version;
  apply(component, package);
  if (package.name.empty() || package.version.empty()) return unread(label, "it has no name or no version");
  if (!from_urls_) from_urls_ = distribution_of(*url);
  if (is_of_distribution(package.type)) {
    auto& told = told_[fmt::format("{}/{}?{}", url->type, url->space, url->qualifier("distro"))];
    if (told.packages.empty()) told.url = *url;
    told.packages.push_back(found_.packages.size());
  }
  if (!component.ref.empty()) refs_.try_emplace(component.ref, found_.packages.size());
  found_.packages.push_back(std::move(package));
}

void SbomInventory::add_artifact(const SbomComponent& component) {
  const auto url = parse_package_url(component.url);
  if (url && package_of(*url).type != PackageType::kOther) add(component);
}

void SbomInventory::add_file(std::string ref, std::string_view path) {
  files_.emplace_back(std::move(ref), relative(path));
}

void SbomInventory::add_edge(std::string from, std::string to) { edges_.emplace(std::move(from), std::move(to)); }

void SbomInventory::spread_paths() {
  std::set<std::string_view> seen;
  for (const auto& [start, path] : files_) {
    std::vector<std::string_view> open{start};
    while (!open.empty()) {
      const auto at = open.back();
      open.pop_back();
      if (!seen.insert(at).second) continue;
      if (const auto found = refs_.find(at); found != refs_.end()) {
        Package& package = found_.packages[found->second];
        if (package.path.empty() && !is_of_distribution(package.type)) package.path = path;
      }
      for (auto [edge, end] = edges_.equal_range(at); edge != end; ++edge) open.emplace_back(edge->second);
    }
  }
}

void SbomInventory::leave_out_others() {
  if (!found_.distribution) return;
  std::vector<bool> others(found_.packages.size());
  for (const auto& [text, told] : told_) {
    if (may_be_of(told.url, *found_.distribution)) continue;
    unread(fmt::format("packages of {}", distribution_name(told.url)),
           fmt::format("the SBOM is taken as one of {}, and they are left out ({})", name_of(*found_.distribution),
                       told.packages.size()));
    for (const auto at : told.packages) others[at] = true;
  }
  std::size_t at = 0;
  std::erase_if(found_.packages, [&](const Package&) { return others[at++]; });
}

Inventory SbomInventory::take() {
  spread_paths();
  if (!found_.distribution) found_.distribution = std::move(from_urls_);
  leave_out_others();
  const bool listed_nothing = found_.packages.empty() && found_.unread.empty();
  if (listed_nothing && !complete_) unread("the SBOM", "it lists no packages");
  if (unnoted_ > 0) found_.unread.push_back({"", fmt::format("and {} more", unnoted_)});
  const auto key = [](const Package& p) {
    return std::tie(p.type, p.name, p.version, p.path, p.layer, p.architecture, p.source, p.source_version, p.licence,
                    p.owner);
  };
  auto& packages = found_.packages;
  std::ranges::sort(packages, [&](const Package& a, const Package& b) { return key(a) < key(b); });
  const auto repeated = std::ranges::unique(packages);
  packages.erase(repeated.begin(), repeated.end());
  return std::exchange(*this, SbomInventory()).found_;
}

}  // namespace slipway::scan
