// Images and snapshots by what people type.
#pragma once

#include <string>

#include "base/error.h"
#include "catalog/catalog.h"
#include "cli/command.h"

namespace slipway::cli {

// An id, the beginning of one, or a key with or without the configured prefix. kNotFound; kConflict when it may mean
// several.
[[nodiscard]] Result<catalog::Image> find_image(const Session& session, catalog::Catalog& catalog,
                                                const std::string& name);

// The catalog for looking. kNotFound, in words about `name`, when there is none yet.
[[nodiscard]] Result<std::unique_ptr<catalog::Catalog>> open_catalog_for(const Session& session,
                                                                         const std::string& name);

}  // namespace slipway::cli
