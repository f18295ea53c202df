// An element of an XML document with all that is in it, as a small tree. A value; one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway::feeds {

// Names are local names: without prefix and namespace.
using XmlAttributes = std::vector<std::pair<std::string, std::string>>;

// The value of the first attribute `name`; empty when there is none.
[[nodiscard]] std::string_view find_attribute(const XmlAttributes& attributes, std::string_view name);

// Mixed content is kept exactly: `text` is what stands in the element itself, and each child knows where in it the
// child stands. "a<b>c</b>d" has the text "ad" and a child at place 1.
struct XmlNode {
  std::string name{};
  XmlAttributes attributes{};  // those without a namespace first: they are what find_attribute() finds
  std::string text{};
  std::vector<XmlNode> children{};
  std::size_t place = 0;  // bytes of the parent's text before it

  [[nodiscard]] std::string_view attribute(std::string_view wanted) const { return find_attribute(attributes, wanted); }
  // The first child element of this name; nullptr when there is none.
  [[nodiscard]] const XmlNode* child(std::string_view wanted) const;
  // All text in document order, for people: runs of white space become one space, block elements of HTML begin and end
  // a line, items of lists begin with "- ". Lines within <pre> stay as they are. No white space at the ends.
  [[nodiscard]] std::string all_text() const;

  friend bool operator==(const XmlNode&, const XmlNode&) = default;
};

}  // namespace slipway::feeds
