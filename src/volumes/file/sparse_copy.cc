#include "volumes/file/sparse_copy.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/fault.h"
#include "sys/system_error.h"

namespace slipway::volumes {
namespace {

constexpr std::size_t kPiece = 1UL << 20;
constexpr off_t kWriteOut = 16L << 20;

// With the program's own memory, where the kernel does not copy between these files.
Result<> copy_by_hand(int from, int to, off_t begin, off_t end, const std::string& path) {
  std::vector<char> buffer(kPiece);
  while (begin < end) {
    const ssize_t got = ::pread(from, buffer.data(), std::min(kPiece, static_cast<std::size_t>(end - begin)), begin);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(sys::system_error("read", path, errno));
    if (got == 0) return fail(ErrorKind::kConflict, "{} became shorter while it was copied", path);
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = ::pwrite(to, buffer.data() + done, static_cast<std::size_t>(got - done), begin + done);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return fail(sys::system_error("copy", path, errno));
      done += put;
    }
    begin += got;
  }
  return {};
}

Result<> copy_range(int from, int to, off_t begin, off_t end, const std::string& path) {
  off_t reading = begin;
  off_t writing = begin;
  while (reading < end) {
    const off_t piece = std::min(end - reading, kWriteOut);
    const ssize_t copied = ::copy_file_range(from, &reading, to, &writing, static_cast<std::size_t>(piece), 0);
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0 && (errno == EXDEV || errno == EOPNOTSUPP || errno == EINVAL || errno == ENOSYS)) {
      return copy_by_hand(from, to, reading, end, path);
    }
    if (copied < 0) return fail(sys::system_error("copy", path, errno));
    if (copied == 0) return fail(ErrorKind::kConflict, "{} became shorter while it was copied", path);
    // The disk writes while the rest is copied; the sync at the end has less to wait for.
    ::sync_file_range(to, writing - copied, copied, SYNC_FILE_RANGE_WRITE);
  }
  return {};
}

}  // namespace

Result<bool> share_blocks(int from, int to, const std::string& path) {
  if (::ioctl(to, FICLONE, from) == 0) return true;
  if (errno == EOPNOTSUPP || errno == ENOTTY || errno == EXDEV || errno == EINVAL || errno == ENOSYS) return false;
  return fail(sys::system_error("share the blocks of", path, errno));
}

Result<> copy_data(int from, int to, const std::string& path) {
  struct stat info{};
  if (::fstat(from, &info) != 0) return fail(sys::system_error("look at", path, errno));
  if (::ftruncate(to, info.st_size) != 0) return fail(sys::system_error("make a copy of", path, errno));
  for (off_t end = 0; end < info.st_size;) {
    const off_t begin = ::lseek(from, end, SEEK_DATA);
    if (begin < 0 && errno == ENXIO) return {};  // only a hole is left
    if (begin < 0) return fail(sys::system_error("look for data in", path, errno));
    end = ::lseek(from, begin, SEEK_HOLE);
    if (end < 0) return fail(sys::system_error("look for holes in", path, errno));
    if (auto fault = fault::check("volumes.file.copy")) return fail(std::move(*fault));
    if (auto copied = copy_range(from, to, begin, end, path); !copied) return copied;
  }
  return {};
}

}  // namespace slipway::volumes
