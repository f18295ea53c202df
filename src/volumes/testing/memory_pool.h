// A pool in memory: devices are files without a name, at /proc/self/fd. For tests of what uses a pool.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sys/descriptor.h"
#include "sys/mutex.h"
#include "volumes/pool.h"
#include "volumes/testing/pool_stage.h"

namespace slipway::volumes {

// What outlives a process that uses the pool. Devices become inactive by reboot().
class PoolMemory : public PoolStage, public std::enable_shared_from_this<PoolMemory> {
 public:
  [[nodiscard]] std::shared_ptr<Pool> open() override;
  void reboot() override;
  void set_busy(DeviceId id, bool busy) override;
  void set_full(bool full) override;
  void drop(DeviceId id) override;
  void set_transaction_id(std::uint64_t id) override;
  [[nodiscard]] int changes() const override;

 private:
  friend class MemoryPool;
  struct Stored {
    sys::Descriptor file{};
    std::uint64_t size = 0;
    std::optional<DeviceId> origin{};
    std::string name{};  // while it is active
    std::string path{};
  };

  [[nodiscard]] Device device_of(DeviceId id, const Stored& stored) const SLIPWAY_REQUIRES(mutex_);

  mutable sys::Mutex mutex_;
  std::map<DeviceId, Stored> devices_ SLIPWAY_GUARDED_BY(mutex_);
  std::set<DeviceId> busy_ SLIPWAY_GUARDED_BY(mutex_);
  bool full_ SLIPWAY_GUARDED_BY(mutex_) = false;
  std::uint64_t transaction_id_ SLIPWAY_GUARDED_BY(mutex_) = 0;
  int changes_ SLIPWAY_GUARDED_BY(mutex_) = 0;
};

class MemoryPool : public Pool {
 public:
  explicit MemoryPool(std::shared_ptr<PoolMemory> memory, std::string name = "memory")
      : memory_(std::move(memory)), name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] Result<PoolStatus> status() override;
  [[nodiscard]] Result<bool> exists() override { return true; }
  [[nodiscard]] Result<std::optional<Device>> find(DeviceId id) override;
  [[nodiscard]] Result<std::vector<Device>> list() override;
  [[nodiscard]] Result<std::vector<Device>> list_active() override;
  [[nodiscard]] Result<> create(const DeviceSpec& volume) override;
  [[nodiscard]] Result<> snapshot(const DeviceSpec& snapshot, const DeviceSpec& origin) override;
  [[nodiscard]] Result<std::string> activate(const DeviceSpec& device) override;
  using Pool::deactivate;
  [[nodiscard]] Result<> deactivate(const DeviceSpec& device, WhenBusy when_busy) override;
  using Pool::remove;
  [[nodiscard]] Result<> remove(const DeviceSpec& device, WhenBusy when_busy) override;
  [[nodiscard]] Result<std::vector<Leftover>> leftovers() override { return std::vector<Leftover>(); }
  [[nodiscard]] Result<> remove_leftovers() override { return {}; }

 private:
  [[nodiscard]] Result<> check_new(const DeviceSpec& device) const SLIPWAY_REQUIRES(memory_->mutex_);

  std::shared_ptr<PoolMemory> memory_;
  std::string name_;
};

}  // namespace slipway::volumes
