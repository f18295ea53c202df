// A pool of copy-on-write devices: a device-mapper thin pool (thin/), or a folder of files (file/).
//
// Words:
//   device    a volume, made empty, or a snapshot, made of another device and from then on independent of it.
//   id        how the pool knows a device. Whoever makes one chooses the id, and has written it down before
//             (Catalog::reserve): what a crash leaves behind is then found by its id.
//   active    it can be opened, at a path. A reboot may make every device inactive.
//
// Each verb is done whole or not at all, and is on disk when it returns; a crash in the middle leaves at most what
// leftovers() tells of. Asked again for what is so already, activate(), deactivate() and remove() have no effect.
//
// Thread-safe. One process at a time changes a pool (the owner of the runs); others may look.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/device_id.h"
#include "base/error.h"

namespace slipway::volumes {

// What the caller keeps of a device: a pool may know less while it is inactive.
struct DeviceSpec {
  DeviceId id{};
  std::string name{};      // check_device_name()
  std::uint64_t size = 0;  // bytes
  // Of a volume that is to be made: so many bytes are going to be written to it, as far as is known. Where they would
  // take the room that others need to go on (a file system that databases are on, too), nothing is begun.
  std::uint64_t content = 0;
};

// What the pool can tell of a device.
struct Device {
  DeviceId id{};
  std::optional<std::uint64_t> size{};
  std::optional<DeviceId> origin{};  // of a snapshot, where the pool knows
  std::string name{};                // of an active one
  std::string path{};                // of an active one

  [[nodiscard]] bool active() const { return !path.empty(); }
};

struct Usage {
  std::uint64_t used = 0;   // bytes
  std::uint64_t total = 0;  // bytes

  [[nodiscard]] std::uint64_t free() const { return total > used ? total - used : 0; }
};

struct PoolStatus {
  std::string backend{};  // "thin", "file"
  std::string name{};     // of the pool, as the catalog has it
  std::string place{};    // a device or a folder
  Usage data{};
  std::optional<Usage> metadata{};
  std::optional<std::uint64_t> transaction_id{};
  std::vector<std::string> problems{};  // sentences: it needs checking, it has become read-only, ...
};

// Something in the pool that is no device of it. Ours: what a crash has left, a half-made file or a device under a
// working name. Not ours: it may be the last name of somebody's data.
struct Leftover {
  std::string what{};  // for people; unique
  bool ours = true;
};

enum class WhenBusy : std::uint8_t { kWait, kGiveUp };

class Pool {
 public:
  Pool() = default;
  virtual ~Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual Result<PoolStatus> status() = 0;
  // False: nothing was ever made in it. Where something is recorded of it, its disk is not there, or it is another
  // pool.
  [[nodiscard]] virtual Result<bool> exists() = 0;

  [[nodiscard]] virtual Result<std::optional<Device>> find(DeviceId id) = 0;
  // By id. Those that others have made in it, too.
  [[nodiscard]] virtual Result<std::vector<Device>> list() = 0;
  // The active ones among them. Cheap, where list() may have to read all that the pool knows.
  [[nodiscard]] virtual Result<std::vector<Device>> list_active() = 0;

  // A volume that reads as zeros, inactive. kAlreadyExists: the id is taken. kNoSpace: too little is free to begin.
  [[nodiscard]] virtual Result<> create(const DeviceSpec& volume) = 0;
  // Of what is on the origin now, inactive; the origin may be active. kNotFound: there is no origin. kAlreadyExists,
  // kNoSpace as above.
  [[nodiscard]] virtual Result<> snapshot(const DeviceSpec& snapshot, const DeviceSpec& origin) = 0;

  // The path. kNotFound: there is no such device. kConflict: it is active under another name, or the name is another
  // device's.
  [[nodiscard]] virtual Result<std::string> activate(const DeviceSpec& device) = 0;
  // kUnavailable: it is in use, and still was after some tries. kConflict: it is active under another name.
  [[nodiscard]] virtual Result<> deactivate(const DeviceSpec& device, WhenBusy when_busy) = 0;
  [[nodiscard]] Result<> deactivate(const DeviceSpec& device) { return deactivate(device, WhenBusy::kWait); }
  // With all its blocks, deactivated first, under whatever name it is active. kUnavailable as above.
  [[nodiscard]] virtual Result<> remove(const DeviceSpec& device, WhenBusy when_busy) = 0;
  [[nodiscard]] Result<> remove(const DeviceSpec& device) { return remove(device, WhenBusy::kWait); }

  [[nodiscard]] virtual Result<std::vector<Leftover>> leftovers() = 0;
  // Those of ours that nobody uses. One that cannot be removed keeps the others from nothing.
  [[nodiscard]] virtual Result<> remove_leftovers() = 0;
};

// 1 to 127 letters, digits and "+-.:=@_", not beginning with a dot: what both a file and the device mapper take as it
// is.
[[nodiscard]] Result<> check_device_name(const std::string& name);

}  // namespace slipway::volumes
