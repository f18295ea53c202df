// ThinPool: the verbs that change it.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "sys/descriptor.h"
#include "sys/fault.h"
#include "volumes/thin/device_users.h"
#include "volumes/thin/thin_pool.h"

namespace slipway::volumes {
namespace {

constexpr auto kBusyPause = std::chrono::milliseconds(100);
constexpr int kPercent = 100;

Result<> check_id(DeviceId id) {
  if (id.value != 0 && id.value <= DeviceId::kGreatest) return {};
  return fail(ErrorKind::kInvalid, "a thin device's id is 1 to {}, not {}", DeviceId::kGreatest, id);
}

Result<> check_size(const DeviceSpec& device) {
  if (device.size != 0 && device.size % dm::kSector == 0) return {};
  return fail(ErrorKind::kInvalid, "the size of {} is no positive multiple of {} bytes: {}", device.name, dm::kSector,
              device.size);
}

Result<> check_free(const std::string& pool, std::string_view what, const Usage& usage, int least) {
  const auto wanted = usage.total / kPercent * static_cast<std::uint64_t>(std::clamp(least, 0, kPercent));
  if (usage.free() >= wanted) return {};
  return fail(
      Error(ErrorKind::kNoSpace, fmt::format("the pool {} has {} KiB of {} left, and a device is begun only with {}% "
                                             "({} KiB)",
                                             pool, usage.free() >> 10U, what, least, wanted >> 10U))
          .with_hint("grow it (slipway pool grow), or remove images (slipway rm)"));
}

}  // namespace

Result<> ThinPool::check_room() const {
  using enum ThinPoolState::Mode;
  auto now = state();
  if (!now) return fail(std::move(now.error()));
  if (now->mode == kFailed || now->needs_check) {
    return fail(ErrorKind::kCorrupt, "the pool {} takes nothing: {}", options_.name, problems_of(*now).front());
  }
  if (now->mode != kWrite) {
    return fail(Error(ErrorKind::kNoSpace, fmt::format("the pool {}: {}", options_.name, problems_of(*now).front()))
                    .with_hint("slipway pool grow"));
  }
  if (auto room = check_free(options_.name, "data space", now->data, options_.least_free_data); !room) return room;
  return check_free(options_.name, "metadata space", now->metadata, options_.least_free_metadata);
}

Result<> ThinPool::change(const std::string& message, int& refused) const {
  using enum ThinPoolState::Mode;
  if (auto fault = fault::check("volumes.thin.change.before")) return fail(std::move(*fault));
  if (auto done = dm::message(options_.name, message); !done) {
    refused = done.error();
    const auto now = state();
    if (refused == EOPNOTSUPP && now && !problems_of(*now).empty()) {
      return fail(ErrorKind::kCorrupt, "the pool {} takes no change: {}", options_.name, problems_of(*now).front());
    }
    return fail(dm::error(fmt::format("\"{}\" in the pool", message), options_.name, refused));
  }
  // The kernel commits with the message, and says how that went only by the pool's mode.
  auto after = state();
  if (!after) return fail(std::move(after.error()));
  if (after->mode == kFailed || after->mode == kReadOnly) {
    return fail(ErrorKind::kIo, "\"{}\" may not be on disk: the pool {} could not write its metadata", message,
                options_.name);
  }
  if (auto fault = fault::check("volumes.thin.change.after")) return fail(std::move(*fault));
  return {};
}

Result<> ThinPool::create(const DeviceSpec& volume) {
  if (auto good = check_device_name(volume.name); !good) return good;
  if (auto good = check_id(volume.id); !good) return good;
  if (auto good = check_size(volume); !good) return good;
  auto gate = PoolGate::enter(options_.name);
  if (!gate) return fail(std::move(gate.error()));
  if (auto room = check_room(); !room) return room.error().during("create volume {}", volume.name);
  int refused = 0;
  if (auto made = change(fmt::format("create_thin {}", volume.id), refused); !made) {
    if (refused == EEXIST) {
      return fail(ErrorKind::kAlreadyExists, "the pool {} has a device {} already", options_.name, volume.id);
    }
    return made.error().during("create volume {}", volume.name);
  }
  const sys::Lock lock(mutex_);
  origins_.erase(volume.id);
  return {};
}

// Nothing may be on its way to the origin while the kernel copies its mappings. It is resumed whatever happens.
Result<> ThinPool::snapshot_active(const Active& origin, const std::string& message, int& refused) const {
  if (auto stopped = dm::suspend(origin.name, dm::Flush::kYes); !stopped) {
    return fail(dm::error("suspend", origin.name, stopped.error()));
  }
  Result<> made;
  if (auto fault = fault::check("volumes.thin.suspended")) {
    made = fail(std::move(*fault));
  } else {
    made = change(message, refused);
  }
  if (auto resumed = dm::resume(origin.name); !resumed) return fail(dm::error("resume", origin.name, resumed.error()));
  return made;
}

Result<> ThinPool::snapshot(const DeviceSpec& snapshot, const DeviceSpec& origin) {
  if (auto good = check_device_name(snapshot.name); !good) return good;
  if (auto good = check_id(snapshot.id); !good) return good;
  auto gate = PoolGate::enter(options_.name);
  if (!gate) return fail(std::move(gate.error()));
  auto now = survey(*gate);
  if (!now) return fail(std::move(now.error()));
  if (auto room = check_room(); !room) return room.error().during("snapshot of {}", origin.name);
  const auto message = fmt::format("create_snap {} {}", snapshot.id, origin.id);
  const auto* active = now->find(origin.id);
  int refused = 0;
  auto made = active != nullptr ? snapshot_active(*active, message, refused) : change(message, refused);
  if (!made && refused == EEXIST) {
    return fail(ErrorKind::kAlreadyExists, "the pool {} has a device {} already", options_.name, snapshot.id);
  }
  if (!made && refused == ENODATA) {
    return fail(ErrorKind::kNotFound, "snapshot of {}: the pool {} has no device {}", origin.name, options_.name,
                origin.id);
  }
  if (!made) return made.error().during("snapshot of {}", origin.name);
  const sys::Lock lock(mutex_);
  origins_[snapshot.id] = origin.id;
  return {};
}

// On a failure nothing of it stays.
Result<> ThinPool::make_active(const PoolGate& gate, const DeviceSpec& device) {
  ThinUuid uuid{options_.name, device.id, std::nullopt};
  {
    const sys::Lock lock(mutex_);
    if (const auto known = origins_.find(device.id); known != origins_.end()) uuid.origin = known->second;
  }
  const auto& name = device.name;
  if (auto made = dm::create(name, to_string(uuid)); !made) return fail(dm::error("make", name, made.error()));
  const auto finish = [&]() -> Result<> {
    if (auto fault = fault::check("volumes.thin.half-made")) return fail(std::move(*fault));
    const dm::Table table{device.size / dm::kSector, "thin", fmt::format("{} {}", gate.number(), device.id)};
    if (auto loaded = dm::load(name, table); !loaded) {
      if (loaded.error() == ENODATA) {
        return fail(ErrorKind::kNotFound, "the pool {} has no device {}", options_.name, device.id);
      }
      return fail(dm::error("load the table of", name, loaded.error()));
    }
    if (auto fault = fault::check("volumes.thin.loaded")) return fail(std::move(*fault));
    if (auto resumed = dm::resume(name); !resumed) return fail(dm::error("resume", name, resumed.error()));
    return {};
  };
  auto finished = finish();
  if (!finished) (void)dm::remove(name);  // else it is a leftover, which is told of
  return finished;
}

Result<std::string> ThinPool::activate(const DeviceSpec& device) {
  const auto doing = [&](const Error& error) { return error.during("activate {}", device.name); };
  if (auto good = check_device_name(device.name); !good) return fail(std::move(good.error()));
  if (auto good = check_id(device.id); !good) return doing(good.error());
  auto gate = PoolGate::enter(options_.name);
  if (!gate) return doing(gate.error());
  auto now = survey(*gate);
  if (!now) return doing(now.error());
  auto path = dm::path_of(device.name);
  if (const auto* active = now->find(device.id)) {
    if (active->name != device.name) {
      return fail(ErrorKind::kConflict, "device {} is active as {}, not {}", device.id, active->name, device.name);
    }
    if (auto there = dm::make_node(device.name); !there)
      return fail(dm::error("make the node of", path, there.error()));
    return path;
  }
  if (auto cleared = remove_half_made(*now); !cleared) return doing(cleared.error());
  auto taken = dm::info(device.name);
  if (!taken) return doing(dm::error("look at", device.name, taken.error()));
  if (*taken) return fail(ErrorKind::kConflict, "the name {} is that of another active device", device.name);
  if (auto good = check_size(device); !good) return doing(good.error());
  if (auto made = make_active(*gate, device); !made) return doing(made.error());
  return path;
}

// The device that is in the way when it cannot be done now.
Result<std::optional<ThinPool::Active>> ThinPool::try_take_down(DeviceId id,
                                                                const std::optional<std::string>& name) const {
  auto gate = PoolGate::enter(options_.name);
  if (!gate) return fail(std::move(gate.error()));
  auto now = survey(*gate);
  if (!now) return fail(std::move(now.error()));
  // The table of a half-made device may have the thin device open already.
  if (auto cleared = remove_half_made(*now); !cleared) return fail(std::move(cleared.error()));
  for (const auto& active : now->active) {
    if (active.id != id) continue;
    if (name && active.name != *name) {
      return fail(ErrorKind::kConflict, "device {} is active as {}, not {}", id, active.name, *name);
    }
    if (auto fault = fault::check("volumes.thin.take-down")) return fail(std::move(*fault));
    if (auto gone = dm::remove(active.name); !gone) {
      if (gone.error() == EBUSY) return active;
      return fail(dm::error("remove", active.name, gone.error()));
    }
  }
  return std::nullopt;
}

Result<> ThinPool::take_down(DeviceId id, const std::optional<std::string>& name, WhenBusy when_busy) {
  for (int tries = when_busy == WhenBusy::kWait ? 0 : options_.busy_tries;; ++tries) {
    auto busy = try_take_down(id, name);
    if (!busy) return fail(std::move(busy.error()));
    if (!*busy) return {};
    if (tries >= options_.busy_tries) {
      const auto& device = **busy;
      const auto users = users_of(device.info.number);
      return fail(
          Error(ErrorKind::kUnavailable,
                fmt::format("{} is in use by {}", dm::path_of(device.name),
                            users.empty() ? fmt::format("{} that cannot be told", device.info.open_count) : users))
              .with_hint("end what uses it, and try again"));
    }
    std::this_thread::sleep_for(kBusyPause);
  }
}

Result<> ThinPool::deactivate(const DeviceSpec& device, WhenBusy when_busy) {
  if (auto gone = take_down(device.id, device.name, when_busy); !gone)
    return gone.error().during("deactivate {}", device.name);
  return {};
}

// Under a name of its own, in the length that was written.
dm::Answer<> ThinPool::discard_as(const PoolGate& gate, DeviceId id, const std::string& name) const {
  if (auto made = dm::create(name, to_string(ThinUuid{options_.name, id, std::nullopt})); !made) return made;
  dm::Table table{1, "thin", fmt::format("{} {}", gate.number(), id)};
  if (auto loaded = dm::load(name, table); !loaded) return loaded;
  if (auto resumed = dm::resume(name); !resumed) return resumed;
  auto status = dm::status(name);
  if (!status) return std::unexpected(status.error());
  const auto written = *status ? parse_thin_status((*status)->parameters) : std::nullopt;
  table.sectors = written.value_or(0);
  if (table.sectors == 0) return {};
  if (auto loaded = dm::load(name, table); !loaded) return loaded;
  if (auto resumed = dm::resume(name); !resumed) return resumed;
  const sys::Descriptor device(::open(dm::path_of(name).c_str(), O_WRONLY | O_CLOEXEC));
  std::array<std::uint64_t, 2> range{0, table.sectors * dm::kSector};
  if (!device || ::ioctl(device.get(), BLKDISCARD, range.data()) != 0) return std::unexpected(errno);
  return {};
}

// Deleting alone frees blocks for the pool's other devices, and a sparse file below it would stay as big as it ever
// was. That this may fail (a pool that cannot be written, a disk that knows no discards) keeps nobody from deleting.
void ThinPool::discard(DeviceId id) {
  {
    const auto gate = PoolGate::enter(options_.name);
    if (!gate) return;
    (void)discard_as(*gate, id, fmt::format("slipway-discard-{}-{}", options_.name, id));
  }
  (void)take_down(id, std::nullopt, WhenBusy::kWait);  // what is in the way is told of when it is deleted
}

Result<> ThinPool::remove(const DeviceSpec& device, WhenBusy when_busy) {
  if (auto gone = take_down(device.id, std::nullopt, when_busy); !gone)
    return gone.error().during("remove {}", device.name);
  discard(device.id);
  auto gate = PoolGate::enter(options_.name);
  if (!gate) return fail(std::move(gate.error()));
  int refused = 0;
  auto deleted = change(fmt::format("delete {}", device.id), refused);
  if (!deleted && refused != ENODATA) return deleted.error().during("remove {}", device.name);
  const sys::Lock lock(mutex_);
  origins_.erase(device.id);
  return {};
}

}  // namespace slipway::volumes
