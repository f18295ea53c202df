#include "scan/matching/aliases.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

namespace slipway::scan {

std::vector<std::vector<std::size_t>> same_things(const std::vector<std::set<std::string>>& names) {
  std::vector<std::size_t> leader(names.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto find = [&](std::size_t at) {
    while (leader[at] != at) at = leader[at] = leader[leader[at]];
    return at;
  };
  std::map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const auto& name : names[i]) {
      const auto [known, added] = first.emplace(name, i);
      if (added) continue;
      const auto a = find(known->second);
      const auto b = find(i);
      leader[std::max(a, b)] = std::min(a, b);
    }
  }
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < names.size(); ++i) groups[find(i)].push_back(i);
  std::vector<std::vector<std::size_t>> out;
  for (auto& [ignored, group] : groups) out.push_back(std::move(group));
  return out;
}

std::string best_name(const std::set<std::string>& names) {
  const auto with = [&](std::string_view prefix) {
    return std::ranges::find_if(names, [&](const auto& name) { return name.starts_with(prefix); });
  };
  // CVE-2021-9 is lower than CVE-2021-10: shorter ones of a year come first.
  const std::string* best = nullptr;
  for (auto at = with("CVE-"); at != names.end() && at->starts_with("CVE-"); ++at) {
    const auto key = [](const std::string& id) { return std::pair(id.substr(0, 9), id.size()); };
    if (best == nullptr || key(*at) < key(*best)) best = &*at;
  }
  if (best != nullptr) return *best;
  if (const auto github = with("GHSA-"); github != names.end()) return *github;
  return names.empty() ? std::string() : *names.begin();
}

}  // namespace slipway::scan
