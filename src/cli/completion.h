// What a shell may offer for the word under the cursor. The shells' scripts are thin: they ask `slipway __complete`.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace slipway::cli {

struct Candidate {
  std::string value;
  std::string help{};
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

struct Completion {
  std::vector<Candidate> candidates;  // those that begin as the word does
  bool files = false;                 // the shell adds names of files
  bool folders = false;
};

// What only the databases know. `prefix` is what has been typed of the word.
struct CompletionSources {
  std::function<std::vector<Candidate>(std::string_view prefix)> images{};
  std::function<std::vector<Candidate>(std::string_view prefix)> runs{};
  std::function<std::vector<Candidate>(std::string_view prefix)> machines{};
  std::function<std::vector<Candidate>(std::string_view prefix)> providers{};
};

// `words` is the line without the program's name, up to the word under the cursor, which is the last (and may be
// empty).
[[nodiscard]] Completion complete_words(std::span<const std::string> words, std::span<const CommandSpec> commands,
                                        const CompletionSources& sources);

// For bash, zsh or fish; empty for any other name.
[[nodiscard]] std::string_view completion_script(std::string_view shell);

}  // namespace slipway::cli
