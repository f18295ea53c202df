// A pool that is one of the kernel's thin pools (device mapper, "thin-pool"). A device is a thin device of it; active,
// it is /dev/mapper/NAME. Needs root. pool_setup.h makes and starts pools.
//
// What is known of a device: whether it is there, always; its size, while it is active; its origin, while it is active
// and was first activated by the process that made the snapshot (the kernel does not keep it).
//
// list() is complete, devices made by others included. It asks the program thin_ls (package thin-provisioning-tools):
// without that it fails (kUnsupported), and so it does while the pool's metadata cannot be written.
//
// After a crash: an origin that it left suspended is resumed, and a device without a table is taken over or removed, by
// whatever verb comes next to it; leftovers() tells of those nobody asked for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "sys/mutex.h"
#include "volumes/pool.h"
#include "volumes/thin/device_mapper.h"
#include "volumes/thin/kernel_text.h"
#include "volumes/thin/pool_gate.h"

namespace slipway::volumes {

struct ThinPoolOptions {
  std::string name{};           // the device mapper's
  int least_free_data = 5;      // percent, below which nothing new is begun
  int least_free_metadata = 5;  // the same
  int busy_tries = 20;          // of a tenth of a second each, for who uses a device to let go of it
};

class ThinPool : public Pool {
 public:
  // kNotFound: it does not run. kUnsupported: no device mapper here. kPermission: not root.
  [[nodiscard]] static Result<std::unique_ptr<ThinPool>> open(const ThinPoolOptions& options);

  [[nodiscard]] const std::string& name() const override { return options_.name; }
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
  [[nodiscard]] Result<std::vector<Leftover>> leftovers() override;
  [[nodiscard]] Result<> remove_leftovers() override;

 private:
  // The device mapper's devices that stand on this pool.
  struct Active {
    std::string name{};
    DeviceId id{};
    std::uint64_t size = 0;
    dm::Info info{};
  };
  struct Survey {
    std::vector<Active> active{};
    std::vector<std::string> half_made{};  // names; ours, without a table
    [[nodiscard]] const Active* find(DeviceId id) const;
  };

  explicit ThinPool(ThinPoolOptions options) : options_(std::move(options)) {}

  [[nodiscard]] Result<ThinPoolState> state() const;
  [[nodiscard]] Result<ThinPoolTable> table() const;
  // Inside the gate: resumes what a crash left suspended.
  [[nodiscard]] Result<Survey> survey(const PoolGate& gate) const;
  [[nodiscard]] static Result<> remove_half_made(const Survey& found);
  [[nodiscard]] Device device_of(const Active& active) const;
  // Whether the pool takes new devices.
  [[nodiscard]] Result<> check_room() const;
  // A change of what the pool holds; on disk when it returns. `refused` has the kernel's errno when that is the cause.
  [[nodiscard]] Result<> change(const std::string& message, int& refused) const;
  [[nodiscard]] Result<bool> probe(const PoolGate& gate, DeviceId id) const;
  [[nodiscard]] Result<> make_active(const PoolGate& gate, const DeviceSpec& device);
  [[nodiscard]] Result<> snapshot_active(const Active& origin, const std::string& message, int& refused) const;
  [[nodiscard]] Result<std::vector<DeviceId>> stored_ids() const;
  // Gives its blocks back to what the pool stands on.
  void discard(DeviceId id);
  [[nodiscard]] dm::Answer<> discard_as(const PoolGate& gate, DeviceId id, const std::string& name) const;
  // Under `name`, or under whatever name.
  [[nodiscard]] Result<> take_down(DeviceId id, const std::optional<std::string>& name, WhenBusy when_busy);
  [[nodiscard]] Result<std::optional<Active>> try_take_down(DeviceId id, const std::optional<std::string>& name) const;

  ThinPoolOptions options_;
  sys::Mutex mutex_;
  std::map<DeviceId, DeviceId> origins_ SLIPWAY_GUARDED_BY(mutex_);  // of snapshots made here
};

}  // namespace slipway::volumes
