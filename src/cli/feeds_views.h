// What the feeds know, as JSON and as lines for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output.h"
#include "feeds/query/views.h"

namespace slipway::cli {

// The keys are documented in docs/commands.md and do not change.
[[nodiscard]] OrderedJson named_json(const feeds::Named& named);
[[nodiscard]] OrderedJson entry_json(const feeds::Entry& entry);
[[nodiscard]] OrderedJson chain_json(const feeds::ChainNode& node);

// "rejected", "gone"; empty for what its publisher stands by.
[[nodiscard]] std::string standing_word(const feeds::Named& named);

struct TreeLook {
  std::size_t columns = 0;  // 0: lines are as long as they are
  bool color = false;
  bool unicode = true;
};
// What is below the root, with lines that join them.
[[nodiscard]] std::vector<std::string> tree_lines(const feeds::ChainNode& root, const TreeLook& look);

// Name and value, in the order in which they are shown.
using Facts = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Facts facts_of(const feeds::Entry& entry, const Output& output);

}  // namespace slipway::cli
