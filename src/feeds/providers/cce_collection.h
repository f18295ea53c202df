// All entries of a source, one for each id: what the lists have of it for several platforms is put together. Kept in
// memory, within limits, because what comes last may be of the same id as what comes first. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "feeds/providers/cce_record.h"
#include "feeds/providers/items.h"

namespace slipway::feeds {

class CceCollection {
 public:
  struct Limits {
    std::size_t ids = 1'000'000;
    std::size_t bytes = std::size_t{256} << 20;  // of text
    std::size_t same_id = 1000;                  // entries of one id
    std::size_t bad = 1000;
  };

  CceCollection() = default;
  explicit CceCollection(Limits limits) : limits_(limits) {}

  // kCorrupt: there are more of them than anybody has use for.
  [[nodiscard]] Result<> add(const CceEntry& entry);
  [[nodiscard]] Result<> add_bad(std::string name, Error why);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const std::vector<std::pair<std::string, Error>>& bad() const { return bad_; }
  // In the order in which the ids came first.
  [[nodiscard]] Result<Record> record(std::size_t number) const;
  [[nodiscard]] const std::string& id(std::size_t number) const { return entries_[number].id; }

 private:
  struct Merged {
    std::string id{};
    std::string title{};
    std::string description{};
    std::vector<std::string> platforms{};  // once each
    std::vector<std::string> entries{};    // JSON, once each
  };

  Limits limits_{};
  std::vector<Merged> entries_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::vector<std::pair<std::string, Error>> bad_;
  std::size_t bytes_ = 0;
};

// What is bad first, then each id.
[[nodiscard]] std::unique_ptr<Items> cce_items(std::unique_ptr<const CceCollection> collection);

}  // namespace slipway::feeds
