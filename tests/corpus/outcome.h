// One inspection by the real inspector, with what it cost. It runs below a forked copy of the test, so that the
// kernel's account of that copy's children is of this inspection alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/inspector.h"
#include "archive/policy.h"
#include "base/error.h"

namespace slipway::corpus {

struct Outcome {
  std::optional<Error> error{};  // none: it passed
  std::string kind{};
  std::uint64_t layers = 0;
  std::uint64_t files = 0;
  std::uint64_t total_size = 0;
  std::string tree{};  // first 16 digits of the SHA-256 of archive::listing(): names, types, modes, sizes, links
  std::vector<archive::Finding> findings{};

  std::uint64_t cpu_milliseconds = 0;  // of the inspector's child, user and system
  std::uint64_t peak_kibibytes = 0;    // its largest resident size
  bool children_left = false;          // a process was still there, running or not waited for, when inspect() returned
};

// Call from a test that has no other threads. Throws std::runtime_error when there is no outcome at all.
[[nodiscard]] Outcome inspect(const std::string& file, const archive::Policy& policy);

// The rules of the findings, each once, in order.
[[nodiscard]] std::vector<std::string> rules_of(const Outcome& outcome);

}  // namespace slipway::corpus
