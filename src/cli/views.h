// Images and runs as JSON, and as the words that tables show. The keys are documented in docs/commands.md and do not
// change.
#pragma once

#include <string>
#include <vector>

#include "catalog/types.h"
#include "cli/output.h"
#include "cli/style.h"
#include "cli/table.h"
#include "fsm/event.h"
#include "fsm/run.h"

namespace slipway::cli {

[[nodiscard]] OrderedJson summary_json(const catalog::ImageSummary& summary);
[[nodiscard]] OrderedJson status_json(const catalog::ImageStatus& status);
// The name of the policy that it was validated under; empty when it is not known.
[[nodiscard]] std::string policy_level(const catalog::ArchiveFacts& archive);
// Why a verdict may not be all there is to say.
[[nodiscard]] std::vector<std::string> warnings_of(const catalog::ScanVerdict& scan);
[[nodiscard]] OrderedJson finding_json(const catalog::Finding& finding);
[[nodiscard]] OrderedJson policy_finding_json(const catalog::PolicyFinding& finding);
[[nodiscard]] OrderedJson run_json(const fsm::RunRecord& run);
[[nodiscard]] OrderedJson event_json(const fsm::Event& event, std::uint64_t seq);

// "not scanned", "none", "12 (critical)".
[[nodiscard]] std::string findings_text(const std::optional<catalog::ScanVerdict>& scan);
[[nodiscard]] Style style_of(catalog::Status status);
[[nodiscard]] Style style_of(Severity severity);

// What a run is doing: the ending of a finished one, else its state.
[[nodiscard]] std::string run_word(const fsm::RunState& state);
[[nodiscard]] Style style_of(const fsm::RunState& state);
// The transition that runs next; empty when there is none.
[[nodiscard]] std::string transition_of(const fsm::RunRecord& run);
[[nodiscard]] std::optional<TimePoint> finished_at(const fsm::RunState& state);
[[nodiscard]] std::optional<Error> error_of(const fsm::RunState& state);

// The table of `runs` and of `show`.
[[nodiscard]] Table run_table(const std::vector<fsm::RunRecord>& runs, const Output& output);

}  // namespace slipway::cli
