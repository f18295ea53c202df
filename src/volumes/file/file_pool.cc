#include "volumes/file/file_pool.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/directories.h"
#include "sys/fault.h"
#include "sys/system_error.h"
#include "volumes/file/in_use.h"
#include "volumes/file/sparse_copy.h"

namespace slipway::volumes {
namespace {

constexpr std::string_view kWorking = "new.";
constexpr std::string_view kEnding = ".img";
constexpr std::size_t kDigits = 6;
constexpr auto kMoreRoom = "remove images (slipway rm), or give it more room";
constexpr auto kBusyPause = std::chrono::milliseconds(100);

std::string digits(DeviceId id) { return fmt::format("{:06x}", id.value); }

std::optional<DeviceId> parse_digits(std::string_view text) {
  DeviceId id;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id.value, 16);
  if (error != std::errc() || end != text.data() + text.size() || digits(id) != text) return std::nullopt;
  return id;
}

// Calls for each entry of the folder. One that is missing has none.
Result<> each_entry(const std::filesystem::path& folder,
                    const std::function<void(const std::string& name, const struct stat& info)>& visit) {
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    struct stat info{};
    if (::lstat(at->path().c_str(), &info) != 0) {
      if (errno == ENOENT) continue;  // gone in between
      return fail(sys::system_error("look at", at->path().native(), errno));
    }
    visit(at->path().filename(), info);
  }
  if (failed && failed != std::errc::no_such_file_or_directory) {
    return fail(sys::system_error("read", folder.native(), failed.value()));
  }
  return {};
}

// Of the file system that the folder is on, or will be on once it is made.
Result<struct statvfs> file_system_of(const std::filesystem::path& folder) {
  struct statvfs info{};
  std::error_code failed;
  auto there = std::filesystem::absolute(folder, failed);
  if (failed) return fail(sys::system_error("look at", folder.native(), failed.value()));
  while (::statvfs(there.c_str(), &info) != 0) {
    if (errno != ENOENT || there == there.root_path()) {
      return fail(sys::system_error("look at", there.native(), errno));
    }
    there = there.parent_path();
  }
  return info;
}

Result<> sync_file(int fd, const std::filesystem::path& path) {
  if (auto fault = fault::check("volumes.file.sync")) return fail(std::move(*fault));
  if (::fsync(fd) != 0) return fail(sys::system_error("sync", path.native(), errno));
  return {};
}

Result<> unlink_file(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return fail(sys::system_error("remove", path.native(), errno));
}

}  // namespace

// A file of devices/.
struct FilePool::Stored {
  DeviceId id{};
  std::optional<DeviceId> origin{};
  std::string file{};
  std::uint64_t size = 0;
  ino_t inode = 0;
};

struct FilePool::Listing {
  std::map<DeviceId, Stored> devices{};
  std::map<ino_t, std::string> active{};  // file names
  std::map<std::string, ino_t> by_name{};
  std::vector<std::string> working{};
};

FilePool::FilePool(FilePoolOptions options)
    : options_(std::move(options)), devices_(options_.folder / "devices"), active_(options_.folder / "active") {}

Result<std::unique_ptr<FilePool>> FilePool::open(const FilePoolOptions& options) {
  std::error_code none;
  const auto status = std::filesystem::status(options.folder, none);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) {
    return fail(ErrorKind::kInvalid, "open the pool {}: {} is no folder", options.name, options.folder.native());
  }
  return std::unique_ptr<FilePool>(new FilePool(options));
}

std::filesystem::path FilePool::active_path(const std::string& name) const {
  return active_ / (name + std::string(kEnding));
}

