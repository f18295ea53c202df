// Items of XML files: each record that is cut out of one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "archive/byte_source.h"
#include "feeds/formats/xml_elements.h"
#include "feeds/providers/items.h"

namespace slipway::feeds {

struct XmlShape {
  std::vector<std::string> roots{};  // the names that the document's root may have; none: any
  XmlElements::Options elements{};
};

struct XmlItem {
  const XmlRecord& record;
  const XmlRoot& root;
  std::string_view file{};  // that it is in
};

using ReadXml = std::function<Result<std::vector<Record>>(const XmlItem&)>;

// `bytes` must outlive the items. A document with another root is broken as a whole: what has the same names in it as
// ours is still none of ours.
[[nodiscard]] std::unique_ptr<Items> xml_items(std::string file, archive::ByteSource& bytes, XmlShape shape,
                                               ReadXml read);

}  // namespace slipway::feeds
