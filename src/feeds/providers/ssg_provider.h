// SSG: the SCAP Security Guide's benchmarks, as SCAP datastreams (ssg-PRODUCT-ds.xml) and as XCCDF.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "feeds/providers/file_provider.h"

namespace slipway::feeds {

class SsgProvider : public FileProvider {
 public:
  using FileProvider::FileProvider;

 protected:
  [[nodiscard]] bool wants(std::string_view file) const override;
  [[nodiscard]] Result<std::unique_ptr<Items>> open(const FeedFile& file) override;
  // A package has a product's benchmark in a datastream and by itself.
  [[nodiscard]] bool repeats_are_normal() const override { return true; }
};

// Whether a file of that name may have a benchmark in it: the package has its checks in files of their own.
[[nodiscard]] bool is_ssg_file(std::string_view name);

// The items of one file.
[[nodiscard]] std::unique_ptr<Items> ssg_items(std::string file, archive::ByteSource& bytes);

}  // namespace slipway::feeds
