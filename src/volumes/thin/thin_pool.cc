// ThinPool: opening it, and looking. thin_pool_changes.cc has the verbs that change it.
#include "volumes/thin/thin_pool.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "sys/fault.h"
#include "volumes/thin/pool_setup.h"
#include "volumes/thin/thin_ls.h"

namespace slipway::volumes {
namespace {

constexpr std::string_view kProbe = "SLIPWAYPROBE-";

std::string probe_uuid(const std::string& pool, DeviceId id) { return fmt::format("{}{}-{}", kProbe, pool, id); }

// Of a device without a table: whether it is one of ours that a crash left.
bool is_half_made(const std::string& uuid, const std::string& pool) {
  if (uuid.starts_with(fmt::format("{}{}-", kProbe, pool))) return true;
  const auto parsed = parse_thin_uuid(uuid);
  return parsed && parsed->pool == pool;
}

}  // namespace

Result<std::unique_ptr<ThinPool>> ThinPool::open(const ThinPoolOptions& options) {
  if (auto good = check_pool_name(options.name); !good) return fail(std::move(good.error()));
  if (auto available = dm::check_available(); !available) return fail(std::move(available.error()));
  std::unique_ptr<ThinPool> pool(new ThinPool(options));
  if (auto entered = PoolGate::enter(options.name); !entered) return fail(std::move(entered.error()));
  const auto known = pool->table();
  if (!known) return fail(known.error());
  if (!known->zeroes) {
    return fail(Error(ErrorKind::kUnsupported,
                      fmt::format("the pool {} does not zero its blocks (skip_block_zeroing): a volume would show what "
                                  "others have written",
                                  options.name))
                    .with_hint("load its table without that feature, or use another pool"));
  }
  return pool;
}

Result<ThinPoolTable> ThinPool::table() const {
  auto table = dm::table(options_.name);
  if (!table) return fail(dm::error("look at", options_.name, table.error()));
  if (!*table) return fail(ErrorKind::kNotFound, "there is no thin pool {}", options_.name);
  const auto parsed = parse_pool_table((*table)->parameters);
  if ((*table)->target != "thin-pool" || !parsed) {
    return fail(ErrorKind::kConflict, "the device {} is no thin pool, but \"{}\"", options_.name, (*table)->target);
  }
  return *parsed;
}

Result<ThinPoolState> ThinPool::state() const {
  auto known = table();
  if (!known) return fail(std::move(known.error()));
  auto status = dm::status(options_.name);
  if (!status) return fail(dm::error("look at", options_.name, status.error()));
  if (!*status) return fail(ErrorKind::kNotFound, "there is no thin pool {}", options_.name);
  const auto parsed = parse_pool_status((*status)->parameters, known->block_bytes);
  if (!parsed) {
    return fail(ErrorKind::kUnsupported, "the kernel says of the pool {} what is not understood: {}", options_.name,
                (*status)->parameters);
  }
  return *parsed;
}

Result<PoolStatus> ThinPool::status() {
  auto now = state();
  if (!now) return fail(std::move(now.error()));
  return PoolStatus{.backend = "thin",
                    .name = options_.name,
                    .place = dm::path_of(options_.name),
                    .data = now->data,
                    .metadata = now->metadata,
                    .transaction_id = now->transaction_id,
                    .problems = problems_of(*now)};
}

const ThinPool::Active* ThinPool::Survey::find(DeviceId id) const {
  const auto found = std::ranges::find(active, id, &Active::id);
  return found == active.end() ? nullptr : &*found;
}

Device ThinPool::device_of(const Active& active) const {
  Device device{.id = active.id, .size = active.size, .name = active.name, .path = dm::path_of(active.name)};
  const auto uuid = parse_thin_uuid(active.info.uuid);
  if (uuid && uuid->pool == options_.name && uuid->id == active.id) device.origin = uuid->origin;
  return device;
}

Result<ThinPool::Survey> ThinPool::survey(const PoolGate& gate) const {
  auto names = dm::names();
  if (!names) return fail(dm::error("list the devices of", options_.name, names.error()));
  Survey found;
  for (const auto& name : *names) {
    auto seen = dm::look(name);
    if (!seen) return fail(dm::error("look at", name, seen.error()));
    if (!*seen) continue;  // gone in between
    auto& [info, table] = **seen;
    const auto thin = table && table->target == "thin" ? parse_thin_table(table->parameters) : std::nullopt;
    if (thin && thin->pool == gate.number()) {
      const auto uuid = parse_thin_uuid(info.uuid);
      if (info.suspended && uuid && uuid->pool == options_.name) {
        // Inside the gate, only a crash leaves one so.
        if (auto resumed = dm::resume(name); !resumed) return fail(dm::error("resume", name, resumed.error()));
      }
      found.active.push_back({name, thin->id, table->sectors * dm::kSector, info});
    }
    if (!info.has_table && is_half_made(info.uuid, options_.name)) found.half_made.push_back(name);
  }
  return found;
}

// The kernel opens the thin device for the table that is loaded, and refuses when there is none. The table is never
// used.
Result<bool> ThinPool::probe(const PoolGate& gate, DeviceId id) const {
  const auto name = fmt::format("slipway-probe-{}-{}", options_.name, id);
  if (auto gone = dm::remove(name); !gone) return fail(dm::error("remove", name, gone.error()));
  if (auto made = dm::create(name, probe_uuid(options_.name, id)); !made) {
    return fail(dm::error("make", name, made.error()));
  }
  auto fault = fault::check("volumes.thin.probe");
  const auto loaded =
      dm::load(name, {.sectors = 8, .target = "thin", .parameters = fmt::format("{} {}", gate.number(), id)});
  if (auto gone = dm::remove(name); !gone) return fail(dm::error("remove", name, gone.error()));
  if (fault) return fail(std::move(*fault));
  if (loaded) return true;
  if (loaded.error() == ENODATA) return false;
  return dm::error("look for it by a table of", name, loaded.error()).during("device {} of {}", id, options_.name);
}

Result<std::optional<Device>> ThinPool::find(DeviceId id) {
  auto gate = PoolGate::enter(options_.name);
  if (!gate) return fail(std::move(gate.error()));
  auto now = survey(*gate);
  if (!now) return fail(std::move(now.error()));
  if (const auto* active = now->find(id)) return device_of(*active);
  auto there = probe(*gate, id);
  if (!there) return fail(std::move(there.error()));
  if (!*there) return std::nullopt;
  return Device{.id = id};
}

// From a snapshot of the metadata, that the pool holds for so long. One that it holds before was left by a crash.
Result<std::vector<DeviceId>> ThinPool::stored_ids() const {
  auto before = state();
  if (!before) return fail(std::move(before.error()));
  auto known = table();
  if (!known) return fail(std::move(known.error()));
  const auto release = [&]() -> Result<> {
    auto done = dm::message(options_.name, "release_metadata_snap");
    if (!done) return fail(dm::error("release the metadata snapshot of", options_.name, done.error()));
    return {};
  };
  if (before->metadata_held) {
    if (auto released = release(); !released) return fail(std::move(released.error()));
  }
  if (auto held = dm::message(options_.name, "reserve_metadata_snap"); !held) {
    auto error = dm::error("take a snapshot of the metadata of", options_.name, held.error());
    const auto problems = problems_of(*before);
    return fail(problems.empty() ? error : std::move(error).with_hint(problems.front()));
  }
  auto fault = fault::check("volumes.thin.metadata-held");
  auto ids = ids_in_held_metadata(known->metadata);
  auto released = release();
  if (fault) return fail(std::move(*fault));
  if (ids && !released) return fail(std::move(released.error()));
  return ids;
}

Result<std::vector<Device>> ThinPool::list() {
  auto gate = PoolGate::enter(options_.name);
  if (!gate) return fail(std::move(gate.error()));
  auto now = survey(*gate);
  if (!now) return fail(std::move(now.error()));
  auto ids = stored_ids();
  if (!ids) return ids.error().during("list the devices of {}", options_.name);
  std::vector<Device> devices;
  for (const auto id : *ids) {
    const auto* active = now->find(id);
    devices.push_back(active != nullptr ? device_of(*active) : Device{.id = id});
  }
  return devices;
}

Result<std::vector<Device>> ThinPool::list_active() {
  auto gate = PoolGate::enter(options_.name);
  if (!gate) return fail(std::move(gate.error()));
  auto now = survey(*gate);
  if (!now) return fail(std::move(now.error()));
  std::vector<Device> devices;
  for (const auto& active : now->active) devices.push_back(device_of(active));
  std::ranges::sort(devices, {}, &Device::id);
  return devices;
}

Result<std::vector<Leftover>> ThinPool::leftovers() {
  auto gate = PoolGate::enter(options_.name);
  if (!gate) return fail(std::move(gate.error()));
  auto now = survey(*gate);
  if (!now) return fail(std::move(now.error()));
  auto pool = state();
  if (!pool) return fail(std::move(pool.error()));
  std::vector<Leftover> found;
  for (const auto& name : now->half_made) found.push_back({fmt::format("the half-made device {}", name)});
  if (pool->metadata_held) found.push_back({fmt::format("a snapshot of the metadata of {}", options_.name)});
  return found;
}

Result<> ThinPool::remove_half_made(const Survey& found) {
  for (const auto& name : found.half_made) {
    if (auto gone = dm::remove(name); !gone) return fail(dm::error("remove", name, gone.error()));
  }
  return {};
}

Result<> ThinPool::remove_leftovers() {
  auto gate = PoolGate::enter(options_.name);
  if (!gate) return fail(std::move(gate.error()));
  auto now = survey(*gate);
  if (!now) return fail(std::move(now.error()));
  auto pool = state();
  if (!pool) return fail(std::move(pool.error()));
  if (auto cleared = remove_half_made(*now); !cleared) return cleared;
  if (!pool->metadata_held) return {};
  if (auto done = dm::message(options_.name, "release_metadata_snap"); !done) {
    return fail(dm::error("release the metadata snapshot of", options_.name, done.error()));
  }
  return {};
}

}  // namespace slipway::volumes
