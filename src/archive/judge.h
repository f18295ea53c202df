// Applies a policy: says of each thing that a rule speaks of what is to become of it, keeps the findings, and counts
// against the limits. One for an image; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/entry.h"
#include "archive/policy.h"
#include "base/error.h"

namespace slipway::archive {

class Judge {
 public:
  static constexpr std::size_t kMostFindings = 1000;

  // `packed`: bytes of the archive's file.
  Judge(const Policy& policy, std::uint64_t packed) : policy_(policy), packed_(packed) {}

  // kRefuse comes as the error. What is recorded or skipped is a finding from here on. `entry` is raw bytes.
  [[nodiscard]] Result<Action> judge(Rule rule, std::string_view entry, std::string_view detail);
  // Refuses what no setting allows.
  [[nodiscard]] static Error hopeless(Rule rule, std::string_view entry, std::string_view detail);

  // One more entry, against the limits. Too large sizes are held back when sizes are deferred.
  [[nodiscard]] Result<> count(const Entry& entry);
  // While it is not known whether these are the image's files, or archives that hold them.
  void defer_sizes() { deferring_ = true; }
  [[nodiscard]] const std::optional<Error>& deferred() const { return deferred_; }

  [[nodiscard]] const Policy& policy() const { return policy_; }
  [[nodiscard]] std::uint64_t entries() const { return entries_; }
  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
  [[nodiscard]] std::uint64_t findings_total() const { return findings_total_; }

 private:
  [[nodiscard]] std::optional<Error> too_large(const Entry& entry);

  Policy policy_;
  std::uint64_t packed_;
  std::uint64_t entries_ = 0;
  std::uint64_t total_ = 0;
  bool deferring_ = false;
  std::optional<Error> deferred_;
  std::vector<Finding> findings_;
  std::uint64_t findings_total_ = 0;
};

}  // namespace slipway::archive
