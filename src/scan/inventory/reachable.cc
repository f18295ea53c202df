#include "scan/inventory/reachable.h"

#include <algorithm>

namespace slipway::scan {

std::uint32_t Reachable::number(std::string_view name) {
  return numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(numbers_.size())).first->second;
}

void Reachable::walk() {
  std::ranges::sort(needs_);
  reached_.assign(numbers_.size(), false);
  std::vector<std::uint32_t> open = roots_;
  while (!open.empty()) {
    const std::uint32_t one = open.back();
    open.pop_back();
    if (reached_[one]) continue;
    reached_[one] = true;
    const auto [first, last] = std::ranges::equal_range(needs_, one, {}, [](const auto& need) { return need.first; });
    for (auto need = first; need != last; ++need) open.push_back(need->second);
  }
}

bool Reachable::reached(std::string_view name) const {
  const auto found = numbers_.find(std::string(name));
  return found != numbers_.end() && found->second < reached_.size() && reached_[found->second];
}

}  // namespace slipway::scan
