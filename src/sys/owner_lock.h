// Exclusive ownership of a file by one living process: `path` is locked for as long as the OwnerLock lives, and holds
// a line that says who the owner is. The kernel drops the lock when the process dies, however it dies, so a stale
// owner is never in the way; a child that outlives its parent does not keep it.
//
// `path` must be a file for this purpose alone: a process that opens and closes it by other means drops its own lock.
// The file stays when the lock is released, because removing it could leave two owners, each with a lock on its own
// file of that name. Against people who remove it all the same there is guard(): a second lock, on what is owned.
#pragma once

#include <string>
#include <utility>

#include "base/error.h"

namespace slipway::sys {

// Thread-safe as far as acquire() and the destructor are concerned. Not to be used by a forked child: that one owns
// nothing.
class OwnerLock {
 public:
  // kConflict when another process, or this one, has it: the message names the owner (pid, program, host, since when).
  // `since` is a time for people, written into the file.
  [[nodiscard]] static Result<OwnerLock> acquire(std::string path, const std::string& since);

  // Also locks `owned`, the file that all this is about, for as long as this lives. kConflict when another owner, whose
  // lock file somebody has removed, has it. To be called once, before anything in this process opens that file:
  // closing it would drop the record locks that others (SQLite) have on it.
  [[nodiscard]] Result<> guard(const std::string& owned);

  OwnerLock(OwnerLock&& other) noexcept
      : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), guard_(std::exchange(other.guard_, -1)) {}
  OwnerLock& operator=(OwnerLock&& other) noexcept;
  ~OwnerLock() { release(); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  OwnerLock(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  void release();

  std::string path_;
  int fd_ = -1;
  int guard_ = -1;
};

}  // namespace slipway::sys
