// The program whose child side the tests' Extractors start.
#pragma once

#include <string>

#include "archive/inspector.h"

namespace slipway::volumes::ext4 {

// With `how` "crash": one that dies over any order.
[[nodiscard]] archive::InspectorProgram test_extractor(const std::string& how = {});

}  // namespace slipway::volumes::ext4
