// Surveys of archives that are in memory, and what tests want to know of them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "archive/image.h"
#include "archive/policy.h"
#include "sys/descriptor.h"

namespace slipway::archive {

// Bytes as a file without a name.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes);
  [[nodiscard]] Input input() const { return {.fd = fd_.get(), .size = size_, .tick = {}}; }

 private:
  sys::Descriptor fd_;
  std::uint64_t size_;
};

[[nodiscard]] Result<Survey> survey_bytes(std::string_view bytes, const Policy& policy = standard_policy());

// A line for each name: "etc/hostname file 0644 4", "bin -> usr/bin", hard links as "b = a". Sorted.
[[nodiscard]] std::string listing(const Tree& tree);

// The content of every regular file that survived, by its (first) name. Throws what replay() fails with.
[[nodiscard]] std::map<std::string, std::string> contents(std::string_view bytes, const Survey& survey);

// "rule entry" for each finding, separated by commas.
[[nodiscard]] std::string finding_list(const Survey& survey);

}  // namespace slipway::archive
