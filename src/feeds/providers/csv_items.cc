#include "feeds/providers/csv_items.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace slipway::feeds {
namespace {

class CsvFile : public Items {
 public:
  CsvFile(std::string file, archive::ByteSource& bytes, std::vector<std::string> needed, ReadCsv read)
      : file_(std::move(file)), needed_(std::move(needed)), rows_(bytes), read_(std::move(read)) {}

  Result<bool> advance() override {
    if (header_.empty()) {
      if (auto begun = read_header(); !begun) return fail(std::move(begun.error()));
    }
    auto next = rows_.next();
    if (!next) return fail(std::move(next.error()));
    row_ = std::move(*next);
    return row_.has_value();
  }

  Result<std::vector<Record>> records() override {
    if (row_->cells.size() != header_.size()) {
      return fail(ErrorKind::kCorrupt, "the row has {} cells, and the header {}", row_->cells.size(), header_.size());
    }
    return read_({.header = header_, .row = *row_, .file = file_});
  }

  std::string name() const override { return row_ ? fmt::format("{}: line {}", file_, row_->line) : file_; }

 private:
  Result<> read_header() {
    auto first = rows_.next();
    if (!first) return fail(std::move(first.error()));
    if (!*first) return fail(ErrorKind::kCorrupt, "the file is empty");
    header_ = std::move((*first)->cells);
    for (const auto& column : needed_) {
      if (std::ranges::find(header_, column) == header_.end()) {
        return fail(ErrorKind::kCorrupt, "there is no column \"{}\" in line {}", column, (*first)->line);
      }
    }
    return {};
  }

  const std::string file_;
  const std::vector<std::string> needed_;
  CsvRows rows_;
  ReadCsv read_;
  std::vector<std::string> header_;
  std::optional<CsvRows::Row> row_;
};

class SniffedFile : public Items {
 public:
  SniffedFile(std::string file, archive::ByteSource& bytes, MakeItems make)
      : file_(std::move(file)), source_(bytes), make_(std::move(make)) {}

  Result<bool> advance() override {
    if (items_ == nullptr) {
      const auto first = source_.first();
      if (!first) return fail(first.error());
      items_ = make_(*first, source_);
    }
    return items_->advance();
  }

  Result<std::vector<Record>> records() override { return items_->records(); }
  std::string name() const override { return items_ == nullptr ? file_ : items_->name(); }

 private:
  const std::string file_;
  PeekedSource source_;
  MakeItems make_;
  std::unique_ptr<Items> items_;
};

}  // namespace

bool CsvItem::has(std::string_view column) const { return std::ranges::find(header, column) != header.end(); }

std::string_view CsvItem::cell(std::string_view column) const {
  const auto found = std::ranges::find(header, column);
  if (found == header.end()) return {};
  return row.cells[static_cast<std::size_t>(found - header.begin())];
}

Result<char> PeekedSource::first() {
  constexpr std::size_t kLongEnough = 4096;
  while (!peeked_) {
    const auto piece = from_.next();
    if (!piece) return fail(piece.error());
    beginning_.append(reinterpret_cast<const char*>(piece->data()), piece->size());
    peeked_ = piece->empty() || beginning_.size() >= kLongEnough ||
              beginning_.find_first_not_of("\xEF\xBB\xBF \t\r\n") != std::string::npos;
  }
  const auto at = beginning_.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  return at == std::string::npos ? '\0' : beginning_[at];
}

Result<std::span<const std::byte>> PeekedSource::next() {
  if (!given_) {
    given_ = true;
    if (!beginning_.empty()) return std::as_bytes(std::span(beginning_));
  }
  return from_.next();
}

std::unique_ptr<Items> csv_items(std::string file, archive::ByteSource& bytes, std::vector<std::string> needed,
                                 ReadCsv read) {
  return std::make_unique<CsvFile>(std::move(file), bytes, std::move(needed), std::move(read));
}

std::unique_ptr<Items> items_by_first_byte(std::string file, archive::ByteSource& bytes, MakeItems make) {
  return std::make_unique<SniffedFile>(std::move(file), bytes, std::move(make));
}

}  // namespace slipway::feeds
