// Internal to feeds/providers: the links of a record under way, each once, however often a source names it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "feeds/record.h"

namespace slipway::feeds {

class LinkList {
 public:
  // False, and nothing is added, when that cannot be an id.
  bool add(std::string_view relation, std::string_view publisher, std::string_view kind, std::string_view id) {
    auto target = Urn::make(publisher, kind, id);
    if (!target) return false;
    if (known_.emplace(relation, target->text()).second) {
      links_.push_back({.relation = std::string(relation), .target = std::move(*target)});
    }
    return true;
  }

  [[nodiscard]] std::vector<Link> take() { return std::move(links_); }

 private:
  std::vector<Link> links_;
  std::set<std::pair<std::string, std::string>> known_;
};

}  // namespace slipway::feeds
