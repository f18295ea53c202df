// One file of a test, read by the first of some readers that wants it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/testing/memory_source.h"
#include "scan/inventory/file_reader.h"

namespace slipway::scan {

struct ReadFile {
  std::string reader{};          // that wanted it; empty: none did
  std::optional<Error> error{};  // with which it ended
  Inventory found{};

  // "name version" of each, in order.
  [[nodiscard]] std::vector<std::string> packages() const {
    std::vector<std::string> all;
    for (const auto& one : found.packages) all.push_back(one.name + " " + one.version);
    return all;
  }
  [[nodiscard]] std::vector<std::string> unread() const {
    std::vector<std::string> all;
    for (const auto& one : found.unread) all.push_back(one.reason);
    return all;
  }
  [[nodiscard]] std::optional<ErrorKind> kind() const { return error ? std::optional(error->kind()) : std::nullopt; }
};

inline ReadFile read_file(std::span<const FileReader> readers, std::string_view path, std::string text,
                          std::size_t piece = archive::MemorySource::kWhole) {
  const FileInfo file{.path = path, .size = text.size()};
  ReadFile seen;
  for (const auto& reader : readers) {
    if (!reader.wants(file)) continue;
    Finds finds;
    finds.enter(path, 0);
    archive::MemorySource source(std::move(text), piece);
    if (auto read = reader.read(file, source, finds); !read) seen.error = read.error();
    seen.reader = reader.name;
    seen.found = finds.take();
    break;
  }
  return seen;
}

}  // namespace slipway::scan
