// OpenVEX documents (v0.0.1 to v0.2.0): what somebody who knows a product says of a vulnerability in it.
// Of which package a statement speaks: scan/policy/vex_match.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "scan/policy/purl_match.h"

namespace slipway::scan {

enum class VexStatus : std::uint8_t { kNotAffected, kAffected, kFixed, kUnderInvestigation };

[[nodiscard]] std::string_view to_string(VexStatus status);  // "not_affected", ...

// By what something may be known.
struct VexComponent {
  std::vector<std::string> names{};    // as they are written: its "@id", which may be a package URL, and identifiers
  std::vector<PurlParts> purls{};      // those of them that are package URLs
  std::vector<std::string> digests{};  // SHA-256, 64 hexadecimal digits in small letters
};

struct VexProduct {
  VexComponent self{};
  std::vector<VexComponent> subcomponents{};  // none: the product as a whole
};

struct VexStatement {
  std::vector<std::string> vulnerabilities{};  // the names of one
  std::vector<VexProduct> products{};
  VexStatus status = VexStatus::kAffected;
  std::string reason{};           // justification, impact statement and notes, in one text
  std::optional<TimePoint> at{};  // its own time, else the document's

  // Whether what it speaks of does not count.
  [[nodiscard]] bool suppresses() const { return status == VexStatus::kNotAffected || status == VexStatus::kFixed; }
};

struct VexDocument {
  std::string name{};
  std::vector<VexStatement> statements{};
  std::vector<std::string> warnings{};  // statements that can have no effect
};

inline constexpr std::uint64_t kMostVexBytes = 64ULL << 20;
inline constexpr std::size_t kMostVexStatements = 100'000;

// kCorrupt: it is no JSON, or something in it is of the wrong type. kUnsupported: it is no OpenVEX, or of a version
// that is not known. kInvalid: a statement, or the document's own time, breaks a rule of the format; it is named with
// the way out. One bad statement spoils the document: what it says together is what its author meant.
[[nodiscard]] Result<VexDocument> parse_openvex(std::string_view json, std::string name);
// The same of a file.
[[nodiscard]] Result<VexDocument> load_openvex(const std::filesystem::path& file);

}  // namespace slipway::scan
