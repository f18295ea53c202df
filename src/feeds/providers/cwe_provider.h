// CWE: MITRE's catalog of weaknesses, as XML (cwec_vN.xml, as it is or packed).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "feeds/providers/file_provider.h"

namespace slipway::feeds {

class CweProvider : public FileProvider {
 public:
  using FileProvider::FileProvider;

 protected:
  [[nodiscard]] bool wants(std::string_view file) const override;
  [[nodiscard]] Result<std::unique_ptr<Items>> open(const FeedFile& file) override;
};

// The items of one file.
[[nodiscard]] std::unique_ptr<Items> cwe_items(std::string file, archive::ByteSource& bytes);

}  // namespace slipway::feeds
