// CCE: NIST's lists of configuration items, as XLSX, CSV, JSON or XML.
#pragma once

#include <memory>
#include <string_view>

#include "feeds/providers/cce_collection.h"
#include "feeds/providers/file_provider.h"

namespace slipway::feeds {

class CceProvider : public FileProvider {
 public:
  using FileProvider::FileProvider;

 protected:
  [[nodiscard]] bool wants(std::string_view file) const override;
  // Reads the whole source: an id may be in several of its files.
  [[nodiscard]] Result<> survey(const Fetched& source, const std::stop_token& stop) override;
  // All that was found, for the first file; nothing for those after it.
  [[nodiscard]] Result<std::unique_ptr<Items>> open(const FeedFile& file) override;

 private:
  std::unique_ptr<CceCollection> collection_;  // until it is given out
};

}  // namespace slipway::feeds
