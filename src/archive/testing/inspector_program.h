// The program whose child side the tests' Inspectors start.
#pragma once

#include <string>

#include "archive/inspector.h"

namespace slipway::archive {

// With `how`: one that misbehaves instead. "crash", "hang", "mute" (ends without a word), "babble" (no JSON), "huge"
// (announces 4 GiB).
[[nodiscard]] InspectorProgram test_inspector(const std::string& how = {});

}  // namespace slipway::archive
