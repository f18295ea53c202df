// An SPDX 2.x document, whichever way it is written: what of it tells of packages.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "scan/package.h"

namespace slipway::scan {

struct SpdxPackage {
  std::string id{};
  std::string name{};
  std::string version{};
  std::string url{};  // a package URL
  std::string declared{};
  std::string concluded{};
  std::string source_info{};
  std::string purpose{};
  std::vector<std::string> notes{};  // attribution texts and annotations: "NAME: VALUE"
};

struct SpdxRelationship {
  std::string from{};
  std::string how{};
  std::string to{};
};

struct SpdxDocument {
  std::string version{};  // "SPDX-2.3"
  std::vector<SpdxPackage> packages{};
  std::vector<SpdxRelationship> relationships{};
  std::map<std::string, std::string> licences{};  // what a LicenseRef stands for
};

// kUnsupported: not of version 2.
[[nodiscard]] Result<Inventory> inventory_of(const SpdxDocument& document);

}  // namespace slipway::scan
