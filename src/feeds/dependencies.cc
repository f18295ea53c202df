#include "feeds/dependencies.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/ranges.h>

namespace slipway::feeds {

Result<> Dependencies::add(const std::string& id, std::vector<std::string> needs) {
  if (needs_.contains(id)) return fail(ErrorKind::kAlreadyExists, "provider {} is registered already", id);
  for (const auto& need : needs) {
    auto cycle = need == id ? std::vector{id} : way(need, id);
    if (cycle.empty()) continue;
    cycle.insert(cycle.begin(), id);
    return fail(Error(ErrorKind::kInvalid,
                      fmt::format("provider {} would wait for itself: {}", id, fmt::join(cycle, " needs ")))
                    .with_hint("take one of these dependencies away"));
  }
  registered_.push_back(id);
  needs_.emplace(id, std::move(needs));
  return {};
}

Result<> Dependencies::check_known() const {
  for (const auto& id : registered_) {
    for (const auto& need : needs_of(id)) {
      if (needs_.contains(need)) continue;
      return fail(
          Error(ErrorKind::kNotFound, fmt::format("provider {} needs {}, and there is no such provider", id, need))
              .with_hint(fmt::format("the providers are {}", fmt::join(registered_, ", "))));
    }
  }
  return {};
}

std::vector<std::string> Dependencies::start_order() const {
  std::map<std::string, std::size_t, std::less<>> missing;
  for (const auto& [id, needs] : needs_) missing[id] = std::set(needs.begin(), needs.end()).size();
  std::vector<std::string> order;
  std::vector<std::string> rest = registered_;
  while (!rest.empty()) {
    const auto ready = std::ranges::find_if(rest, [&](const auto& id) { return missing[id] == 0; });
    if (ready == rest.end()) break;  // only when something unknown is needed
    order.push_back(*ready);
    rest.erase(ready);
    for (const auto& id : rest) {
      if (std::ranges::count(needs_of(id), order.back()) > 0) --missing[id];
    }
  }
  return order;
}

std::span<const std::string> Dependencies::needs_of(std::string_view id) const {
  const auto found = needs_.find(id);
  if (found == needs_.end()) return {};
  return found->second;
}

std::vector<std::string> Dependencies::with_needs(std::span<const std::string> ids) const {
  std::set<std::string> wanted;
  std::vector<std::string> open(ids.begin(), ids.end());
  while (!open.empty()) {
    const auto id = open.back();
    open.pop_back();
    if (!wanted.insert(id).second) continue;
    const auto needs = needs_of(id);
    open.insert(open.end(), needs.begin(), needs.end());
  }
  auto order = start_order();
  std::erase_if(order, [&](const auto& id) { return !wanted.contains(id); });
  return order;
}

std::vector<std::string> Dependencies::way(const std::string& from, const std::string& to) const {
  std::map<std::string, std::string> came_from{{from, ""}};
  std::vector<std::string> open{from};
  for (std::size_t next = 0; next < open.size(); ++next) {
    const auto here = open[next];
    for (const auto& need : needs_of(here)) {
      if (came_from.emplace(need, here).second) open.push_back(need);
    }
  }
  std::vector<std::string> steps;
  if (!came_from.contains(to)) return steps;
  for (std::string at = to; !at.empty(); at = came_from[at]) steps.push_back(at);
  std::ranges::reverse(steps);
  return steps;
}

}  // namespace slipway::feeds
