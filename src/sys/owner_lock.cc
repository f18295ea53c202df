// The lock is a POSIX record lock. The roads not taken: flock() and open-file-description locks are inherited over
// fork(), so a child that survives its parent would keep a dead owner's lock; a pid file alone goes stale. The price
// is that closing any descriptor of the file drops the process's lock, so a second acquire() in the same process must
// be refused before it opens the file: hence the registry.
//
// The guard is a flock(): it goes by the open file, so that SQLite's record locks on the same file, and its closing of
// it, are no matter. It is let go of by name on release, so that a child with a copy does not keep it; a child that
// neither calls exec() nor ends, of an owner that was killed, does.
#include "sys/owner_lock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/system_error.h"

namespace slipway::sys {
namespace {

constexpr const char* kHint = "stop that process first: the lock goes with it";

struct FileId {
  dev_t device;
  ino_t inode;
  friend auto operator<=>(const FileId&, const FileId&) = default;
};

// The files this process owns. The pid tells an entry of our own from one that a fork() copied into this process
// without the lock.
struct Registry {
  std::mutex mutex;
  std::map<FileId, pid_t> owned;

  [[nodiscard]] bool owns(const FileId& file) const {
    const auto found = owned.find(file);
    return found != owned.end() && found->second == ::getpid();
  }
};

Registry& registry() {
  static Registry& the_registry = *new Registry;  // never destroyed: a lock may be held by another static
  return the_registry;
}

std::string one_line(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
  return text;
}

// "process 123 (slipway) on host h since 2026-11-15T20:41:24Z": as it stands in the file, so in the message.
std::string describe_self(const std::string& since) {
  std::string program;
  std::ifstream comm("/proc/self/comm");
  std::getline(comm, program);
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {"?"};
  return one_line(fmt::format("process {} ({}) on host {} since {}", ::getpid(), program, host.data(), since));
}

// The owner's own words, unless they are those of an earlier owner or unreadable: then what the kernel knows.
std::string describe_owner(int fd, pid_t pid) {
  std::array<char, 1024> buffer{};
  const ssize_t length = ::pread(fd, buffer.data(), buffer.size(), 0);
  const std::string_view text(buffer.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  const auto end = text.find('\n');
  const bool same_process = pid <= 0 || text.starts_with(fmt::format("process {} ", pid));
  if (end != std::string_view::npos && text.starts_with("process ") && same_process) {
    return one_line(std::string(text.substr(0, end)));
  }
  return pid > 0 ? fmt::format("process {}", pid) : "a process out of sight (another container or host)";
}

struct flock whole_file() {
  struct flock range{};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return range;
}

// Locks, or tells who has it.
Result<> lock_file(int fd, const std::string& path) {
  for (;;) {
    struct flock wanted = whole_file();
    if (::fcntl(fd, F_SETLK, &wanted) == 0) return {};
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EACCES) return fail(system_error("lock", path, errno));
    struct flock held = whole_file();
    if (::fcntl(fd, F_GETLK, &held) != 0) return fail(system_error("ask for the owner of", path, errno));
    if (held.l_type == F_UNLCK) continue;  // gone in between
    return fail(Error(ErrorKind::kConflict, fmt::format("{} is owned by {}", path, describe_owner(fd, held.l_pid)))
                    .with_hint(kHint));
  }
}

// The text is for people and the lock is what counts: a full disk does not keep the owner out.
void write_text(int fd, const std::string& text) {
  if (::ftruncate(fd, 0) != 0) return;
  [[maybe_unused]] const ssize_t written = ::pwrite(fd, text.data(), text.size(), 0);
}

std::optional<FileId> identify(const struct stat& status) {
  return FileId{.device = status.st_dev, .inode = status.st_ino};
}

std::optional<FileId> identify(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return identify(status);
}

std::optional<FileId> identify(int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return std::nullopt;
  return identify(status);
}

// The lock file, locked. One that was removed or replaced while we were at it is not the one that others will find.
Result<int> open_locked(const std::string& path) {
  for (;;) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return fail(system_error("open lock file", path, errno));
    if (auto locked = lock_file(fd, path); !locked) {
      ::close(fd);
      return fail(std::move(locked.error()));
    }
    const auto locked = identify(fd);
    if (!locked) {
      const int error = errno;
      ::close(fd);
      return fail(system_error("identify", path, error));
    }
    if (locked == identify(path)) return fd;
    ::close(fd);
  }
}

// Of a line of /proc/locks: "7: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF".
std::string flock_holder(int fd) {
  struct stat status{};
  std::ifstream locks("/proc/locks");
  const std::string inode = ::fstat(fd, &status) == 0 ? fmt::format(":{}", status.st_ino) : "?";
  std::string number;
  std::string kind;
  std::string advisory;
  std::string access;
  std::string pid;
  std::string file;
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    words >> number >> kind >> advisory >> access >> pid >> file;
    if (kind == "FLOCK" && file.ends_with(inode)) return fmt::format("process {}", pid);
  }
  return "another process";
}

}  // namespace

Result<OwnerLock> OwnerLock::acquire(std::string path, const std::string& since) {
  Registry& ours = registry();
  const std::scoped_lock lock(ours.mutex);
  if (const auto file = identify(path); file && ours.owns(*file)) {
    return fail(Error(ErrorKind::kConflict, fmt::format("{} is owned by this process ({})", path, ::getpid()))
                    .with_hint("use the owner that is open, or close it first"));
  }
  auto fd = open_locked(path);
  if (!fd) return fail(std::move(fd.error()));
  ours.owned.insert_or_assign(*identify(*fd), ::getpid());
  write_text(*fd, describe_self(since) + '\n');
  return OwnerLock(std::move(path), *fd);
}

Result<> OwnerLock::guard(const std::string& owned) {
  const int fd = ::open(owned.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(system_error("open", owned, errno));
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (error == EINTR) continue;
    const std::string holder = error == EWOULDBLOCK ? flock_holder(fd) : "";
    ::close(fd);
    if (error != EWOULDBLOCK) return fail(system_error("lock", owned, error));
    return fail(Error(ErrorKind::kConflict,
                      fmt::format("{} is owned by {}, though its lock file {} was removed", owned, holder, path_))
                    .with_hint(kHint));
  }
  guard_ = fd;
  return {};
}

OwnerLock& OwnerLock::operator=(OwnerLock&& other) noexcept {
  if (this != &other) {
    release();
    path_ = std::move(other.path_);
    fd_ = std::exchange(other.fd_, -1);
    guard_ = std::exchange(other.guard_, -1);
  }
  return *this;
}

void OwnerLock::release() {
  if (guard_ >= 0) {
    ::flock(guard_, LOCK_UN);
    ::close(std::exchange(guard_, -1));
  }
  if (fd_ < 0) return;
  Registry& ours = registry();
  const std::scoped_lock lock(ours.mutex);
  if (const auto file = identify(fd_); file && ours.owns(*file)) ours.owned.erase(*file);
  ::close(std::exchange(fd_, -1));
}

}  // namespace slipway::sys
