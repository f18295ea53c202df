// From settings and options to the rules of a scan.
#pragma once

#include "base/error.h"
#include "cli/command.h"
#include "pipeline/scan_rules.h"

namespace slipway::cli {

// By the settings, and by those of --ignore-file, --vex and --allow-vulnerable that were given. Files are read here.
// kInvalid: one of them is not there, or none of its kind.
[[nodiscard]] Result<pipeline::ScanRules> scan_rules(const Session& session, const Arguments& arguments);

[[nodiscard]] OptionSpec allow_vulnerable_option();

// Who is asking, for the record: the name of the account, and who became root as whom.
[[nodiscard]] std::string who_asks(const Environment& environment);

// A run that ended because its image is vulnerable is one that did what it should: exit code 3.
[[nodiscard]] Failure blocked_or_failed(Failure failure);

}  // namespace slipway::cli