Result<FilePool::Listing> FilePool::read() const {
  Listing listing;
  auto stored = each_entry(devices_, [&](const std::string& file, const struct stat& info) {
    const std::string_view text = file;
    if (text.starts_with(kWorking)) {
      if (S_ISREG(info.st_mode) && parse_digits(text.substr(kWorking.size()))) listing.working.push_back(file);
      return;
    }
    const auto id = parse_digits(text.substr(0, kDigits));
    const bool snapshot = text.size() == 2 * kDigits + 1 && text[kDigits] == '-';
    const auto origin = snapshot ? parse_digits(text.substr(kDigits + 1)) : std::nullopt;
    if (!id || !S_ISREG(info.st_mode) || (text.size() != kDigits && !origin)) return;  // not ours
    listing.devices[*id] = {*id, origin, file, static_cast<std::uint64_t>(info.st_size), info.st_ino};
  });
  if (!stored) return fail(std::move(stored.error()));
  auto active = each_entry(active_, [&](const std::string& file, const struct stat& info) {
    if (!file.ends_with(kEnding) || !S_ISREG(info.st_mode)) return;
    listing.active[info.st_ino] = file;
    listing.by_name[file] = info.st_ino;
  });
  if (!active) return fail(std::move(active.error()));
  return listing;
}

Device FilePool::device_of(const Stored& stored, const Listing& listing) const {
  Device device{.id = stored.id, .size = stored.size, .origin = stored.origin};
  if (const auto found = listing.active.find(stored.inode); found != listing.active.end()) {
    device.name = found->second.substr(0, found->second.size() - kEnding.size());
    device.path = active_ / found->second;
  }
  return device;
}

Result<PoolStatus> FilePool::status() {
  const auto info = file_system_of(options_.folder);
  if (!info) return fail(info.error());
  PoolStatus status{.backend = "file", .name = options_.name, .place = options_.folder};
  status.data.total = static_cast<std::uint64_t>(info->f_blocks) * info->f_frsize;
  status.data.used = status.data.total - static_cast<std::uint64_t>(info->f_bavail) * info->f_frsize;
  if ((info->f_flag & ST_RDONLY) != 0) status.problems.emplace_back("its file system is mounted read-only");
  return status;
}

// Made with the first device, and never removed.
Result<bool> FilePool::exists() {
  std::error_code failed;
  const bool there = std::filesystem::is_directory(devices_, failed);
  if (failed && failed != std::errc::no_such_file_or_directory && failed != std::errc::not_a_directory) {
    return fail(sys::system_error("look at", devices_.native(), failed.value()));
  }
  return there;
}

Result<> FilePool::check_room(std::uint64_t content) const {
  const auto info = file_system_of(options_.folder);
  if (!info) return fail(info.error());
  const std::uint64_t free = static_cast<std::uint64_t>(info->f_bavail) * info->f_frsize;
  if (free >= options_.least_free && free - options_.least_free >= content) return {};
  const auto what =
      content == 0 ? std::string("a device") : fmt::format("one that is filled with {} MiB", (content >> 20U) + 1);
  return fail(
      Error(ErrorKind::kNoSpace, fmt::format("the file system of {} has {} MiB left, and {} is begun only with {} MiB",
                                             options_.folder.native(), free >> 20U, what,
                                             ((options_.least_free + content) >> 20U) + (content == 0 ? 0 : 1)))
          .with_hint(kMoreRoom));
}

Result<std::optional<Device>> FilePool::find(DeviceId id) {
  auto listing = read();
  if (!listing) return fail(std::move(listing.error()));
  const auto found = listing->devices.find(id);
  if (found == listing->devices.end()) return std::nullopt;
  return device_of(found->second, *listing);
}

Result<std::vector<Device>> FilePool::list() {
  auto listing = read();
  if (!listing) return fail(std::move(listing.error()));
  std::vector<Device> devices;
  for (const auto& [_, stored] : listing->devices) devices.push_back(device_of(stored, *listing));
  return devices;
}

Result<std::vector<Device>> FilePool::list_active() {
  auto devices = list();
  if (devices) std::erase_if(*devices, [](const Device& device) { return !device.active(); });
  return devices;
}

