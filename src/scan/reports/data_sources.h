// Those who publish advisories, as reports name them.
#pragma once

#include <string_view>

namespace slipway::scan {

struct DataSource {
  std::string_view name{};
  std::string_view url{};  // empty: not known
};

// By a finding's source: "debian". One that is not known is called what it is.
[[nodiscard]] DataSource data_source(std::string_view id);

}  // namespace slipway::scan
