// Whether a package URL that somebody wrote down means a package that is there:
//   pkg:TYPE/NAMESPACE/NAME@VERSION?QUALIFIER=VALUE&...#SUBPATH
// Taken apart (by scan/reports/package_url.h) only to be compared: letters that make no difference in a type's names
// are made small, so nothing of this is fit to be shown. Any text may be given.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::scan {

struct PurlParts {
  std::string type{};
  std::string space{};  // the namespace; its parts are joined by slashes
  std::string name{};
  std::string version{};  // empty: none is stated. Of Go without the v
  std::map<std::string, std::string, std::less<>> qualifiers{};

  friend bool operator==(const PurlParts&, const PurlParts&) = default;
};

// Nothing when it is no package URL.
[[nodiscard]] std::optional<PurlParts> split_purl(std::string_view text);

// Type, namespace and name are equal; so is all that is stated beyond them. What is not stated may be anything.
[[nodiscard]] bool covers(const PurlParts& stated, const PurlParts& actual);

}  // namespace slipway::scan
