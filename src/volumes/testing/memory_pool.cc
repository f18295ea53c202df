#include "volumes/testing/memory_pool.h"

#include <cerrno>
#include <filesystem>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "sys/system_error.h"
#include "volumes/file/sparse_copy.h"

namespace slipway::volumes {
namespace {

constexpr std::uint64_t kTotal = 100ULL << 30;

Result<sys::Descriptor> make_file(const std::string& name, std::uint64_t size) {
  sys::Descriptor file(::memfd_create(name.c_str(), MFD_CLOEXEC));
  if (!file || ::ftruncate(file.get(), static_cast<off_t>(size)) != 0) {
    return fail(sys::system_error("make", name, errno));
  }
  return file;
}

}  // namespace

std::shared_ptr<Pool> PoolMemory::open() { return std::make_shared<MemoryPool>(shared_from_this()); }

void PoolMemory::reboot() {
  const sys::Lock lock(mutex_);
  for (auto& [_, stored] : devices_) stored.name = stored.path = {};
}

void PoolMemory::set_busy(DeviceId id, bool busy) {
  const sys::Lock lock(mutex_);
  if (busy) {
    busy_.insert(id);
  } else {
    busy_.erase(id);
  }
}

void PoolMemory::set_full(bool full) {
  const sys::Lock lock(mutex_);
  full_ = full;
}

void PoolMemory::set_transaction_id(std::uint64_t id) {
  const sys::Lock lock(mutex_);
  transaction_id_ = id;
}

void PoolMemory::drop(DeviceId id) {
  const sys::Lock lock(mutex_);
  devices_.erase(id);
}

int PoolMemory::changes() const {
  const sys::Lock lock(mutex_);
  return changes_;
}

Device PoolMemory::device_of(DeviceId id, const Stored& stored) const {
  return {.id = id, .size = stored.size, .origin = stored.origin, .name = stored.name, .path = stored.path};
}

Result<PoolStatus> MemoryPool::status() {
  const sys::Lock lock(memory_->mutex_);
  PoolStatus status{.backend = "memory", .name = name_, .place = "memory", .data = {.used = 0, .total = kTotal}};
  for (const auto& [_, stored] : memory_->devices_) status.data.used += stored.size;
  status.transaction_id = memory_->transaction_id_;
  return status;
}

Result<std::optional<Device>> MemoryPool::find(DeviceId id) {
  const sys::Lock lock(memory_->mutex_);
  const auto found = memory_->devices_.find(id);
  if (found == memory_->devices_.end()) return std::nullopt;
  return memory_->device_of(id, found->second);
}

Result<std::vector<Device>> MemoryPool::list() {
  const sys::Lock lock(memory_->mutex_);
  std::vector<Device> devices;
  for (const auto& [id, stored] : memory_->devices_) devices.push_back(memory_->device_of(id, stored));
  return devices;
}

Result<std::vector<Device>> MemoryPool::list_active() {
  auto devices = MemoryPool::list();
  if (devices) std::erase_if(*devices, [](const Device& device) { return !device.active(); });
  return devices;
}

Result<> MemoryPool::check_new(const DeviceSpec& device) const {
  if (auto good = check_device_name(device.name); !good) return good;
  if (memory_->devices_.contains(device.id)) {
    return fail(ErrorKind::kAlreadyExists, "the pool has a device {} already", device.id);
  }
  if (memory_->full_) return fail(ErrorKind::kNoSpace, "the pool is full");
  return {};
}

Result<> MemoryPool::create(const DeviceSpec& volume) {
  const sys::Lock lock(memory_->mutex_);
  if (auto good = check_new(volume); !good) return good;
  auto file = make_file(volume.name, volume.size);
  if (!file) return fail(std::move(file.error()));
  ++memory_->changes_;
  memory_->devices_[volume.id] = {.file = std::move(*file), .size = volume.size};
  return {};
}

Result<> MemoryPool::snapshot(const DeviceSpec& snapshot, const DeviceSpec& origin) {
  const sys::Lock lock(memory_->mutex_);
  const auto from = memory_->devices_.find(origin.id);
  if (from == memory_->devices_.end()) return fail(ErrorKind::kNotFound, "the pool has no device {}", origin.id);
  if (auto good = check_new(snapshot); !good) return good;
  auto file = make_file(snapshot.name, from->second.size);
  if (!file) return fail(std::move(file.error()));
  if (auto copied = copy_data(from->second.file.get(), file->get(), origin.name); !copied) return copied;
  ++memory_->changes_;
  memory_->devices_[snapshot.id] = {.file = std::move(*file), .size = from->second.size, .origin = origin.id};
  return {};
}

Result<std::string> MemoryPool::activate(const DeviceSpec& device) {
  const sys::Lock lock(memory_->mutex_);
  const auto found = memory_->devices_.find(device.id);
  if (found == memory_->devices_.end()) return fail(ErrorKind::kNotFound, "the pool has no device {}", device.id);
  auto& stored = found->second;
  if (stored.name == device.name) return stored.path;
  if (!stored.name.empty()) return fail(ErrorKind::kConflict, "device {} is active as {}", device.id, stored.name);
  for (const auto& [_, other] : memory_->devices_) {
    if (other.name == device.name) return fail(ErrorKind::kConflict, "the name {} is taken", device.name);
  }
  ++memory_->changes_;
  stored.name = device.name;
  stored.path = fmt::format("/proc/{}/fd/{}", ::getpid(), stored.file.get());
  return stored.path;
}

Result<> MemoryPool::deactivate(const DeviceSpec& device, WhenBusy /*when_busy*/) {
  const sys::Lock lock(memory_->mutex_);
  const auto found = memory_->devices_.find(device.id);
  if (found == memory_->devices_.end() || found->second.name.empty()) return {};
  auto& stored = found->second;
  if (stored.name != device.name) {
    return fail(ErrorKind::kConflict, "device {} is active as {}", device.id, stored.name);
  }
  if (memory_->busy_.contains(device.id)) return fail(ErrorKind::kUnavailable, "{} is in use", device.name);
  ++memory_->changes_;
  stored.name = stored.path = {};
  return {};
}

Result<> MemoryPool::remove(const DeviceSpec& device, WhenBusy /*when_busy*/) {
  const sys::Lock lock(memory_->mutex_);
  if (!memory_->devices_.contains(device.id)) return {};
  if (memory_->busy_.contains(device.id)) return fail(ErrorKind::kUnavailable, "{} is in use", device.name);
  ++memory_->changes_;
  memory_->devices_.erase(device.id);
  return {};
}

}  // namespace slipway::volumes
