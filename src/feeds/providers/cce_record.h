// CCE's entries as NIST's lists have them: rows of sheets whose columns differ from one to the other, and the historic
// XML. One id may be there for several platforms.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "feeds/formats/json_writer.h"
#include "feeds/formats/xml_node.h"
#include "feeds/record.h"

namespace slipway::feeds {

struct CceEntry {
  std::string id{};
  std::string platform{};
  std::string title{};  // empty: none was given
  std::string description{};
  std::string parameters{};
  std::string mechanism{};
  std::vector<std::pair<std::string, std::string>> references{};  // all other columns: what is above them, and the text
};

// "CCE-80876-6", the last digit being the check digit (Luhn) of those before it. kCorrupt, with the rule.
[[nodiscard]] Result<> check_cce_id(std::string_view id);

// A title for a description without one: its first sentence, or as much of it as 120 bytes hold.
[[nodiscard]] std::string cce_title(std::string_view description);

// The rows of one sheet, from its first on.
class CceSheet {
 public:
  static constexpr std::size_t kHeaderWithin = 50;  // rows

  explicit CceSheet(std::string platform) : platform_(std::move(platform)) {}

  // Nothing for rows before the header, the header itself, and rows without an id: cells that are merged make such.
  // kCorrupt: the row's id is none.
  [[nodiscard]] Result<std::optional<CceEntry>> read(const std::vector<std::string>& cells);
  [[nodiscard]] bool has_header() const { return !columns_.empty(); }
  // kCorrupt when there was none, and cannot be one any more.
  [[nodiscard]] Result<> check_header() const;

 private:
  enum class Role : std::uint8_t { kId, kTitle, kDescription, kParameters, kMechanism, kReference };
  struct Column {
    Role role = Role::kReference;
    std::string header{};
  };
  void take_header(const std::vector<std::string>& cells);

  std::string platform_;
  std::vector<Column> columns_;
  std::size_t rows_ = 0;
};

// <cce cce_id="CCE-4191-3" platform="rhel5">. kCorrupt: its id is none.
[[nodiscard]] Result<CceEntry> read_cce_xml(const XmlNode& node);

// An entry, as it stands in the body's list of them.
[[nodiscard]] std::string cce_entry_json(const CceEntry& entry);

}  // namespace slipway::feeds
