// What somebody decided not to count, with the reason: one rule a line.
//
//   # .slipwayignore
//   CVE-2023-4911 until=2025-06-30 no setuid programs in this image
//   GHSA-jfh8-c2jp-5v3q package=log4j-core the vulnerable class is removed by our build
//
//   ID [package=NAME] [until=YYYY-MM-DD] REASON...
//
// The reason is required: a rule that nobody can explain is one that nobody dares to remove. In front of it a word that
// looks like an option and is none is an error, and so is an option within it: a rule whose limit is misspelt or stands
// in the wrong place would have none, and suppress more than its author meant.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "scan/finding.h"

namespace slipway::scan {

struct IgnoreRule {
  std::string id{};       // of a vulnerability, or another name of it; capital or small letters are the same
  std::string package{};  // its name or that of its source package; empty: any
  std::optional<std::chrono::sys_days> until{};  // the last day on which it counts (UTC)
  std::string reason{};
  std::size_t line = 0;

  [[nodiscard]] bool counts_at(TimePoint now) const;
  [[nodiscard]] bool matches(const Finding& finding) const;

  friend bool operator==(const IgnoreRule&, const IgnoreRule&) = default;
};

struct IgnoreFile {
  std::string name{};
  std::vector<IgnoreRule> rules{};

  // The first that matches and counts; null where there is none.
  [[nodiscard]] const IgnoreRule* rule_for(const Finding& finding, TimePoint now) const;
  // Rules whose day has passed, one text each, for people.
  [[nodiscard]] std::vector<std::string> warnings(TimePoint now) const;
};

inline constexpr std::uint64_t kMostIgnoreBytes = 1ULL << 20;
inline constexpr std::size_t kMostIgnoreLines = 20'000;

// kInvalid: names the file, the line, the rule that is broken and the way out.
[[nodiscard]] Result<IgnoreFile> parse_ignore_file(std::string_view text, std::string name);
// The same of a file. kNotFound: there is none.
[[nodiscard]] Result<IgnoreFile> load_ignore_file(const std::filesystem::path& file);

}  // namespace slipway::scan
