// For tests of providers: all that a file's items give, and the real files of ../shared/data.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "archive/byte_source.h"
#include "feeds/providers/items.h"
#include "feeds/sources/feed_files.h"

namespace slipway::feeds {

struct ReadItems {
  std::vector<Record> records{};
  std::vector<std::string> bad{};       // "name: why"
  std::optional<std::string> broken{};  // the file
  std::set<ErrorKind> kinds{};          // of all errors

  // The record of that id; an empty one, and a failure of the test, when there is none.
  [[nodiscard]] const Record& at(std::string_view id) const {
    for (const auto& record : records) {
      if (record.urn.id() == id) return record;
    }
    ADD_FAILURE() << "there is no record " << id;
    static const Record kNone;
    return kNone;
  }
  [[nodiscard]] std::set<std::string> ids() const {
    std::set<std::string> all;
    for (const auto& record : records) all.emplace(record.urn.id());
    return all;
  }
};

inline void read_all(Items& items, ReadItems& into) {
  for (;;) {
    const auto more = items.advance();
    if (!more) {
      into.broken = more.error().message();
      into.kinds.insert(more.error().kind());
    }
    if (!more || !*more) return;
    auto records = items.records();
    if (!records) {
      into.bad.push_back(items.name() + ": " + records.error().message());
      into.kinds.insert(records.error().kind());
      continue;
    }
    for (auto& record : *records) into.records.push_back(std::move(record));
  }
}

// `open` makes items of a name and bytes.
template <class Open>
[[nodiscard]] ReadItems read_items(Open open, archive::ByteSource& bytes) {
  ReadItems read;
  read_all(*open("file", bytes), read);
  return read;
}

// "relation id" of each.
[[nodiscard]] inline std::vector<std::string> links_of(const Record& record) {
  std::vector<std::string> texts;
  for (const auto& link : record.links) texts.push_back(link.relation + " " + std::string(link.target.id()));
  return texts;
}

[[nodiscard]] inline std::filesystem::path real_data(const std::string& name) {
  const char* given = std::getenv("SLIPWAY_DATA");
  return std::filesystem::path(given != nullptr ? given : SLIPWAY_TEST_DATA) / name;
}

#define SLIPWAY_SKIP_WITHOUT(name) \
  if (!std::filesystem::exists(real_data(name))) GTEST_SKIP() << "there is no " << real_data(name)

template <class Open>
[[nodiscard]] ReadItems read_real(Open open, const std::string& name) {
  ReadItems read;
  auto files = FeedFiles::open(real_data(name));
  if (!files) {
    ADD_FAILURE() << files.error().message();
    return read;
  }
  for (;;) {
    auto file = files->next();
    if (!file) ADD_FAILURE() << file.error().message();
    if (!file || !*file) return read;
    read_all(*open((*file)->name, *(*file)->bytes), read);
  }
}

// How many records each category has.
template <class Details>
[[nodiscard]] std::map<std::string, int> categories(const ReadItems& read) {
  std::map<std::string, int> counts;
  for (const auto& record : read.records) ++counts[std::get<Details>(record.details).category];
  return counts;
}

}  // namespace slipway::feeds
