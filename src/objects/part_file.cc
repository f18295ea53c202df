#include "objects/part_file.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "objects/part_state.h"
#include "sys/directories.h"
#include "sys/fault.h"
#include "sys/system_error.h"

namespace slipway::objects {
namespace {

// Opens and locks the part. One that its owner renamed or removed between our open and our lock is opened anew.
Result<sys::Descriptor> open_locked(const std::filesystem::path& path) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    sys::Descriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return fail(local_error("create", path.string(), errno));
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return fail(local_error("lock", path.string(), errno));
      return fail(ErrorKind::kConflict, "another download is writing {}", path.string());
    }
    struct stat ours{};
    struct stat named{};
    if (::fstat(fd.get(), &ours) == 0 && ::lstat(path.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
        ours.st_dev == named.st_dev) {
      return fd;
    }
  }
  return fail(ErrorKind::kConflict, "{} is replaced again and again by somebody else", path.string());
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace

Result<PartFile> PartFile::open(const std::filesystem::path& file, PartIdentity identity, bool reserve) {
  auto fd = open_locked(part_path(file));
  if (!fd) return fail(fd.error());
  PartFile part(file, std::move(identity), std::move(*fd));
  if (auto ready = part.load_or_start_afresh(reserve); !ready) {
    static_cast<void>(remove_if_there(part_path(file)));  // the first error is the one to tell
    static_cast<void>(remove_part_state(file));
    return fail(ready.error());
  }
  return part;
}

Result<> PartFile::load_or_start_afresh(bool reserve) {
  struct stat status{};
  if (::fstat(descriptor_.get(), &status) != 0) return fail(local_error("stat", part_path(file_).string(), errno));
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorKind::kInvalid, "{} is in the way: it is not a regular file", part_path(file_).string());
  }
  if (!identity_.etag.empty() && static_cast<std::uint64_t>(status.st_size) == identity_.size) {
    if (auto kept = decode_part_state(read_part_state(file_), identity_)) kept_ = std::move(*kept);
  }
  if (kept_.empty()) {
    if (auto fresh = start_afresh(); !fresh) return fresh;
  }
  return make_room(reserve);
}

Result<> PartFile::start_afresh() {
  kept_.clear();
  if (auto removed = remove_part_state(file_); !removed) return removed;
  if (::ftruncate(descriptor_.get(), 0) != 0) {
    return fail(local_error("truncate", part_path(file_).string(), errno));
  }
  return {};
}

Result<> PartFile::make_room(bool reserve) const {
  if (!reserve || identity_.size == 0) return {};
  const std::string path = part_path(file_).string();
  int status = -1;
  do {
    status = ::fallocate(descriptor_.get(), 0, 0, static_cast<off_t>(identity_.size));
  } while (status != 0 && errno == EINTR);
  if (status == 0) return {};
  if (errno != EOPNOTSUPP) {
    return fail(Error(local_error(fmt::format("reserve {} bytes for", identity_.size), path, errno))
                    .with_hint("free some room there, or set download_dir to a bigger disk"));
  }
  // A file system that cannot reserve: look at what is free, and let the writes find out the rest.
  struct statvfs room{};
  if (::fstatvfs(descriptor_.get(), &room) == 0 && room.f_bavail * room.f_frsize < identity_.size) {
    return fail(ErrorKind::kNoSpace, "{} bytes are needed for {}, {} are free", identity_.size, path,
                room.f_bavail * room.f_frsize);
  }
  if (::ftruncate(descriptor_.get(), static_cast<off_t>(identity_.size)) != 0) {
    return fail(local_error("extend", path, errno));
  }
  return {};
}

Result<> PartFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (auto fault = fault::check("objects.part.write")) return fault->during("write {}", part_path(file_).string());
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(local_error("write", part_path(file_).string(), errno));
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return {};
}

Result<> PartFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got = ::pread(descriptor_.get(), into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(local_error("read", part_path(file_).string(), errno));
    if (got == 0) return fail(ErrorKind::kIo, "{} is shorter than what was written to it", part_path(file_).string());
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return {};
}

void PartFile::start_writeback() const {
  static_cast<void>(::sync_file_range(descriptor_.get(), 0, 0, SYNC_FILE_RANGE_WRITE));
}

Result<> PartFile::sync() const {
  const std::string path = part_path(file_).string();
  if (auto fault = fault::check("objects.part.sync")) return fault->during("sync {}", path);
  if (::fsync(descriptor_.get()) != 0) return fail(local_error("sync", path, errno));
  return {};
}

Result<> PartFile::checkpoint(const std::vector<ByteRange>& have) {
  if (identity_.etag.empty()) return {};
  auto text = encode_part_state(identity_, have);
  if (!text) return fail(text.error());
  if (auto synced = sync(); !synced) return synced;
  return write_part_state(file_, *text);
}

Result<> PartFile::finish() {
  const std::string part = part_path(file_).string();
  if (auto synced = sync(); !synced) return synced;
  if (auto fault = fault::check("objects.rename.before")) return fault->during("rename {}", part);
  if (::rename(part.c_str(), file_.c_str()) != 0) return fail(local_error("rename", part, errno));
  if (auto fault = fault::check("objects.rename.after")) return fault->during("after renaming {}", part);
  if (auto fault = fault::check("objects.folder.sync")) return fault->during("sync the folder of {}", file_.string());
  if (auto synced = sys::sync_directory(folder_of(file_)); !synced) return synced;
  return remove_part_state(file_);
}

}  // namespace slipway::objects
