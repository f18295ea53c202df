// A pool for the tests of whoever works with one, and what a test has happen to it behind its user's back.
#pragma once

#include <functional>
#include <memory>

#include "volumes/pool.h"

namespace slipway::volumes {

// Outlives the process that the test plays: the pool is what that one has opened.
class PoolStage {
 public:
  PoolStage() = default;
  virtual ~PoolStage() = default;
  PoolStage(const PoolStage&) = delete;
  PoolStage& operator=(const PoolStage&) = delete;

  [[nodiscard]] virtual std::shared_ptr<Pool> open() = 0;

  virtual void reboot() = 0;  // nothing is active any more
  // From now on:
  virtual void set_busy(DeviceId id, bool busy) = 0;  // deactivate() and remove() find it in use; it is active
  virtual void set_full(bool full) = 0;               // nothing new is begun
  // As somebody else would:
  virtual void drop(DeviceId id) = 0;
  virtual void set_transaction_id(std::uint64_t id) = 0;

  // How often a device was made, activated, deactivated or removed by the pool's user.
  [[nodiscard]] virtual int changes() const = 0;
};

// In memory, unless the test program has set another kind.
[[nodiscard]] std::shared_ptr<PoolStage> make_pool_stage();
void set_pool_stage(std::function<std::shared_ptr<PoolStage>()> make);

}  // namespace slipway::volumes
