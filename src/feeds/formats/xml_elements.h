// Cuts an XML document into records while it is read: memory is bounded however long the document is.
//
//   XmlElements elements(source, {.records = {"Rule", "Profile"}, .containers = {"Benchmark", "Group"}});
//   for (;;) {
//     auto record = elements.next();
//     if (!record) return record.error().during("read {}", name);
//     if (!*record) break;  // the document has ended as it should
//     ... (*record)->node ...
//   }
//
// A *record* is an element that is handed out whole, as a tree, when it ends. What is in it is a part of it, whatever
// its name. A *container* is an element that may have records and containers in it, at any depth. All else that is in
// it makes its own tree; it is handed out when it ends, so after everything in it. White space before a record or
// container is not kept in the tree that it is cut out of. What is in neither is checked, and passed over.
//
// Names are local names: prefixes and namespaces do not count.
//
// Refused, as kCorrupt and with line and column: what is not well-formed or is cut off; encodings other than UTF-8,
// UTF-16, ISO-8859-1 and US-ASCII; a document type that declares anything or names another file, so that there are no
// entities but those of XML itself; what is beyond a limit.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/byte_source.h"
#include "base/error.h"
#include "feeds/formats/xml_node.h"

namespace slipway::feeds {

// The beginning of a container.
struct XmlContainer {
  std::string name{};
  XmlAttributes attributes{};

  [[nodiscard]] std::string_view attribute(std::string_view wanted) const { return find_attribute(attributes, wanted); }
};

struct XmlRecord {
  XmlNode node{};
  std::vector<std::shared_ptr<const XmlContainer>> within{};  // the containers around it, outermost first
  std::size_t line = 0;                                       // at which it begins, from 1
};

struct XmlRoot {
  std::string name{};
  std::string name_space{};  // empty: none
  XmlAttributes attributes{};
};

// One thread. `from` must outlive it.
class XmlElements {
 public:
  struct Options {
    std::vector<std::string> records{};
    std::vector<std::string> containers{};
    // Bytes, about, that a record may take in memory, together with what is kept of the containers around it.
    std::size_t largest = 16UL << 20;
    std::size_t deepest = 200;  // elements within each other, the root being the first
  };

  XmlElements(archive::ByteSource& from, Options options);
  ~XmlElements();
  XmlElements(const XmlElements&) = delete;
  XmlElements& operator=(const XmlElements&) = delete;

  // The next record or container that ended; nothing when the document has ended. Both an error and the end stay. An
  // error of the source is given on when what came before it has been handed out.
  [[nodiscard]] Result<std::optional<XmlRecord>> next();

  // Known when next() has given something; empty before.
  [[nodiscard]] const XmlRoot& root() const;

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace slipway::feeds
