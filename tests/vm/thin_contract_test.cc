#include "pool_fixture.h"
#include "volumes/thin/device_mapper.h"

namespace slipway::volumes {
namespace {

class Harness : public PoolHarness {
 public:
  Result<std::unique_ptr<Pool>> open() override {
    if (!pool_.made()) return fail(pool_.made().error());
    return pool_.open();
  }

 private:
  TestPool pool_;
};

// Without device-mapper there is nothing to run the suite on; ThinTest says that it skips.
std::vector<PoolFactory> factories() {
  if (!dm::check_available()) return {};
  return {pool_contract("thin", [] { return std::make_unique<Harness>(); })};
}

INSTANTIATE_TEST_SUITE_P(Thin, PoolContract, testing::ValuesIn(factories()));

}  // namespace
}  // namespace slipway::volumes
