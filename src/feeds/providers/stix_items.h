// Internal to feeds/providers: the records of STIX bundles.
#pragma once

#include <memory>
#include <string>

#include "feeds/providers/items.h"
#include "feeds/providers/json_items.h"
#include "feeds/providers/stix.h"
#include "feeds/sources/fetcher.h"

namespace slipway::feeds {

using ReadStix = Result<std::optional<Record>> (*)(const JsonNode& object, const StixOutline& outline);

// The objects of one bundle. The outline must outlive the items.
[[nodiscard]] std::unique_ptr<Items> stix_items(const std::string& file, archive::ByteSource& bytes,
                                                const StixOutline& outline, ReadStix read);

// The outline of all bundles of a source: of what is alone, or is called *.json, and is not XML by its name.
[[nodiscard]] Result<StixOutline> survey_stix(const Fetched& source, const StixNames& names,
                                              const std::stop_token& stop);

}  // namespace slipway::feeds
