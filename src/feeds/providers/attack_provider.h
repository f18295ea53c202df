// MITRE ATT&CK, from its STIX bundles.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "feeds/providers/file_provider.h"
#include "feeds/providers/stix_items.h"

namespace slipway::feeds {

class AttackProvider : public FileProvider {
 public:
  using FileProvider::FileProvider;

 protected:
  [[nodiscard]] bool wants(std::string_view file) const override { return file.ends_with(".json"); }
  [[nodiscard]] Result<> survey(const Fetched& source, const std::stop_token& stop) override;
  [[nodiscard]] Result<std::unique_ptr<Items>> open(const FeedFile& file) override;
  // Matrices share mitigations, groups and software.
  [[nodiscard]] bool repeats_are_normal() const override { return true; }

 private:
  std::optional<StixOutline> outline_;
};

// Whose ids ATT&CK's objects have.
[[nodiscard]] StixNames attack_names();

}  // namespace slipway::feeds
