// A pool that is a folder: a device is a sparse file, a snapshot shares its blocks where the file system can
// (FICLONE), else is a copy without the holes. Needs no root and no kernel support.
//
//   FOLDER/devices/00abcd           the volume 43981
//   FOLDER/devices/00abce-00abcd    a snapshot of it
//   FOLDER/devices/new.00abcf       being made: a leftover after a crash
//   FOLDER/active/snap-1.img        a second link to the file of a device that is active as `snap-1`
//
// A device counts as in use while somebody holds a lock on its file, as qemu does, or a loop device stands on it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "sys/mutex.h"
#include "volumes/pool.h"

namespace slipway::volumes {

struct FilePoolOptions {
  std::filesystem::path folder{};
  std::string name{"files"};
  std::uint64_t least_free = 256ULL << 20;  // bytes of the file system, below which nothing new is begun
  bool may_share_blocks = true;             // false: as on a file system that cannot
  int busy_tries = 20;                      // of a tenth of a second each, for who uses a device to let go of it
};

class FilePool : public Pool {
 public:
  // Makes nothing: who only looks leaves no trace, and a folder that is missing is an empty pool. The folders are made
  // with the first device. kInvalid: something else is in the folder's place.
  [[nodiscard]] static Result<std::unique_ptr<FilePool>> open(const FilePoolOptions& options);

  [[nodiscard]] const std::string& name() const override { return options_.name; }
  [[nodiscard]] Result<PoolStatus> status() override;
  [[nodiscard]] Result<bool> exists() override;
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
  struct Stored;
  struct Listing;

  explicit FilePool(FilePoolOptions options);

  [[nodiscard]] Result<Listing> read() const;
  // For a new device, and for `content` bytes in it.
  [[nodiscard]] Result<> check_room(std::uint64_t content) const;
  [[nodiscard]] Device device_of(const Stored& stored, const Listing& listing) const;
  // Makes the file under its working name, has `fill` fill it, and gives it its name.
  [[nodiscard]] Result<> make(DeviceId id, std::uint64_t content, const std::string& file_name,
                              const std::function<Result<>(int fd, const std::filesystem::path&)>& fill);
  [[nodiscard]] Result<> unlink_active(const std::string& file_name, WhenBusy when_busy);
  [[nodiscard]] std::filesystem::path active_path(const std::string& name) const;

  FilePoolOptions options_;
  sys::Mutex mutex_;  // while a device gets or loses a name
  std::filesystem::path devices_;
  std::filesystem::path active_;
};

}  // namespace slipway::volumes
