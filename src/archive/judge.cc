#include "archive/judge.h"

#include "archive/limit_error.h"

namespace slipway::archive {

Result<Action> Judge::judge(Rule rule, std::string_view entry, std::string_view detail) {
  const Action action = policy_.action(rule);
  if (action == Action::kAllow) return action;
  if (action == Action::kRefuse) {
    return fail(
        refusal(entry, to_string(rule), detail, fmt::format("policy_{}", to_string(rule)), to_string(mildest(rule))));
  }
  ++findings_total_;
  if (findings_.size() < kMostFindings) {
    findings_.push_back({std::string(to_string(rule)), printable(entry),
                         fmt::format("{}{}", detail, action == Action::kSkip ? "; left out" : "")});
  }
  return action;
}

Error Judge::hopeless(Rule rule, std::string_view entry, std::string_view detail) {
  return refusal(entry, to_string(rule), detail, {}, {});
}

std::optional<Error> Judge::too_large(const Entry& entry) {
  const Limits& limits = policy_.limits;
  if (entry.size > limits.max_file_size) {
    return refusal(entry.path, "max_file_size",
                   fmt::format("{} bytes, over the {} of one file", entry.size, limits.max_file_size), "max_file_size",
                   std::to_string(entry.size));
  }
  total_ = saturating_add(total_, entry.size);
  if (total_ > limits.max_total_size) {
    return refusal(entry.path, "max_total_size",
                   fmt::format("with it the image has over {} bytes", limits.max_total_size), "max_total_size",
                   "a larger size");
  }
  if (total_ > kRatioFloor && total_ / limits.max_compression_ratio > packed_) {
    return refusal(entry.path, "max_compression_ratio",
                   fmt::format("with it {} bytes of files come from an archive of {}, over {} to 1", total_, packed_,
                               limits.max_compression_ratio),
                   "max_compression_ratio", "a larger number");
  }
  return std::nullopt;
}

Result<> Judge::count(const Entry& entry) {
  if (++entries_ > policy_.limits.max_files) {
    return fail(refusal(entry.path, "max_files", fmt::format("more than {} entries", policy_.limits.max_files),
                        "max_files", "a larger number"));
  }
  auto error = too_large(entry);
  if (!error) return {};
  if (!deferring_) return fail(std::move(*error));
  if (!deferred_) deferred_ = std::move(error);
  return {};
}

}  // namespace slipway::archive
