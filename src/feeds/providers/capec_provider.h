// CAPEC: MITRE's catalog of attack patterns, as XML.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "feeds/providers/file_provider.h"

namespace slipway::feeds {

class CapecProvider : public FileProvider {
 public:
  using FileProvider::FileProvider;

 protected:
  [[nodiscard]] bool wants(std::string_view file) const override;
  [[nodiscard]] Result<std::unique_ptr<Items>> open(const FeedFile& file) override;
};

// The items of one file.
[[nodiscard]] std::unique_ptr<Items> capec_items(std::string file, archive::ByteSource& bytes);

}  // namespace slipway::feeds
