// Package URLs taken apart, and what they tell of a package:
//   pkg:TYPE/NAMESPACE/NAME@VERSION?QUALIFIER=VALUE&...#SUBPATH
// The other way round is package_url (scan/reports/formats.h).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "scan/package.h"

namespace slipway::scan {

// All decoded; a namespace's or a subpath's parts are joined by slashes.
struct PackageUrl {
  std::string type{};   // lower case
  std::string space{};  // the namespace: "debian", "@babel", "org.apache.tomcat", "github.com/gorilla"
  std::string name{};
  std::string version{};
  std::map<std::string, std::string, std::less<>> qualifiers{};
  std::string subpath{};

  // Empty: it is not there.
  [[nodiscard]] std::string_view qualifier(std::string_view key) const;

  friend bool operator==(const PackageUrl&, const PackageUrl&) = default;
};

// Any text may be given. Takes what is sloppy but clear ("pkg://npm/@babel/core"). kCorrupt: it is none, or it holds
// bytes that are not UTF-8.
[[nodiscard]] Result<PackageUrl> parse_package_url(std::string_view text);

// A package of a type that is not known is kOther.
[[nodiscard]] Package package_of(const PackageUrl& url);
// Of a distribution's package that tells of it.
[[nodiscard]] std::optional<Distribution> distribution_of(const PackageUrl& url);

}  // namespace slipway::scan
