// Internal to catalog/: what people are shown, over all tables. Contracts: catalog/catalog.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/query.h"
#include "catalog/types.h"

namespace slipway::catalog::status {

[[nodiscard]] Result<std::optional<ImageStatus>> of_image(store::Connection& db, const std::string& image_id);
[[nodiscard]] Result<std::vector<ImageSummary>> list(store::Connection& db, std::optional<Status> status, Page page);

}  // namespace slipway::catalog::status
