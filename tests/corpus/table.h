// expected.tsv: what must happen to each file of the corpus.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::corpus {

enum class Verdict : std::uint8_t { kPass, kRefused, kCorrupt, kUnsupported };

struct Expected {
  Verdict verdict = Verdict::kCorrupt;
  std::vector<std::string> rules{};  // the one that refuses; or those of the findings, each at least once, no others
  bool has_way_out = true;           // of a refusal: a setting would allow it
};

struct Row {
  std::string file{};
  Expected standard{};
  Expected strict{};
  std::map<std::string, std::string> seen{};  // of an image that passes: kind, layers, files, size
  std::string entry{};                        // stands in the message of a refusal; empty: not checked
  std::string reason{};
};

void PrintTo(const Row& row, std::ostream* out);  // the file, for GoogleTest

// Throws std::runtime_error with the line's number when a line is not what README.md says.
[[nodiscard]] std::vector<Row> read_table(const std::string& path);

}  // namespace slipway::corpus
