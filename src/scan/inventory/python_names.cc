#include "scan/inventory/python_names.h"

#include "feeds/package_names.h"

namespace slipway::scan {

std::string normalised_python_name(std::string_view name) { return feeds::asked_name("PyPI", name); }

Package python_package(std::string_view name, std::string_view version) {
  return {.type = PackageType::kPypi, .name = normalised_python_name(name), .version = std::string(version)};
}

}  // namespace slipway::scan
