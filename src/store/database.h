// One connection to a SQLite database file.
//
// A file opened for writing is in WAL mode with synchronous=FULL: a commit that has returned is on disk, and readers
// do not wait for the writer nor it for them. SQLite allows one writing transaction at a time (store/transaction.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "store/statement.h"
#include "store/vfs.h"

struct sqlite3;

namespace slipway::store {

enum class OpenMode : std::uint8_t {
  kReadWriteCreate,
  // Never changes the data, and works while another process writes. SQLite keeps the index of the WAL in a file beside
  // the database (-shm): when that is not there, it has to be made. Where this user may not, a database without a WAL
  // is read as a file that nobody changes: who begins to write to it meanwhile is not noticed, and such a read may fail
  // or be of two minds. One with a WAL cannot be read so: kPermission.
  kReadOnly,
};

struct OpenOptions {
  std::string path;
  OpenMode mode = OpenMode::kReadWriteCreate;
  int cache_kib = 8 * 1024;
  // How long to wait for another connection's lock. It is asked for every few milliseconds: SQLite's own waiting, up to
  // 100 ms a time, can miss for seconds a lock that another process lets go of only to take it again at once.
  std::chrono::milliseconds busy_timeout{5'000};
  int wal_autocheckpoint_pages = 1'000;  // 0: never; then somebody must call checkpoint()
  bool foreign_keys = true;
  bool temp_in_memory = false;  // what SQLite sorts and sets aside never goes to a file
  std::int64_t mmap_bytes = 0;  // so much of the file is read through a memory map; 0: none
  // Whose file it is, as in its header: check_application_id() is done before anything in the file is changed. 0: any
  // will do. migrate() stamps a new file with it.
  std::int32_t application_id = 0;
};

enum class CheckpointMode : std::uint8_t {
  kPassive,   // as much as can be done without waiting for anybody
  kTruncate,  // all of it, waiting for readers up to the busy timeout; leaves an empty WAL
};

struct CheckpointResult {
  int wal_pages = 0;
  int checkpointed_pages = 0;
};

// One thread at a time. Statements and transactions must be gone before it, and it must not be moved while one of its
// transactions is open.
class Database {
 public:
  // kNotFound, kPermission, kUnavailable, kNoSpace, kIo; kCorrupt when the file is not a database; kUnsupported when it
  // is another program's, or on a file system without what WAL needs.
  [[nodiscard]] static Result<Database> open(const OpenOptions& options);

  Database(Database&&) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  // Any number of statements; their rows are dropped.
  [[nodiscard]] Result<> execute(std::string_view sql);
  // Exactly one statement.
  [[nodiscard]] Result<Statement> prepare(std::string_view sql);

  [[nodiscard]] std::int64_t changes() const;  // rows changed by the last INSERT, UPDATE or DELETE
  [[nodiscard]] std::int64_t last_insert_rowid() const;
  [[nodiscard]] bool in_transaction() const;

  [[nodiscard]] Result<std::int32_t> user_version();
  [[nodiscard]] Result<std::int32_t> application_id();
  // kUnsupported when the file is another program's: it has another application id, or none but something in it.
  [[nodiscard]] Result<> check_application_id(std::int32_t wanted);

  [[nodiscard]] Result<CheckpointResult> checkpoint(CheckpointMode mode);

  // Of the database file and its WAL, since this connection opened them.
  [[nodiscard]] VfsStats io_stats() const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  friend class Transaction;
  struct Closer {
    void operator()(sqlite3* handle) const;
  };
  using Handle = std::unique_ptr<sqlite3, Closer>;

  struct BusyWait;

  Database(std::string path, Handle handle);

  Result<> configure(const OpenOptions& options);
  Result<> set_up_reader();
  Result<> set_up_writer(const OpenOptions& options);
  Result<> enter_wal_mode();
  Result<std::int64_t> ask_number(std::string_view sql);

  Result<> begin();
  Result<> commit();
  void roll_back();
  void bury_failed_commit();
  Result<> sync_again();

  std::string path_;
  std::unique_ptr<BusyWait> busy_;  // closing the handle may still wait
  Handle handle_;
  Statement begin_;  // these and all that follow are destroyed before the handle
  Statement commit_;
  Statement rollback_;
  bool unsynced_ = false;  // synchronous is OFF: see bury_failed_commit()
};

}  // namespace slipway::store
