#include "feeds/providers/cce_provider.h"

#include <utility>

#include "feeds/providers/cce_files.h"

namespace slipway::feeds {

bool CceProvider::wants(std::string_view file) const { return is_cce_file(file); }

Result<> CceProvider::survey(const Fetched& source, const std::stop_token& stop) {
  collection_ = std::make_unique<CceCollection>();
  for (const auto& part : source.parts) {
    if (auto read = collect_cce(part.path, part.place, *collection_, stop); !read) {
      return read.error().during("read {}", part.place);
    }
  }
  return {};
}

Result<std::unique_ptr<Items>> CceProvider::open(const FeedFile& /*file*/) {
  if (collection_ == nullptr) return nullptr;
  return cce_items(std::move(collection_));
}

}  // namespace slipway::feeds
