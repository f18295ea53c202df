#include "feeds/providers/asvs_provider.h"

#include <optional>
#include <utility>

#include "feeds/providers/asvs_record.h"
#include "feeds/providers/csv_items.h"
#include "feeds/providers/json_items.h"

namespace slipway::feeds {
namespace {

// A reader made with the version that the first item tells.
class LazyReader {
 public:
  AsvsReader& get(std::string_view says, std::string_view file, bool numbered_levels) {
    if (!reader_) reader_.emplace(asvs_version(says, file, numbered_levels));
    return *reader_;
  }

 private:
  std::optional<AsvsReader> reader_;
};

Result<std::vector<Record>> read_json(LazyReader& reader, const JsonItem& item) {
  if (item.name == "requirements") {
    return reader.get("", item.file, static_cast<bool>(item.root["L"])).read_flat(item.root);
  }
  if (item.name == "Requirements") {
    return reader.get(item.document->header("Version"), item.file, false).read_chapter(item.root);
  }
  return fail(ErrorKind::kCorrupt, "it is no ASVS: there are no requirements in it");
}

Result<std::vector<Record>> read_csv(LazyReader& reader, const CsvItem& item) {
  return reader.get("", item.file, item.has("L"))
      .read_row({.chapter_id = item.cell("chapter_id"),
                 .chapter_name = item.cell("chapter_name"),
                 .section_id = item.cell("section_id"),
                 .section_name = item.cell("section_name"),
                 .id = item.cell("req_id"),
                 .text = item.cell("req_description"),
                 .marks = {item.cell("level1"), item.cell("level2"), item.cell("level3")},
                 .level = item.cell("L"),
                 .cwe = item.cell("cwe"),
                 .nist = item.cell("nist")});
}

std::unique_ptr<Items> items_of(const std::string& file, char first, archive::ByteSource& bytes) {
  auto reader = std::make_shared<LazyReader>();
  if (first == '{' || first == '[') {
    return json_items(file, bytes, {.lists = {"requirements", "Requirements"}},
                      [reader](const JsonItem& item) { return read_json(*reader, item); });
  }
  return csv_items(file, bytes, {"chapter_id", "section_id", "req_id", "req_description"},
                   [reader](const CsvItem& item) { return read_csv(*reader, item); });
}

// Which requirement is the first of its section is known only when all before it were read.
class EachRead : public Items {
 public:
  explicit EachRead(std::unique_ptr<Items> items) : items_(std::move(items)) {}

  Result<bool> advance() override {
    auto more = items_->advance();
    if (more && *more) records_ = items_->records();
    return more;
  }
  Result<std::vector<Record>> records() override { return std::move(records_); }
  std::string name() const override { return items_->name(); }

 private:
  std::unique_ptr<Items> items_;
  Result<std::vector<Record>> records_;
};

}  // namespace

bool is_asvs_file(std::string_view name) {
  if (name.ends_with(".cdx.json")) return false;
  return name.ends_with(".json") || name.ends_with(".csv");
}

std::unique_ptr<Items> asvs_items(std::string file, archive::ByteSource& bytes) {
  auto make = [file](char first, archive::ByteSource& peeked) { return items_of(file, first, peeked); };
  return std::make_unique<EachRead>(items_by_first_byte(std::move(file), bytes, std::move(make)));
}

bool AsvsProvider::wants(std::string_view file) const { return is_asvs_file(file); }

Result<std::unique_ptr<Items>> AsvsProvider::open(const FeedFile& file) { return asvs_items(file.name, *file.bytes); }

}  // namespace slipway::feeds
