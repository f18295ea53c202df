// The program whose child side the tests' InventoryTakers start.
#pragma once

#include "archive/inspector.h"

namespace slipway::scan {

[[nodiscard]] archive::InspectorProgram test_taker();

}  // namespace slipway::scan
