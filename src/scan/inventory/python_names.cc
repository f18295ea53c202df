#include "scan/inventory/python_names.h"

namespace slipway::scan {

std::string normalised_python_name(std::string_view name) {
  std::string normal;
  bool in_run = false;
  for (const char c : name) {
    const bool separates = c == '-' || c == '_' || c == '.';
    if (separates && !in_run) normal += '-';
    if (!separates) normal += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    in_run = separates;
  }
  return normal;
}

Package python_package(std::string_view name, std::string_view version) {
  return {.type = PackageType::kPypi, .name = normalised_python_name(name), .version = std::string(version)};
}

}  // namespace slipway::scan
