#include "objects/local_folder.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "objects/uri.h"
#include "sys/system_error.h"

namespace slipway::objects {
namespace {

int open_plain(int root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  long fd = -1;
  do {
    fd = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
  } while (fd < 0 && (errno == EINTR || errno == EAGAIN));  // EAGAIN: a rename raced with the look-up
  return static_cast<int>(fd);
}

// What says that no such plain file is there, in whatever way: a link, a file where a folder should be.
bool means_not_there(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP || error == EXDEV || error == ENXIO ||
         error == ENAMETOOLONG;
}

struct Entry {
  std::string name;  // a folder's ends with a slash: that is how its keys go on, and so how it sorts
  bool folder = false;
};

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

bool is_folder(int directory, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat status{};
  return ::fstatat(directory, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

// The entries of a folder below `root` ("" is the root itself), in the order of the keys they lead to. One that went
// away meanwhile is empty.
Result<std::vector<Entry>> read_folder(int root, const std::string& folder) {
  sys::Descriptor fd(open_plain(root, folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY));
  if (!fd) {
    if (means_not_there(errno)) return std::vector<Entry>{};
    return fail(sys::system_error("open folder", folder, errno));
  }
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(::dup(fd.get())));
  if (!directory) return fail(sys::system_error("read folder", folder, errno));
  std::vector<Entry> entries;
  errno = 0;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && check_key(name)) {
      const bool folder_entry = is_folder(fd.get(), *entry);
      entries.push_back({std::string(name) + (folder_entry ? "/" : ""), folder_entry});
    }
    errno = 0;
  }
  if (errno != 0) return fail(sys::system_error("read folder", folder, errno));
  std::ranges::sort(entries, {}, &Entry::name);
  return entries;
}

class Walk {
 public:
  Walk(int root, const std::string& prefix, const std::string& after, const FolderVisitor& visitor,
       const std::stop_token& stop)
      : root_(root), prefix_(prefix), after_(after), visitor_(visitor), stop_(stop) {}

  // `path` is empty or ends with a slash. False: enough.
  Result<bool> folder(const std::string& path) {
    if (stop_.stop_requested()) return fail(ErrorKind::kCancelled, "stopped while listing");
    auto entries = read_folder(root_, path);
    // Where nothing can be told of what was asked for, that is an error; of a part of it, it is that part's.
    if (!entries && entries.error().kind() == ErrorKind::kPermission && !prefix_.starts_with(path)) {
      visitor_.unreadable(path, entries.error());
      return true;
    }
    if (!entries) return fail(entries.error());
    for (const Entry& entry : *entries) {
      const std::string key = path + entry.name;
      if (!wanted(key, entry.folder)) continue;
      auto more = entry.folder ? folder(key) : file(key);
      if (!more || !*more) return more;
    }
    return true;
  }

 private:
  [[nodiscard]] bool wanted(const std::string& key, bool is_folder) const {
    if (!is_folder) return key.starts_with(prefix_) && key > after_ && check_key(key);
    if (key.size() > 1024) return false;
    if (!key.starts_with(prefix_) && !prefix_.starts_with(key)) return false;
    return key > after_ || after_.starts_with(key);
  }

  Result<bool> file(const std::string& key) {
    auto opened = open_below(root_, key);
    if (opened) return visitor_.object(std::move(opened->info));
    if (opened.error().kind() == ErrorKind::kPermission) visitor_.unreadable(key, opened.error());
    if (opened.error().kind() == ErrorKind::kNotFound || opened.error().kind() == ErrorKind::kPermission) return true;
    return fail(opened.error());
  }

  int root_;
  const std::string& prefix_;
  const std::string& after_;
  const FolderVisitor& visitor_;
  const std::stop_token& stop_;
};

}  // namespace

ObjectInfo info_of(std::string key, const struct stat& status) {
  const auto nanos = static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
  return {.key = std::move(key),
          .size = static_cast<std::uint64_t>(status.st_size),
          .etag = fmt::format("{:x}-{:x}-{:x}", status.st_ino, status.st_size, nanos),
          .modified = from_micros(nanos / 1000)};
}

Result<OpenedFile> open_below(int root, const std::string& key) {
  OpenedFile file;
  // Not blocking: a FIFO of that name must not hold us up before it is seen to be one.
  file.descriptor = sys::Descriptor(open_plain(root, key, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat status{};
  if (!file.descriptor || ::fstat(file.descriptor.get(), &status) != 0) {
    if (means_not_there(errno)) return fail(ErrorKind::kNotFound, "there is no such object");
    return fail(sys::system_error("open", key, errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorKind::kNotFound, "there is no such object: what has its name is not a regular file");
  }
  file.info = info_of(key, status);
  return file;
}

Result<> walk_below(int root, const std::string& prefix, const std::string& after, const FolderVisitor& visitor,
                    const std::stop_token& stop) {
  auto walked = Walk(root, prefix, after, visitor, stop).folder("");
  if (!walked) return fail(walked.error());
  return {};
}

}  // namespace slipway::objects
