#include "feeds/providers/xml_items.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/ranges.h>

namespace slipway::feeds {
namespace {

class XmlFile : public Items {
 public:
  XmlFile(std::string file, archive::ByteSource& bytes, XmlShape shape, ReadXml read)
      : file_(std::move(file)),
        roots_(std::move(shape.roots)),
        elements_(bytes, std::move(shape.elements)),
        read_(std::move(read)) {}

  Result<bool> advance() override {
    auto next = elements_.next();
    if (!next) return fail(std::move(next.error()));
    const auto& root = elements_.root().name;
    if (!roots_.empty() && std::ranges::find(roots_, root) == roots_.end()) {
      return fail(ErrorKind::kCorrupt, "the document is a \"{:.40}\", not a {}", root, fmt::join(roots_, " or a "));
    }
    record_ = std::move(*next);
    return record_.has_value();
  }

  Result<std::vector<Record>> records() override {
    return read_({.record = *record_, .root = elements_.root(), .file = file_});
  }

  std::string name() const override {
    if (!record_) return file_;
    const auto& node = record_->node;
    for (const auto* const attribute : {"ID", "id", "cce_id"}) {
      const auto id = node.attribute(attribute);
      if (!id.empty()) return fmt::format("{}: {} {:.100}", file_, node.name, id);
    }
    return fmt::format("{}: {} in line {}", file_, node.name, record_->line);
  }

 private:
  const std::string file_;
  const std::vector<std::string> roots_;
  XmlElements elements_;
  ReadXml read_;
  std::optional<XmlRecord> record_;
};

}  // namespace

std::unique_ptr<Items> xml_items(std::string file, archive::ByteSource& bytes, XmlShape shape, ReadXml read) {
  return std::make_unique<XmlFile>(std::move(file), bytes, std::move(shape), std::move(read));
}

}  // namespace slipway::feeds
