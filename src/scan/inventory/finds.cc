#include "scan/inventory/finds.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <tuple>
#include <unordered_set>

#include <fmt/format.h>

#include "archive/entry.h"
#include "base/utf8.h"
#include "scan/inventory/package_text.h"

namespace slipway::scan {
namespace {

// "/lib/x" and "usr/lib/x" are one file where /lib is a link to usr/lib, as distributions have it since 2020 or so.
std::uint64_t path_key(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.starts_with("usr/")) path.remove_prefix(4);
  return std::hash<std::string_view>{}(path);
}

auto order_of(const Package& package) {
  return std::tie(package.type, package.name, package.version, package.path, package.architecture, package.layer);
}

// What is sent and stored is plain UTF-8, and not longer than anybody would read.
bool is_sound(const std::string& text) {
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  return text.size() <= Finds::kLongest && std::ranges::none_of(text, is_control) && is_utf8(text);
}

void make_sound(std::string& text) {
  if (!is_sound(text)) text = archive::printable(text);
}

}  // namespace

void Finds::enter(std::string_view path, std::uint32_t layer) {
  path_ = archive::printable(path);
  file_ = path_key(path);
  layer_ = layer;
}

void Finds::add(Package package) {
  if (package.name.empty() || package.version.empty()) {
    unread(package.name.empty() ? "a package without a name"
                                : fmt::format("package {} has no version", archive::printable(package.name)));
    return;
  }
  if (!is_sound(package.name) || !is_sound(package.version)) {
    unread(fmt::format("the name or version of package {} is no text, or too long", archive::printable(package.name)));
    return;
  }
  if (is_full()) return;
  if (package.path.empty()) package.path = path_;
  for (auto* text :
       {&package.source, &package.source_version, &package.architecture, &package.licence, &package.path}) {
    make_sound(*text);
  }
  keep(std::move(package));
}

void Finds::keep(Package package) {
  package.layer = layer_;
  text_ += text_of(package);
  found_.packages.push_back(std::move(package));
  files_.push_back(file_);
}

bool Finds::is_full() {
  if (found_.packages.size() < kMostPackages && text_ < kMostText) return false;
  if (!std::exchange(overfull_, true)) {
    unread(found_.packages.size() < kMostPackages
               ? fmt::format("what there is to say of packages is over {} MiB", kMostText >> 20U)
               : fmt::format("there are more than {} packages", kMostPackages));
  }
  return true;
}

bool Finds::owns_too_much() {
  if (owned_.size() < kMostOwned) return false;
  if (!std::exchange(overowned_, true)) {
    unread(fmt::format("packages of the distribution own more than {} files", kMostOwned));
  }
  return true;
}

void Finds::absorb(Finds other, std::uint32_t layer) {
  path_ = std::move(other.path_);
  file_ = other.file_;
  layer_ = layer;
  for (auto& package : other.found_.packages) {
    if (is_full()) break;
    keep(std::move(package));
  }
  if (other.found_.distribution) set_distribution(std::move(*other.found_.distribution), other.rank_);
  const auto before = static_cast<std::uint32_t>(owners_.size());
  for (const auto& [path, owner, ignored] : other.owned_) {
    if (owns_too_much()) break;
    owned_.push_back({path, before + owner, layer});
  }
  std::ranges::move(other.owners_, std::back_inserter(owners_));
  for (auto& [path, reason] : other.found_.unread) unread(std::move(reason));
}

void Finds::set_distribution(Distribution distribution, int rank) {
  if (found_.distribution && rank_ <= rank) return;
  for (auto* text : {&distribution.id, &distribution.version, &distribution.codename, &distribution.name}) {
    make_sound(*text);
  }
  found_.distribution = std::move(distribution);
  rank_ = rank;
}

void Finds::own(std::string_view path, std::string_view package) {
  if (owns_too_much()) return;
  if (owners_.empty() || owners_.back() != package) owners_.emplace_back(package);
  owned_.push_back({path_key(path), static_cast<std::uint32_t>(owners_.size() - 1), layer_});
}

void Finds::unread(std::string reason) {
  constexpr std::size_t kMost = 1'000;
  constexpr std::size_t kLongestReason = 300;  // bytes
  if (reason.size() > kLongestReason) reason = archive::printable(reason);
  make_sound(reason);
  if (found_.unread.size() < kMost) found_.unread.push_back({path_, std::move(reason)});
}

std::uint64_t Finds::claim(std::uint64_t path, const Package& owner) {
  return std::hash<std::string>{}(fmt::format("{}\n{}\n{}", path, owner.name, owner.version));
}

std::multimap<std::string_view, const Package*> Finds::installed() const {
  std::multimap<std::string_view, const Package*> all;
  for (const auto& package : found_.packages) {
    if (is_of_distribution(package.type)) all.emplace(package.name, &package);
  }
  return all;
}

void Finds::precede(const Finds& earlier, std::uint32_t layer) {
  if (earlier.owned_.empty()) return;
  const std::unordered_set<std::uint64_t> asked(files_.begin(), files_.end());
  const auto owners = earlier.installed();
  for (const auto& [path, owner, ignored] : earlier.owned_) {
    if (!asked.contains(path)) continue;
    const auto [begin, end] = owners.equal_range(earlier.owners_[owner]);
    for (const auto& [name, package] : std::ranges::subrange(begin, end)) {
      const auto known = claimed_.try_emplace(claim(path, *package), layer).first;
      known->second = std::min(known->second, layer);
    }
  }
}

void Finds::set_owners() {
  const auto owners = installed();
  // By when its owner has brought a file at the latest; none: that is not installed.
  const auto brought_by = [&](const Owned& one) -> std::optional<std::uint32_t> {
    const auto [begin, end] = owners.equal_range(owners_[one.owner]);
    if (begin == end) return std::nullopt;
    auto layer = one.layer;
    for (const auto& [name, package] : std::ranges::subrange(begin, end)) {
      const auto known = claimed_.find(claim(one.path, *package));
      if (known != claimed_.end()) layer = std::min(layer, known->second);
    }
    return layer;
  };
  std::ranges::sort(owned_);
  for (std::size_t i = 0; i < found_.packages.size(); ++i) {
    auto& package = found_.packages[i];
    if (is_of_distribution(package.type)) continue;
    for (const auto& one : std::ranges::equal_range(owned_, files_[i], {}, &Owned::path)) {
      const auto layer = brought_by(one);
      if (!layer || package.layer > *layer) continue;
      package.owner = owners_[one.owner];
      break;
    }
  }
}

Inventory Finds::take() {
  set_owners();
  std::ranges::sort(found_.packages, [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
  const auto same =
      std::ranges::unique(found_.packages, [](const auto& a, const auto& b) { return order_of(a) == order_of(b); });
  found_.packages.erase(same.begin(), same.end());
  text_ = 0;
  files_ = {};
  owned_ = {};
  owners_ = {};
  claimed_ = {};
  overfull_ = false;
  overowned_ = false;
  return std::exchange(found_, {});
}

}  // namespace slipway::scan
