#include "volumes/testing/pool_stage.h"

#include <utility>

#include "volumes/testing/memory_pool.h"

namespace slipway::volumes {
namespace {

std::function<std::shared_ptr<PoolStage>()>& maker() {
  static std::function<std::shared_ptr<PoolStage>()> make = [] { return std::make_shared<PoolMemory>(); };
  return make;
}

}  // namespace

std::shared_ptr<PoolStage> make_pool_stage() { return maker()(); }
void set_pool_stage(std::function<std::shared_ptr<PoolStage>()> make) { maker() = std::move(make); }

}  // namespace slipway::volumes
