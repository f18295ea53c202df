// The program whose child side the tests' Extractors start.
#pragma once

#include <string>

#include "archive/inspector.h"

namespace slipway::volumes::ext4 {

// With `how` one that misbehaves instead: "crash" dies over any order, "hang" never answers.
[[nodiscard]] archive::InspectorProgram test_extractor(const std::string& how = {});

}  // namespace slipway::volumes::ext4
