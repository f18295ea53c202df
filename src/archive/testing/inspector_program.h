// The program whose child side the tests' Inspectors start.
#pragma once

#include <string>

#include "archive/inspector.h"

namespace slipway::archive {

// With `how`: one that misbehaves instead. "crash", "hang", "spin", "mute" (ends without a word), "babble" (no JSON),
// "huge" (announces 4 GiB), "chatter" (says without end that it gets on) and "trickle" (the same, slowly); "killed",
// "terminated", "aborted", "forbidden" and "expensive" (dies by SIGKILL, SIGTERM, SIGABRT, SIGSYS, SIGXCPU).
[[nodiscard]] InspectorProgram test_inspector(const std::string& how = {});

}  // namespace slipway::archive
