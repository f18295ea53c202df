#include "scan/inventory/distributions.h"

#include <array>

#include "scan/inventory/file_reader.h"

namespace slipway::scan {

std::span<const FileReader> distribution_readers() {
  static constexpr std::array<FileReader, 5> kReaders{{
      {"os-release", wants_os_release, read_os_release},
      {"dpkg", wants_dpkg_status, read_dpkg_status},
      {"dpkg-files", wants_dpkg_files, read_dpkg_files},
      {"apk", wants_apk, read_apk},
      {"rpm", wants_rpm, read_rpm},
  }};
  return kReaders;
}

void set_source(Package& package, std::string_view name, std::string_view version) {
  package.source = name == package.name ? "" : name;
  package.source_version = version == package.version ? "" : version;
}

}  // namespace slipway::scan
