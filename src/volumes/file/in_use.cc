#include "volumes/file/in_use.h"

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::volumes {
namespace {

// For who may not open loop devices: their files' names are for all to read.
bool is_named_in(const std::filesystem::path& backing_file, const struct stat& file) {
  std::ifstream in(backing_file);
  std::string name;
  std::getline(in, name);
  struct stat named{};
  return !name.empty() && ::stat(name.c_str(), &named) == 0 && named.st_ino == file.st_ino &&
         named.st_dev == file.st_dev;
}

// The loop device that stands on this very file, under whatever name it was given.
std::optional<std::string> loop_over(const struct stat& file) {
  std::error_code failed;
  for (std::filesystem::directory_iterator at("/sys/block", failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename();
    std::error_code none;
    if (!name.starts_with("loop") || !std::filesystem::exists(at->path() / "loop/backing_file", none)) continue;
    std::string path = "/dev/" + name;
    const sys::Descriptor loop(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    loop_info64 info{};
    if (loop && ::ioctl(loop.get(), LOOP_GET_STATUS64, &info) == 0) {
      if (info.lo_inode == file.st_ino && info.lo_device == static_cast<std::uint64_t>(file.st_dev)) return path;
    } else if (is_named_in(at->path() / "loop/backing_file", file)) {
      return path;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<std::string>> user_of(const std::filesystem::path& file) {
  const sys::Descriptor fd(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd && errno == ENOENT) return std::nullopt;
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0) return fail(sys::system_error("look at", file.native(), errno));
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(fd.get(), F_OFD_GETLK, &lock) != 0) return fail(sys::system_error("look at", file.native(), errno));
  if (lock.l_type != F_UNLCK) {
    return lock.l_pid > 0 ? fmt::format("process {}", lock.l_pid) : std::string("a process that holds a lock on it");
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return std::string("a process that holds a lock on it");
  }
  return loop_over(info);
}

}  // namespace slipway::volumes
