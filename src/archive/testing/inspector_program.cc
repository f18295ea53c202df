#include "archive/testing/inspector_program.h"

namespace slipway::archive {

InspectorProgram test_inspector(const std::string& how) {
  InspectorProgram program{.executable = SLIPWAY_TEST_INSPECTOR};
  if (!how.empty()) program.arguments.push_back(how);
  return program;
}

}  // namespace slipway::archive
