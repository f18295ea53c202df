// CAPEC: MITRE's catalog of attack patterns, as XML or (*.json) as a STIX bundle.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "feeds/providers/file_provider.h"
#include "feeds/providers/stix_items.h"

namespace slipway::feeds {

class CapecProvider : public FileProvider {
 public:
  using FileProvider::FileProvider;

 protected:
  [[nodiscard]] bool wants(std::string_view file) const override;
  [[nodiscard]] Result<> survey(const Fetched& source, const std::stop_token& stop) override;
  [[nodiscard]] Result<std::unique_ptr<Items>> open(const FeedFile& file) override;

 private:
  std::optional<StixOutline> outline_;  // of the bundles
};

// Whose ids CAPEC's objects have in a bundle.
[[nodiscard]] StixNames capec_names();

// The items of one XML file.
[[nodiscard]] std::unique_ptr<Items> capec_items(std::string file, archive::ByteSource& bytes);

}  // namespace slipway::feeds
