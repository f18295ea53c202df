// Which provider must be complete before which other starts.
//
// Providers may be registered in any order, so an id that is not known yet is fine here; when the work starts it is
// not. A cycle is refused by the registration that would close it. Not thread-safe.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace slipway::feeds {

class Dependencies {
 public:
  // kAlreadyExists. kInvalid: it depends on itself or a cycle would be closed, which the error shows; nothing is added.
  [[nodiscard]] Result<> add(const std::string& id, std::vector<std::string> needs);

  // kNotFound: somebody needs an id that nobody has registered.
  [[nodiscard]] Result<> check_known() const;

  // Each after all that it needs (Kahn's algorithm); where that leaves a choice, as registered. check_known() first.
  [[nodiscard]] std::vector<std::string> start_order() const;

  [[nodiscard]] std::span<const std::string> needs_of(std::string_view id) const;  // empty when unknown

  // `ids` and all that they need, directly or through others, in the order of start_order().
  [[nodiscard]] std::vector<std::string> with_needs(std::span<const std::string> ids) const;

 private:
  // From `from` along needs to `to`, with both; empty: there is no way.
  [[nodiscard]] std::vector<std::string> way(const std::string& from, const std::string& to) const;

  std::vector<std::string> registered_;
  std::map<std::string, std::vector<std::string>, std::less<>> needs_;
};

}  // namespace slipway::feeds
