// OWASP's ASVS in the forms that it is published in: chapters with sections with requirements, or requirements that say
// of which section and chapter they are.
//
// From version 5 on the ids are plain ("14.1.2", section "14.1", chapter "14"); those of older versions have it in
// front, as OWASP recommends ("v4.0.3-14.1.2").
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "feeds/formats/json_node.h"
#include "feeds/record.h"

namespace slipway::feeds {

// A requirement as the flat forms have it.
struct AsvsRow {
  std::string_view chapter_id{};  // "V14"
  std::string_view chapter_name{};
  std::string_view section_id{};  // "V14.1"
  std::string_view section_name{};
  std::string_view id{};  // "V14.1.2"
  std::string_view text{};
  std::string_view marks[3]{};  // anything in the column of a level: it is required there
  std::string_view level{};     // "2": the least one; instead of marks
  std::string_view cwe{};       // "521", several with anything between them
  std::string_view nist{};      // "5.1.1.2 / A.3"
};

// Which version a document is of: as it says itself; else by the name of its file, where "legacy" is a form of 5.0.0;
// else by whether it has levels as numbers, which came with 5.0.0.
[[nodiscard]] std::string asvs_version(std::string_view says, std::string_view file, bool numbered_levels);

// Reads one document. Sections and chapters of rows are given out with the first requirement of theirs.
class AsvsReader {
 public:
  explicit AsvsReader(std::string version) : version_(std::move(version)) {}

  // kCorrupt, with the id: something is no id, or the requirement was there before.
  [[nodiscard]] Result<std::vector<Record>> read_row(const AsvsRow& row);
  // {"chapter_id": "V1", ..., "req_id": "V1.1.1", ...}. Wrong types are faults of the document that it is of.
  [[nodiscard]] Result<std::vector<Record>> read_flat(const JsonNode& row);
  // {"Shortcode": "V1", "Items": [{"Shortcode": "V1.1", "Items": [...]}]}
  [[nodiscard]] Result<std::vector<Record>> read_chapter(const JsonNode& chapter);

 private:
  std::string version_;
  std::set<std::string, std::less<>> seen_;
};

}  // namespace slipway::feeds
