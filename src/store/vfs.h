// A thin layer between SQLite and the operating system's files, registered with SQLite as "slipway". It adds two
// things to the unix VFS and forwards the rest:
//
//  - fault points: store.write, store.sync and store.truncate before each of these, store.sync.after once a sync has
//    succeeded. A kNoSpace fault becomes ENOSPC, any other EIO, as the disk would do it, so that SQLite's own handling
//    is what is tested;
//  - counters: of each file, and of the whole process.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "base/time.h"

struct sqlite3_file;

namespace slipway::store {

inline constexpr const char* kVfsName = "slipway";

struct VfsStats {
  std::uint64_t syncs = 0;
  std::uint64_t writes = 0;
  std::uint64_t bytes_written = 0;
  std::chrono::nanoseconds sync_time{0};

  friend VfsStats operator+(const VfsStats& a, const VfsStats& b) {
    return {a.syncs + b.syncs, a.writes + b.writes, a.bytes_written + b.bytes_written, a.sync_time + b.sync_time};
  }
};

// Of all databases since the program started. Thread-safe; the fields are each exact, not of one instant.
[[nodiscard]] VfsStats vfs_stats();

// Registers the VFS; again: no effect. Thread-safe.
[[nodiscard]] Result<> register_vfs();

// The errno of this thread's last failed file operation, for the report of the call that failed by it. SQLite's own
// sqlite3_system_errno() is not set when a COMMIT fails, and keeps what an earlier call has left.
[[nodiscard]] int last_io_errno();

// Of one file since it was opened; all zero when it is not one of this VFS. Only in the thread that uses the file.
[[nodiscard]] VfsStats file_stats(const sqlite3_file* file);

}  // namespace slipway::store
