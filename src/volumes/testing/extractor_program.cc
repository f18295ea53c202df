#include "volumes/testing/extractor_program.h"

namespace slipway::volumes::ext4 {

archive::InspectorProgram test_extractor(const std::string& how) {
  archive::InspectorProgram program{.executable = SLIPWAY_TEST_EXTRACTOR};
  if (!how.empty()) program.arguments.push_back(how);
  return program;
}

}  // namespace slipway::volumes::ext4