Result<> FilePool::make(DeviceId id, std::uint64_t content, const std::string& file_name,
                        const std::function<Result<>(int fd, const std::filesystem::path&)>& fill) {
  auto listing = read();
  if (!listing) return fail(std::move(listing.error()));
  const auto taken = [&] { return fail(ErrorKind::kAlreadyExists, "the pool has a device {} already", id); };
  if (listing->devices.contains(id)) return taken();
  if (auto room = check_room(content); !room) return room;
  if (auto folder = sys::make_directories(devices_); !folder) return folder;

  const auto working = devices_ / (std::string(kWorking) + digits(id));
  if (auto removed = unlink_file(working); !removed) return removed;
  const sys::Descriptor fd(::open(working.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return fail(sys::system_error("make", working.native(), errno));
  auto made = fill(fd.get(), working);
  if (made) made = sync_file(fd.get(), working);
  const sys::Lock lock(mutex_);  // a volume and a snapshot of one id have different names
  auto now = read();
  if (made && !now) made = fail(std::move(now.error()));
  if (made && now->devices.contains(id)) made = taken();
  if (made && ::renameat2(AT_FDCWD, working.c_str(), AT_FDCWD, (devices_ / file_name).c_str(), RENAME_NOREPLACE) != 0) {
    made = errno == EEXIST ? Result<>(taken()) : fail(sys::system_error("rename", working.native(), errno));
  }
  if (!made) {
    (void)unlink_file(working);  // else it is a leftover, which is told of
    if (made.error().kind() == ErrorKind::kNoSpace) return fail(std::move(made.error()).with_hint(kMoreRoom));
    return made;
  }
  return sys::sync_directory(devices_);
}

Result<> FilePool::create(const DeviceSpec& volume) {
  if (auto good = check_device_name(volume.name); !good) return good;
  auto made =
      make(volume.id, volume.content, digits(volume.id), [&](int fd, const std::filesystem::path& path) -> Result<> {
        if (::ftruncate(fd, static_cast<off_t>(volume.size)) == 0) return {};
        return fail(sys::system_error("make", path.native(), errno));
      });
  if (!made) return made.error().during("create volume {}", volume.name);
  return {};
}

Result<> FilePool::snapshot(const DeviceSpec& snapshot, const DeviceSpec& origin) {
  if (auto good = check_device_name(snapshot.name); !good) return good;
  auto listing = read();
  if (!listing) return fail(std::move(listing.error()));
  const auto found = listing->devices.find(origin.id);
  if (found == listing->devices.end()) {
    return fail(ErrorKind::kNotFound, "snapshot of {}: the pool has no device {}", origin.name, origin.id);
  }
  const auto from_path = devices_ / found->second.file;
  const auto name = fmt::format("{}-{}", digits(snapshot.id), digits(origin.id));
  auto made = make(snapshot.id, /*content=*/0, name, [&](int fd, const std::filesystem::path&) -> Result<> {
    const sys::Descriptor from(::open(from_path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (!from) return fail(sys::system_error("open", from_path.native(), errno));
    if (auto synced = sync_file(from.get(), from_path); !synced) return synced;
    if (options_.may_share_blocks) {
      auto shared = share_blocks(from.get(), fd, from_path.native());
      if (!shared) return fail(std::move(shared.error()));
      if (*shared) return {};
    }
    return copy_data(from.get(), fd, from_path.native());
  });
  if (!made) return made.error().during("snapshot of {}", origin.name);
  return {};
}

Result<std::string> FilePool::activate(const DeviceSpec& device) {
  if (auto good = check_device_name(device.name); !good) return fail(std::move(good.error()));
  const sys::Lock lock(mutex_);  // else the device could be removed under it
  auto listing = read();
  if (!listing) return fail(std::move(listing.error()));
  const auto found = listing->devices.find(device.id);
  if (found == listing->devices.end()) {
    return fail(ErrorKind::kNotFound, "activate {}: the pool has no device {}", device.name, device.id);
  }
  const auto path = active_path(device.name);
  const auto now = device_of(found->second, *listing);
  if (now.active() && now.name != device.name) {
    return fail(ErrorKind::kConflict, "device {} is active as {}, not {}", device.id, now.name, device.name);
  }
  if (auto folder = sys::make_directories(active_); !folder) return fail(std::move(folder.error()));
  if (!now.active() && ::link((devices_ / found->second.file).c_str(), path.c_str()) != 0) {
    if (errno == EEXIST) {
      return fail(Error(ErrorKind::kConflict, fmt::format("the name {} is that of another active device", device.name))
                      .with_hint(fmt::format("give another name, or see what {} is: slipway doctor", path.native())));
    }
    return fail(sys::system_error("make", path.native(), errno));
  }
  if (auto synced = sys::sync_directory(active_); !synced) return fail(std::move(synced.error()));
  return path.native();
}

Result<> FilePool::unlink_active(const std::string& file_name, WhenBusy when_busy) {
  const auto path = active_ / file_name;
  for (int tries = when_busy == WhenBusy::kWait ? 0 : options_.busy_tries;; ++tries) {
    auto user = user_of(path);
    if (!user) return fail(std::move(user.error()));
    if (!*user) break;
    if (tries == options_.busy_tries) {
      return fail(Error(ErrorKind::kUnavailable, fmt::format("{} is in use by {}", path.native(), **user))
                      .with_hint("end what uses it, and try again"));
    }
    std::this_thread::sleep_for(kBusyPause);
  }
  if (auto removed = unlink_file(path); !removed) return removed;
  return sys::sync_directory(active_);
}

Result<> FilePool::deactivate(const DeviceSpec& device, WhenBusy when_busy) {
  auto listing = read();
  if (!listing) return fail(std::move(listing.error()));
  const auto found = listing->devices.find(device.id);
  if (found == listing->devices.end()) return {};
  const auto now = device_of(found->second, *listing);
  if (!now.active()) return {};
  if (now.name != device.name) {
    return fail(ErrorKind::kConflict, "device {} is active as {}, not {}", device.id, now.name, device.name);
  }
  return unlink_active(listing->active.at(found->second.inode), when_busy);
}

Result<> FilePool::remove(const DeviceSpec& device, WhenBusy when_busy) {
  for (;;) {
    std::string active;
    {
      const sys::Lock lock(mutex_);  // nobody makes it active between the look and its end
      auto listing = read();
      if (!listing) return fail(std::move(listing.error()));
      const auto found = listing->devices.find(device.id);
      if (found == listing->devices.end()) return {};
      const auto name = listing->active.find(found->second.inode);
      if (name == listing->active.end()) {
        if (auto fault = fault::check("volumes.file.remove")) return fail(std::move(*fault));
        if (auto removed = unlink_file(devices_ / found->second.file); !removed) return removed;
        return sys::sync_directory(devices_);
      }
      active = name->second;
    }
    if (auto gone = unlink_active(active, when_busy); !gone) return gone.error().during("remove {}", device.name);
  }
}

// Half-made files; and names of what is no device here, which only somebody else can have made: ours are taken away
// before their device is.
Result<std::vector<Leftover>> FilePool::leftovers() {
  auto listing = read();
  if (!listing) return fail(std::move(listing.error()));
  std::vector<Leftover> found;
  for (const auto& file : listing->working) found.push_back({devices_ / file});
  std::set<ino_t> known;
  for (const auto& [_, stored] : listing->devices) known.insert(stored.inode);
  for (const auto& [file, inode] : listing->by_name) {
    if (!known.contains(inode)) found.push_back({active_ / file, /*ours=*/false});
  }
  return found;
}

Result<> FilePool::remove_leftovers() {
  auto found = leftovers();
  if (!found) return fail(std::move(found.error()));
  Result<> all;
  bool changed = false;
  for (const auto& leftover : *found) {
    if (!leftover.ours) continue;
    auto removed = unlink_file(leftover.what);
    changed = changed || removed.has_value();
    if (!removed) all = std::move(removed);
  }
  if (!changed) return all;
  if (auto synced = sys::sync_directory(devices_); !synced) return synced;
  return all;
}

}  // namespace slipway::volumes
