#include "volumes/thin/loop_device.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::volumes {
namespace {

constexpr const char* kControl = "/dev/loop-control";
constexpr int kTries = 50;  // for another process that takes the free device first, or for the kernel to let go of one
constexpr auto kPause = std::chrono::milliseconds(20);

sys::Descriptor open_device(const std::string& path) {
  return sys::Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
}

bool stands_on(int loop, const struct stat& file) {
  loop_info64 info{};
  if (::ioctl(loop, LOOP_GET_STATUS64, &info) != 0) return false;  // free by now
  return info.lo_inode == file.st_ino && info.lo_device == static_cast<std::uint64_t>(file.st_dev) &&
         info.lo_offset == 0 && info.lo_sizelimit == 0 && (info.lo_flags & LO_FLAGS_READ_ONLY) == 0;
}

std::uint32_t flags(bool direct) { return direct ? static_cast<std::uint32_t>(LO_FLAGS_DIRECT_IO) : 0U; }

// 0, or an errno.
int configure(int loop, int file, const std::string& name, bool direct) {
  loop_config config{};
  config.fd = static_cast<std::uint32_t>(file);
  config.info.lo_flags = flags(direct);
  const std::span<std::uint8_t> shown(config.info.lo_file_name);
  std::copy_n(name.begin(), std::min(name.size(), shown.size() - 1), shown.begin());
  return ::ioctl(loop, LOOP_CONFIGURE, &config) == 0 ? 0 : errno;
}

Result<std::string> attach_new(int control, const std::filesystem::path& path) {
  const sys::Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file) return fail(sys::system_error("open", path.native(), errno));
  int failed = EBUSY;
  for (int tries = 0; tries < kTries && failed == EBUSY; ++tries) {
    const int number = ::ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) return fail(sys::system_error("find a free loop device for", path.native(), errno));
    auto name = fmt::format("/dev/loop{}", number);
    const auto loop = open_device(name);
    if (!loop) {
      return fail(Error(sys::system_error("open", name, errno)).with_hint("/dev must have the nodes of loop devices"));
    }
    failed = configure(loop.get(), file.get(), path.native(), /*direct=*/true);
    if (failed == EINVAL) failed = configure(loop.get(), file.get(), path.native(), /*direct=*/false);
    if (failed == 0) return name;
  }
  return fail(sys::system_error("put a loop device on", path.native(), failed));
}

}  // namespace

Result<std::optional<std::string>> find_loop(const std::filesystem::path& file) {
  struct stat info{};
  if (::stat(file.c_str(), &info) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return fail(sys::system_error("look at", file.native(), errno));
  }
  std::error_code failed;
  for (std::filesystem::directory_iterator at("/sys/block", failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename();
    std::error_code none;
    if (!name.starts_with("loop") || !std::filesystem::exists(at->path() / "loop/backing_file", none)) continue;
    std::string path = "/dev/" + name;
    const sys::Descriptor loop(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (loop && stands_on(loop.get(), info)) return path;
  }
  if (failed) return fail(sys::system_error("read", "/sys/block", failed.value()));
  return std::nullopt;
}

Result<std::string> attach_loop(const std::filesystem::path& file) {
  auto found = find_loop(file);
  if (!found) return fail(std::move(found.error()));
  if (*found) return **found;
  const auto control = open_device(kControl);
  if (!control) {
    return fail(
        Error(sys::system_error("open", kControl, errno)).with_hint("loop devices need root and the module loop"));
  }
  return attach_new(control.get(), file);
}

Result<> detach_loop(const std::filesystem::path& file) {
  for (int tries = 0; tries < kTries; ++tries) {
    auto found = find_loop(file);
    if (!found) return fail(std::move(found.error()));
    if (!*found) return {};
    {
      const auto loop = open_device(**found);
      // With other users, the kernel says yes and does it when the last of them goes.
      if (loop && ::ioctl(loop.get(), LOOP_CLR_FD) != 0 && errno != EBUSY && errno != ENXIO) {
        return fail(sys::system_error("detach", **found, errno));
      }
    }
    std::this_thread::sleep_for(tries == 0 ? std::chrono::milliseconds(0) : kPause);
  }
  return fail(ErrorKind::kUnavailable, "the loop device on {} is still in use", file.native());
}

Result<> refresh_loop(const std::string& loop) {
  const auto device = open_device(loop);
  if (!device || ::ioctl(device.get(), LOOP_SET_CAPACITY) != 0) {
    return fail(sys::system_error("make as big as its file", loop, errno));
  }
  return {};
}

Result<std::uint64_t> device_size(const std::string& path) {
  const sys::Descriptor device(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::uint64_t size = 0;
  if (!device || ::ioctl(device.get(), BLKGETSIZE64, &size) != 0) {
    return fail(sys::system_error("ask for the size of", path, errno));
  }
  return size;
}

}  // namespace slipway::volumes
