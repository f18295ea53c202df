#include "scan/testing/taker_program.h"

namespace slipway::scan {

archive::InspectorProgram test_taker() { return {.executable = SLIPWAY_TEST_TAKER}; }

}  // namespace slipway::scan
