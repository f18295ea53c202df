#include "store/vfs.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <new>
#include <utility>

#include <sqlite3.h>

#include "sys/fault.h"

namespace slipway::store {
namespace {

// What SQLite allocates for each file: this, and right behind it the inner VFS's own file.
struct ShimFile {
  sqlite3_file base;
  VfsStats stats;
};
static_assert(alignof(ShimFile) <= 8 && sizeof(ShimFile) % 8 == 0);  // SQLite aligns files to 8 bytes

sqlite3_vfs* inner_vfs = nullptr;  // set once, before the shim is registered

struct Totals {
  std::atomic<std::uint64_t> syncs = 0;
  std::atomic<std::uint64_t> writes = 0;
  std::atomic<std::uint64_t> bytes_written = 0;
  std::atomic<std::int64_t> sync_nanos = 0;
};
Totals totals;

thread_local int io_errno = 0;

// Passes `code` on, and keeps errno when it is that of a failure.
int noted(int code) {
  const int primary = code & 0xFF;
  const bool failed = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_FULL;
  if (failed && code != SQLITE_IOERR_SHORT_READ) io_errno = errno;
  return code;
}

ShimFile* shim(sqlite3_file* file) { return reinterpret_cast<ShimFile*>(file); }
sqlite3_file* inner(sqlite3_file* file) { return reinterpret_cast<sqlite3_file*>(shim(file) + 1); }
const sqlite3_io_methods& methods(sqlite3_file* file) { return *inner(file)->pMethods; }

// The code to answer SQLite when the point's turn has come, else SQLITE_OK. Code and errno are what the unix VFS
// leaves when the real thing happens: a write to a full disk is SQLITE_FULL, a sync that finds it full an I/O error.
int injected(std::string_view point, int io_error) {
  const auto fault = fault::check(point);
  if (!fault) return SQLITE_OK;
  const bool full = fault->kind() == ErrorKind::kNoSpace;
  errno = full ? ENOSPC : EIO;
  return noted(full && io_error == SQLITE_IOERR_WRITE ? SQLITE_FULL : io_error);
}

// --- Methods with something added ---

int shim_write(sqlite3_file* file, const void* data, int length, sqlite3_int64 offset) {
  if (const int code = injected("store.write", SQLITE_IOERR_WRITE); code != SQLITE_OK) return code;
  const int code = noted(methods(file).xWrite(inner(file), data, length, offset));
  if (code == SQLITE_OK) {
    const auto bytes = static_cast<std::uint64_t>(length);
    shim(file)->stats.writes += 1;
    shim(file)->stats.bytes_written += bytes;
    totals.writes.fetch_add(1, std::memory_order_relaxed);
    totals.bytes_written.fetch_add(bytes, std::memory_order_relaxed);
  }
  return code;
}

int shim_truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (const int code = injected("store.truncate", SQLITE_IOERR_TRUNCATE); code != SQLITE_OK) return code;
  return noted(methods(file).xTruncate(inner(file), size));
}

// The steady clock and not sys::Clock: this measures the hardware, and no test moves that.
int shim_sync(sqlite3_file* file, int flags) {
  if (const int code = injected("store.sync", SQLITE_IOERR_FSYNC); code != SQLITE_OK) return code;
  const auto start = std::chrono::steady_clock::now();
  const int code = noted(methods(file).xSync(inner(file), flags));
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
  shim(file)->stats.syncs += 1;
  shim(file)->stats.sync_time += took;
  totals.syncs.fetch_add(1, std::memory_order_relaxed);
  totals.sync_nanos.fetch_add(took.count(), std::memory_order_relaxed);
  return code == SQLITE_OK ? injected("store.sync.after", SQLITE_IOERR_FSYNC) : code;
}

// --- Methods that only forward ---

int shim_close(sqlite3_file* file) { return methods(file).xClose(inner(file)); }
int shim_read(sqlite3_file* file, void* data, int length, sqlite3_int64 offset) {
  return noted(methods(file).xRead(inner(file), data, length, offset));
}
int shim_file_size(sqlite3_file* file, sqlite3_int64* size) {
  return noted(methods(file).xFileSize(inner(file), size));
}
int shim_lock(sqlite3_file* file, int level) { return noted(methods(file).xLock(inner(file), level)); }
int shim_unlock(sqlite3_file* file, int level) { return noted(methods(file).xUnlock(inner(file), level)); }
int shim_check_reserved(sqlite3_file* file, int* reserved) {
  return methods(file).xCheckReservedLock(inner(file), reserved);
}
int shim_file_control(sqlite3_file* file, int op, void* arg) {
  return methods(file).xFileControl(inner(file), op, arg);
}
int shim_sector_size(sqlite3_file* file) { return methods(file).xSectorSize(inner(file)); }
int shim_device(sqlite3_file* file) { return methods(file).xDeviceCharacteristics(inner(file)); }
int shim_shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** at) {
  return noted(methods(file).xShmMap(inner(file), region, size, extend, at));
}
int shim_shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  return noted(methods(file).xShmLock(inner(file), offset, count, flags));
}
void shim_shm_barrier(sqlite3_file* file) { methods(file).xShmBarrier(inner(file)); }
int shim_shm_unmap(sqlite3_file* file, int remove) { return methods(file).xShmUnmap(inner(file), remove); }
int shim_fetch(sqlite3_file* file, sqlite3_int64 offset, int length, void** at) {
  return methods(file).xFetch(inner(file), offset, length, at);
}
int shim_unfetch(sqlite3_file* file, sqlite3_int64 offset, void* at) {
  return methods(file).xUnfetch(inner(file), offset, at);
}

