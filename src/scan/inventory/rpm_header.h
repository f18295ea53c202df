// The header of an rpm package, as rpm's databases hold it: a list of tags, and the data that they point to. All
// numbers are big-endian.
//
//   number of entries, size of the data; entries: tag, type, offset into the data, count; the data
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "scan/inventory/finds.h"

namespace slipway::scan {

// A view of bytes, which must outlive it.
class RpmHeader {
 public:
  enum Tag : std::uint16_t {
    kName = 1000,
    kVersion = 1001,
    kRelease = 1002,
    kEpoch = 1003,
    kLicence = 1014,
    kArchitecture = 1022,
    kSourceRpm = 1044,
    kFolderIndexes = 1116,
    kBaseNames = 1117,
    kFolders = 1118,
  };

  // kCorrupt unless it is as long as it says.
  [[nodiscard]] static Result<RpmHeader> parse(std::string_view bytes);

  // Each is empty when there is no such tag, and kCorrupt when it is of another type or reaches beyond the data.
  [[nodiscard]] Result<std::string_view> text(Tag tag) const;
  [[nodiscard]] Result<std::vector<std::string_view>> texts(Tag tag) const;
  [[nodiscard]] Result<std::optional<std::uint32_t>> number(Tag tag) const;
  [[nodiscard]] Result<std::vector<std::uint32_t>> numbers(Tag tag) const;

 private:
  struct Entry {
    std::uint32_t type = 0;
    std::uint32_t count = 0;
    std::string_view data{};  // from its offset to the end of all
  };

  RpmHeader(std::string_view entries, std::string_view data) : entries_(entries), data_(data) {}
  Result<std::optional<Entry>> find(Tag tag) const;

  std::string_view entries_;
  std::string_view data_;
};

// The package with its files, unless it is one of those that stand for a key ("gpg-pubkey"). What is wrong with it is
// noted as unread.
void add_rpm_package(std::string_view header, Finds& finds);

}  // namespace slipway::scan
