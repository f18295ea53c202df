// CVE: from NVD's API, or from files in any of the shapes of cve_record.h.
#pragma once

#include <memory>
#include <string_view>

#include "base/error.h"
#include "feeds/providers/file_provider.h"
#include "feeds/providers/nvd_api.h"

namespace slipway::feeds {

class CveProvider : public FileProvider {
 public:
  // Both must outlive it.
  CveProvider(Fetcher& fetcher, net::HttpClient& client) : FileProvider(fetcher), api_(client) {}

  [[nodiscard]] Result<> run(Intake& intake) override;

 protected:
  [[nodiscard]] bool wants(std::string_view file) const override;
  [[nodiscard]] Result<std::unique_ptr<Items>> open(const FeedFile& file) override;
  // Feeds of what is recent tell of nothing else.
  [[nodiscard]] bool tells_all(std::string_view file) const override;

 private:
  NvdApi api_;
};

// The items of one file.
[[nodiscard]] std::unique_ptr<Items> cve_items(std::string file, archive::ByteSource& bytes);

}  // namespace slipway::feeds
