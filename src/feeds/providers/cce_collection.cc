#include "feeds/providers/cce_collection.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace slipway::feeds {
namespace {

class CollectedItems : public Items {
 public:
  explicit CollectedItems(std::unique_ptr<const CceCollection> collection) : collection_(std::move(collection)) {}

  Result<bool> advance() override {
    ++next_;
    return next_ <= collection_->bad().size() + collection_->size();
  }

  Result<std::vector<Record>> records() override {
    if (is_bad()) return fail(collection_->bad()[next_ - 1].second);
    auto record = collection_->record(number());
    if (!record) return fail(std::move(record.error()));
    std::vector<Record> one;
    one.push_back(std::move(*record));
    return one;
  }

  std::string name() const override {
    return is_bad() ? collection_->bad()[next_ - 1].first : collection_->id(number());
  }

 private:
  [[nodiscard]] bool is_bad() const { return next_ <= collection_->bad().size(); }
  [[nodiscard]] std::size_t number() const { return next_ - 1 - collection_->bad().size(); }

  std::unique_ptr<const CceCollection> collection_;
  std::size_t next_ = 0;  // counted from 1: the one that it is at
};

}  // namespace

Result<> CceCollection::add(const CceEntry& entry) {
  const auto known = by_id_.find(entry.id);
  if (known == by_id_.end() && entries_.size() >= limits_.ids) {
    return fail(ErrorKind::kCorrupt, "there are more than {} CCE ids", limits_.ids);
  }
  const auto place = known == by_id_.end() ? entries_.size() : known->second;
  if (known == by_id_.end()) {
    by_id_.emplace(entry.id, place);
    entries_.push_back({.id = entry.id});
  }
  auto& merged = entries_[place];
  if (merged.description.empty()) merged.description = entry.description;
  if (merged.title.empty()) merged.title = entry.title;
  if (!entry.platform.empty() && std::ranges::find(merged.platforms, entry.platform) == merged.platforms.end()) {
    merged.platforms.push_back(entry.platform);
  }
  auto json = cce_entry_json(entry);
  if (std::ranges::find(merged.entries, json) == merged.entries.end()) {
    if (merged.entries.size() >= limits_.same_id) {
      return fail(ErrorKind::kCorrupt, "{} is there more than {} times", entry.id, limits_.same_id);
    }
    bytes_ += json.size() + entry.description.size();
    merged.entries.push_back(std::move(json));
  }
  if (bytes_ > limits_.bytes) return fail(ErrorKind::kCorrupt, "the texts take more than {} bytes", limits_.bytes);
  return {};
}

Result<> CceCollection::add_bad(std::string name, Error why) {
  if (bad_.size() >= limits_.bad) {
    return fail(ErrorKind::kCorrupt, "more than {} entries are bad; the last is {}: {}", limits_.bad, name,
                why.message());
  }
  bad_.emplace_back(std::move(name), std::move(why));
  return {};
}

Result<Record> CceCollection::record(std::size_t number) const {
  const auto& merged = entries_[number];
  auto urn = Urn::make("nist", "cce", merged.id);
  if (!urn) return fail(ErrorKind::kCorrupt, "{:.40}: {}", merged.id, urn.error().message());
  Record record{.urn = std::move(*urn)};
  record.title = merged.title.empty() ? cce_title(merged.description) : merged.title;
  record.description = merged.description.empty() ? merged.title : merged.description;
  JsonWriter json;
  json.open('{').name("entries").open('[');
  for (const auto& entry : merged.entries) json.raw(entry);
  json.close(']').close('}');
  record.details = Cce{.platform = fmt::format("{}", fmt::join(merged.platforms, ", ")), .body = json.take()};
  return record;
}

std::unique_ptr<Items> cce_items(std::unique_ptr<const CceCollection> collection) {
  return std::make_unique<CollectedItems>(std::move(collection));
}

}  // namespace slipway::feeds
