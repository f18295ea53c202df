// ASVS: OWASP's Application Security Verification Standard, as JSON (nested or flat) or CSV.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "feeds/providers/file_provider.h"

namespace slipway::feeds {

class AsvsProvider : public FileProvider {
 public:
  using FileProvider::FileProvider;

 protected:
  [[nodiscard]] bool wants(std::string_view file) const override;
  [[nodiscard]] Result<std::unique_ptr<Items>> open(const FeedFile& file) override;
  // OWASP publishes one version in several forms, side by side.
  [[nodiscard]] bool repeats_are_normal() const override { return true; }
};

// Whether a file of that name may be one of the forms that are read.
[[nodiscard]] bool is_asvs_file(std::string_view name);

// The items of one file, each read as it is come to: what they give does not hang on which were asked for records.
[[nodiscard]] std::unique_ptr<Items> asvs_items(std::string file, archive::ByteSource& bytes);

}  // namespace slipway::feeds
