// Cuts a JSON document into its elements while it is read, so that one of any size can be read in the memory of its
// largest element.
//
//   {"totalResults": 2, "vulnerabilities": [{...}, {...}]}      with lists = {"vulnerabilities"}: two items
//   [{...}, {...}]                                              two items, of a list without a name
//   {"openssl": {...}, "zlib": {...}}                           with members = true: two members
//   {"id": "CVE-2024-1", ...}                                   none of these: one whole document
//
// Only the outline is checked here (brackets, commas, quotes): who reads an element parses it. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/byte_source.h"
#include "base/error.h"

namespace slipway::feeds {

struct JsonElement {
  enum class Kind : std::uint8_t { kItem, kMember, kWhole };
  Kind kind = Kind::kItem;
  std::string_view name{};  // of its list or of the member, as it stands in the document; valid until the next call
  std::string_view text{};  // JSON; valid until the next call
};

class JsonElements {
 public:
  struct Options {
    std::vector<std::string> lists{};  // members of the document whose elements are items
    bool members = false;              // its other members are handed out, too
    std::size_t largest = std::size_t{64} << 20;
    std::size_t deepest = 512;
  };

  // `from` must outlive it.
  JsonElements(archive::ByteSource& from, Options options);

  // The next element; none at the end of a document that is complete. kCorrupt, with the byte at which it went wrong.
  [[nodiscard]] Result<std::optional<JsonElement>> next();

  // A small member of the document outside of its lists, as JSON text, if it has come by; else "".
  [[nodiscard]] std::string_view header(std::string_view name) const;

 private:
  enum class Place : std::uint8_t { kBefore, kMembers, kItems, kAfter };

  // The byte at `at_` past blanks; 0 at the end of the input.
  Result<char> peek();
  Result<bool> fill();
  Result<> expect(char wanted, std::string_view where);
  Result<> open_document();
  // Moves `at_` behind the value that begins there.
  Result<> pass_value();
  Result<> pass_string();
  Result<> pass_nested();
  Result<std::string> read_name();
  Result<std::optional<JsonElement>> next_item();
  Result<std::optional<JsonElement>> next_member();
  Result<std::optional<JsonElement>> end_document();
  [[nodiscard]] bool is_list(std::string_view name) const;
  void release();
  [[nodiscard]] std::unexpected<Error> broken(std::string_view what) const;

  archive::ByteSource& from_;
  const Options options_;
  std::string buffer_;    // of the input, from byte `base_` on
  std::size_t keep_ = 0;  // what lies before it in the buffer is needed no longer
  std::size_t at_ = 0;    // next to be looked at
  std::uint64_t base_ = 0;
  bool ended_ = false;
  Place place_ = Place::kBefore;
  bool top_is_list_ = false;
  bool first_ = true;  // in the list or the object under way: no comma is due
  bool had_list_ = false;
  bool first_member_ = true;
  std::string name_;
  std::string brackets_;  // open ones of the value under way
  std::map<std::string, std::string, std::less<>> header_;
};

}  // namespace slipway::feeds
