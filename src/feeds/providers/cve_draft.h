// Internal to feeds/providers: what all shapes of a CVE record come to, before it is one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "feeds/formats/json_writer.h"
#include "feeds/record.h"

namespace slipway::feeds {

struct CveMetric {
  std::string_view version{};  // "2.0", "3.0", "3.1", "4.0"
  std::string_view vector{};
  std::optional<double> score{};  // as published
  std::string_view severity{};
  std::string_view source{};
  bool primary = false;  // the publisher's own, not somebody's opinion
};

struct CveReference {
  std::string_view url{};
  std::vector<std::string_view> tags{};
};

// Views of the document that it is drafted from.
struct CveDraft {
  std::string_view id{};
  std::string_view title{};
  std::string description{};
  std::string_view status{};  // the publisher's word
  std::string_view source{};  // who assigned it
  bool rejected = false;
  std::optional<TimePoint> published{};
  std::optional<TimePoint> modified{};
  std::vector<CveMetric> metrics{};
  std::vector<std::string_view> weaknesses{};  // "CWE-79", and what is none, such as "NVD-CWE-Other"
  std::vector<CveReference> references{};
  JsonWriter configurations{};  // a list, or nothing
  JsonWriter affected{};        // a list, or nothing

  // Once each.
  void add_weakness(std::string_view name);
  // Tags of a reference that is there already are added to it.
  void add_reference(CveReference reference);
};

[[nodiscard]] Result<Record> finish(const CveDraft& draft);

// "CWE-79" at the beginning of a text that goes on with a blank, a colon or nothing; else "".
[[nodiscard]] std::string_view leading_cwe(std::string_view text);

}  // namespace slipway::feeds
