#include "volumes/testing/memory_pool.h"

#include "volumes/testing/pool_contract.h"

namespace slipway::volumes {
namespace {

class Harness : public PoolHarness {
 public:
  Result<std::unique_ptr<Pool>> open() override { return std::make_unique<MemoryPool>(memory_); }

 private:
  std::shared_ptr<PoolMemory> memory_ = std::make_shared<PoolMemory>();
};

INSTANTIATE_TEST_SUITE_P(Memory, PoolContract,
                         testing::Values(pool_contract("memory", [] { return std::make_unique<Harness>(); })));

}  // namespace
}  // namespace slipway::volumes
