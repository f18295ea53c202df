// What the forms of a report share.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/severity.h"
#include "base/time.h"
#include "scan/finding.h"

namespace slipway::scan {

// Keys stay in the order in which they were put there: people compare reports.
using OrderedJson = nlohmann::ordered_json;

// For people too: indented, with a line feed at its end. Bytes that are not UTF-8 become U+FFFD, for a report has to be
// made whatever an image's files are called.
[[nodiscard]] std::string write_report(const OrderedJson& document);

// Unless it is empty.
void put(OrderedJson& object, const char* key, std::string_view text);
void put(OrderedJson& object, const char* key, const std::vector<std::string>& texts);
void put_json(OrderedJson& object, const char* key, OrderedJson value);

// "2026-11-15T20:41:24Z": what SPDX takes, and all the others as well.
[[nodiscard]] std::string to_seconds(TimePoint at);

// "0d4c5ab0-...": of this scan of this artifact, in this form. The same report has always the same.
[[nodiscard]] std::string report_uuid(const Report& report, std::string_view form);

// "slipway 0.1.0" apart.
struct Tool {
  std::string name{};
  std::string version{};  // empty: not stated
};
[[nodiscard]] Tool tool_of(const Report& report);

[[nodiscard]] std::string_view artifact_name(const Report& report);  // never empty

// Absolute, of the web, with no character that a URI may not have.
[[nodiscard]] bool is_web_url(std::string_view text);

// "CVSS:3.1/AV:N/..." is k31.
enum class CvssKind : std::uint8_t { kNone, k2, k30, k31, k40 };
[[nodiscard]] CvssKind cvss_kind(std::string_view vector);

// "1:2.3-4" of a Debian package or an RPM is epoch 1, version 2.3, release 4; any other is a version as a whole.
struct SplitVersion {
  int epoch = 0;
  std::string version{};
  std::string release{};
};
[[nodiscard]] SplitVersion split_version(PackageType type, std::string_view whole);

// A package apart from all others of a report.
[[nodiscard]] std::string package_key(const Package& package);

}  // namespace slipway::scan
