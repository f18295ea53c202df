// Providers of advisories: OSV's records of many ecosystems, and what Debian and Alpine say of their own packages.
#pragma once

#include <memory>
#include <string_view>

#include "feeds/providers/file_provider.h"

namespace slipway::feeds {

// OSV as JSON or YAML, one record a file.
class OsvProvider : public FileProvider {
 public:
  using FileProvider::FileProvider;

 protected:
  [[nodiscard]] bool wants(std::string_view file) const override;
  [[nodiscard]] Result<std::unique_ptr<Items>> open(const FeedFile& file) override;
  [[nodiscard]] int reading() const override { return 1; }
};

// Debian's security tracker, in one JSON file.
class DebianProvider : public FileProvider {
 public:
  using FileProvider::FileProvider;

 protected:
  [[nodiscard]] bool wants(std::string_view file) const override;
  [[nodiscard]] Result<std::unique_ptr<Items>> open(const FeedFile& file) override;
};

// Alpine's secdb, and Wolfi's, which has the same form: a file for each release and repository, as JSON or YAML.
class AlpineProvider : public FileProvider {
 public:
  using FileProvider::FileProvider;

 protected:
  [[nodiscard]] bool wants(std::string_view file) const override;
  [[nodiscard]] Result<std::unique_ptr<Items>> open(const FeedFile& file) override;
  [[nodiscard]] int reading() const override { return 1; }
};

// The items of one file; a name that ends in .yaml is read as YAML.
[[nodiscard]] std::unique_ptr<Items> osv_items(const std::string& file, archive::ByteSource& bytes);
[[nodiscard]] std::unique_ptr<Items> debian_items(const std::string& file, archive::ByteSource& bytes);
[[nodiscard]] std::unique_ptr<Items> alpine_items(const std::string& file, archive::ByteSource& bytes);

}  // namespace slipway::feeds