constexpr sqlite3_io_methods io_methods(int version) {
  return {version,           shim_close,       shim_read,   shim_write,   shim_truncate,
          shim_sync,         shim_file_size,   shim_lock,   shim_unlock,  shim_check_reserved,
          shim_file_control, shim_sector_size, shim_device, shim_shm_map, shim_shm_lock,
          shim_shm_barrier,  shim_shm_unmap,   shim_fetch,  shim_unfetch};
}

// One table for each version of the interface that an inner file may have: SQLite must not call through the shim what
// the inner file lacks.
constexpr std::array kMethods{io_methods(1), io_methods(2), io_methods(3)};

const sqlite3_io_methods* methods_like(const sqlite3_io_methods& real) {
  if (real.iVersion < 2 || real.xShmMap == nullptr) return &kMethods[0];
  if (real.iVersion < 3 || real.xFetch == nullptr) return &kMethods[1];
  return &kMethods[2];
}

int shim_open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  new (file) ShimFile{};
  inner(file)->pMethods = nullptr;
  const int code = noted(inner_vfs->xOpen(inner_vfs, name, inner(file), flags, out_flags));
  if (code == SQLITE_OK) {
    file->pMethods = methods_like(*inner(file)->pMethods);
  } else if (inner(file)->pMethods != nullptr) {
    inner(file)->pMethods->xClose(inner(file));
  }
  return code;
}

// Forwards a method of the VFS with the VFS that it belongs to: the unix methods look into their own pAppData.
template <auto Method>
struct Forward;
template <class R, class... Args, R (*sqlite3_vfs::*Method)(sqlite3_vfs*, Args...)>
struct Forward<Method> {
  static R call(sqlite3_vfs*, Args... args) { return (inner_vfs->*Method)(inner_vfs, args...); }
};

sqlite3_vfs make_vfs(const sqlite3_vfs& real) {
  sqlite3_vfs vfs = real;  // version and limits are the inner one's
  vfs.szOsFile = static_cast<int>(sizeof(ShimFile)) + real.szOsFile;
  vfs.pNext = nullptr;
  vfs.zName = kVfsName;
  vfs.pAppData = nullptr;
  vfs.xOpen = shim_open;
  vfs.xDelete = Forward<&sqlite3_vfs::xDelete>::call;
  vfs.xAccess = Forward<&sqlite3_vfs::xAccess>::call;
  vfs.xFullPathname = Forward<&sqlite3_vfs::xFullPathname>::call;
  vfs.xDlOpen = nullptr;  // no extension is ever loaded through it
  vfs.xDlError = nullptr;
  vfs.xDlSym = nullptr;
  vfs.xDlClose = nullptr;
  vfs.xRandomness = Forward<&sqlite3_vfs::xRandomness>::call;
  vfs.xSleep = Forward<&sqlite3_vfs::xSleep>::call;
  vfs.xCurrentTime = Forward<&sqlite3_vfs::xCurrentTime>::call;
  vfs.xGetLastError = Forward<&sqlite3_vfs::xGetLastError>::call;
  if (real.iVersion >= 2) vfs.xCurrentTimeInt64 = Forward<&sqlite3_vfs::xCurrentTimeInt64>::call;
  if (real.iVersion >= 3) {
    vfs.xSetSystemCall = Forward<&sqlite3_vfs::xSetSystemCall>::call;
    vfs.xGetSystemCall = Forward<&sqlite3_vfs::xGetSystemCall>::call;
    vfs.xNextSystemCall = Forward<&sqlite3_vfs::xNextSystemCall>::call;
  }
  return vfs;
}

int register_once() {
  inner_vfs = sqlite3_vfs_find(nullptr);
  if (inner_vfs == nullptr) return SQLITE_ERROR;
  static sqlite3_vfs vfs = make_vfs(*inner_vfs);
  return sqlite3_vfs_register(&vfs, /*makeDflt=*/0);
}

}  // namespace

VfsStats vfs_stats() {
  return {.syncs = totals.syncs.load(std::memory_order_relaxed),
          .writes = totals.writes.load(std::memory_order_relaxed),
          .bytes_written = totals.bytes_written.load(std::memory_order_relaxed),
          .sync_time = std::chrono::nanoseconds(totals.sync_nanos.load(std::memory_order_relaxed))};
}

int last_io_errno() { return io_errno; }

Result<> register_vfs() {
  static const int code = register_once();
  if (code != SQLITE_OK) {
    return fail(ErrorKind::kInternal, "register the SQLite VFS \"{}\": {}", kVfsName, sqlite3_errstr(code));
  }
  return {};
}

VfsStats file_stats(const sqlite3_file* file) {
  if (file == nullptr || file->pMethods == nullptr || file->pMethods->xSync != shim_sync) return {};
  return reinterpret_cast<const ShimFile*>(file)->stats;
}

}  // namespace slipway::store
