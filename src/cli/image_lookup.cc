#include "cli/image_lookup.h"

#include <utility>

#include "cli/pipeline_setup.h"

namespace slipway::cli {

Result<catalog::Image> find_image(const Session& session, catalog::Catalog& catalog, const std::string& name) {
  auto image = catalog.resolve_image(name);
  if (image || image.error().kind() != ErrorKind::kNotFound) return image;
  if (auto by_key = catalog.resolve_image(full_key(session.settings, name))) return by_key;
  return image;
}

Result<std::unique_ptr<catalog::Catalog>> open_catalog_for(const Session& session, const std::string& name) {
  auto catalog = catalog::Catalog::open_reader(session.settings.sqlite_path.string(), session.clock);
  if (!catalog && catalog.error().kind() == ErrorKind::kNotFound) {
    return fail(ErrorKind::kNotFound, "there is no image {}: there are none yet", name);
  }
  return catalog;
}

}  // namespace slipway::cli
