#include "feeds/providers/json_items.h"

#include <optional>
#include <utility>

#include "feeds/formats/yaml_json.h"

namespace slipway::feeds {
namespace {

class JsonFile : public Items {
 public:
  JsonFile(std::string file, archive::ByteSource& bytes, JsonElements::Options shape, ReadJson read)
      : file_(std::move(file)), elements_(bytes, std::move(shape)), read_(std::move(read)) {}

  Result<bool> advance() override {
    auto next = elements_.next();
    if (!next) return fail(std::move(next.error()));
    element_ = *next;
    ++count_;
    return element_.has_value();
  }

  Result<std::vector<Record>> records() override {
    auto root = document_.parse(element_->text);
    if (!root) return fail(std::move(root.error()));
    auto records =
        read_({.kind = element_->kind, .name = element_->name, .root = *root, .file = file_, .document = &elements_});
    if (document_.fault()) return fail(*document_.fault());  // it may be the cause of another error
    return records;
  }

  std::string name() const override {
    if (element_ && element_->kind == JsonElement::Kind::kWhole) return file_;
    if (element_ && element_->kind == JsonElement::Kind::kMember) return fmt::format("{}: {}", file_, element_->name);
    return fmt::format("{}: element {}", file_, count_);
  }

 private:
  const std::string file_;
  JsonElements elements_;
  ReadJson read_;
  JsonDocument document_;
  std::optional<JsonElement> element_;
  std::size_t count_ = 0;
};

// YAML, read whole when it is first asked for.
class YamlSource : public archive::ByteSource {
 public:
  explicit YamlSource(archive::ByteSource& yaml) : yaml_(yaml) {}

  Result<std::span<const std::byte>> next() override {
    if (read_) return std::span<const std::byte>();
    read_ = true;
    std::string text;
    for (;;) {
      const auto piece = yaml_.next();
      if (!piece) return fail(piece.error());
      if (piece->empty()) break;
      if (text.size() + piece->size() > kLargest) {
        return fail(ErrorKind::kCorrupt, "it is YAML of more than {} bytes", kLargest);
      }
      text.append(reinterpret_cast<const char*>(piece->data()), piece->size());
    }
    auto json = yaml_to_json(text);
    if (!json) return fail(std::move(json.error()));
    json_ = std::move(*json);
    return std::as_bytes(std::span(json_));
  }

 private:
  static constexpr std::size_t kLargest = std::size_t{64} << 20;

  archive::ByteSource& yaml_;
  std::string json_;
  bool read_ = false;
};

class YamlFile : public Items {
 public:
  YamlFile(std::string file, archive::ByteSource& bytes, JsonElements::Options shape, ReadJson read)
      : source_(bytes), json_(std::move(file), source_, std::move(shape), std::move(read)) {}

  Result<bool> advance() override { return json_.advance(); }
  Result<std::vector<Record>> records() override { return json_.records(); }
  std::string name() const override { return json_.name(); }

 private:
  YamlSource source_;
  JsonFile json_;
};

}  // namespace

std::unique_ptr<Items> json_items(std::string file, archive::ByteSource& bytes, JsonElements::Options shape,
                                  ReadJson read) {
  return std::make_unique<JsonFile>(std::move(file), bytes, std::move(shape), std::move(read));
}

std::unique_ptr<Items> yaml_items(std::string file, archive::ByteSource& bytes, JsonElements::Options shape,
                                  ReadJson read) {
  return std::make_unique<YamlFile>(std::move(file), bytes, std::move(shape), std::move(read));
}

}  // namespace slipway::feeds
