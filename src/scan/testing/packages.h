// What was found, as lines for tests: "golang stdlib 1.21.3 usr/bin/tool", licence and all else left out; then "unread
// usr/bin/tool: it is cut off".
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "scan/package.h"

namespace slipway::scan {

inline std::vector<std::string> lines_of(const Inventory& inventory) {
  std::vector<std::string> out;
  for (const Package& package : inventory.packages) {
    out.push_back(fmt::format("{} {} {} {}", to_string(package.type), package.name, package.version, package.path));
  }
  for (const Unread& unread : inventory.unread) out.push_back(fmt::format("unread {}: {}", unread.path, unread.reason));
  return out;
}

}  // namespace slipway::scan
