// Decides what of a document is kept, and puts it together: the part of XmlElements that knows nothing of parsing.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "feeds/formats/xml_elements.h"

namespace slipway::feeds {

// Told of each begin, text and end in document order; they match, the caller has seen to that. One thread.
class XmlCutter {
 public:
  explicit XmlCutter(XmlElements::Options options) : options_(std::move(options)) {}

  // Whether the element that begins would be cut out: its line is wanted then.
  [[nodiscard]] bool cuts(std::string_view name) const { return role_of(name) != Role::kPart; }
  // Whether anything of the element that begins would be kept.
  [[nodiscard]] bool keeps(std::string_view name) const { return !open_.empty() || cuts(name); }

  // kCorrupt when that is beyond a limit. `attributes` may be left empty for an element that is not kept.
  [[nodiscard]] Result<> begin(std::string_view name, XmlAttributes attributes, std::size_t line);
  [[nodiscard]] Result<> text(std::string_view text);
  // The record or container that ends here, if it is one.
  [[nodiscard]] std::optional<XmlRecord> end();

 private:
  enum class Role : std::uint8_t { kPart, kRecord, kContainer };
  // An element that has begun, and is kept.
  struct Open {
    XmlNode node;
    Role role = Role::kPart;
    std::size_t line = 0;
    std::size_t held_before = 0;  // bytes held when it began
    std::size_t piece = 0;        // of its text: where the piece after its last child begins
  };

  [[nodiscard]] Role role_of(std::string_view name) const;
  [[nodiscard]] Result<> hold(std::size_t bytes);
  void drop_space_at_end(Open& parent);

  XmlElements::Options options_;
  // Once an element is kept, all within it is: elements that are passed over are only counted.
  std::vector<Open> open_;
  std::vector<std::shared_ptr<const XmlContainer>> containers_;  // those of open_
  bool in_record_ = false;
  std::size_t depth_ = 0;
  std::size_t held_ = 0;  // bytes, about, of open_ and containers_
};

}  // namespace slipway::feeds
