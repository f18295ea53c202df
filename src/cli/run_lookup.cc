#include "cli/run_lookup.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "fsm/sqlite_run_store.h"

namespace slipway::cli {

Result<std::unique_ptr<fsm::RunReader>> open_runs(const Settings& settings) {
  auto runs = fsm::open_run_reader(settings.fsm_db_path.string());
  if (!runs && runs.error().kind() == ErrorKind::kNotFound) return nullptr;
  return runs;
}

Result<std::vector<fsm::RunRecord>> runs_beginning_with(fsm::RunReader& runs, std::string_view prefix,
                                                        std::size_t limit) {
  std::string upper(prefix.substr(0, Ulid::kTextLength + 1));
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  fsm::RunFilter filter;
  filter.limit = limit;
  if (!upper.empty()) {
    // Text and versions sort alike: what begins so is not after the prefix filled up with the last digit.
    std::string last = upper;
    if (last.size() < Ulid::kTextLength) last.resize(Ulid::kTextLength, 'Z');
    const auto greatest = Ulid::parse(last);
    if (!greatest) {
      return fail(ErrorKind::kInvalid,
                  "\"{}\" is not how a run's version begins: 26 digits and letters without I, L, O, U", prefix);
    }
    if (greatest->low() != UINT64_MAX) {
      filter.older_than = fsm::RunVersion(Ulid(greatest->high(), greatest->low() + 1));
    } else if (greatest->high() != UINT64_MAX) {
      filter.older_than = fsm::RunVersion(Ulid(greatest->high() + 1, 0));
    }
  }
  auto found = runs.list(filter);
  if (!found) return found;
  std::erase_if(*found, [&](const fsm::RunRecord& run) { return !run.spec.version.to_string().starts_with(upper); });
  return found;
}

Result<fsm::RunRecord> resolve_run(fsm::RunReader& runs, std::string_view text) {
  constexpr std::size_t kNamed = 5;
  auto found = runs_beginning_with(runs, text, kNamed);
  if (!found) return fail(std::move(found.error()));
  if (found->empty() || text.empty()) {
    return fail(
        Error(ErrorKind::kNotFound, fmt::format("there is no run {}", text)).with_hint("`slipway runs` lists them"));
  }
  if (found->size() > 1) {
    std::string names;
    for (const auto& run : *found) names += (names.empty() ? "" : ", ") + run.spec.version.to_string();
    return fail(Error(ErrorKind::kConflict, fmt::format("{} may mean several runs: {}", text, names))
                    .with_hint("give more of the version"));
  }
  auto whole = runs.find(found->front().spec.version);
  if (!whole) return fail(std::move(whole.error()));
  if (!*whole) return fail(ErrorKind::kNotFound, "run {} has just been removed", found->front().spec.version);
  return std::move(**whole);
}

}  // namespace slipway::cli
