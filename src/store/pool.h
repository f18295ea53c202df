// A bounded number of connections to one database, each with its prepared statements, for any number of threads.
//
//   auto lease = pool.acquire(Pool::Use::kRead);
//   if (!lease) return lease.error().during("find image");
//   auto find = (*lease)->statement("SELECT ...");
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "store/database.h"
#include "store/statement.h"
#include "sys/clock.h"
#include "sys/mutex.h"

namespace slipway::store {

// A connection and the statements that were prepared on it. Used by one thread at a time: the holder of its lease.
class Connection {
 public:
  Connection(Database db, TimePoint opened) : db_(std::move(db)), opened_(opened) {}

  [[nodiscard]] Database& db() { return db_; }
  [[nodiscard]] TimePoint opened() const { return opened_; }

  // Prepared on first use and kept, ready to be bound. For SQL that is fixed text: nothing is ever thrown out. One text
  // is one statement: it must not be asked for again while its rows are being read.
  [[nodiscard]] Result<Statement*> statement(std::string_view sql);
  [[nodiscard]] std::vector<std::string> texts() const;  // of what is prepared

  // Ends every execution; an open transaction is rolled back.
  void settle();

 private:
  Database db_;
  TimePoint opened_;
  std::map<std::string, Statement, std::less<>> statements_;  // destroyed before db_
};

struct PoolOptions {
  OpenOptions open{};
  std::size_t most = 10;                         // connections at once
  std::size_t most_idle = 5;                     // kept open while nobody uses them
  Duration renew_after = std::chrono::hours(1);  // an older connection is closed instead of lent again
};

// Thread-safe. Leases must be gone before it; the clock must outlive it.
class Pool {
 public:
  // kWrite: for a transaction. Those of one process take turns here, where waiting is fair and costs nothing; only the
  // one whose turn it is asks for the lock that processes share.
  enum class Use : std::uint8_t { kRead, kWrite };

  // Gives its connection back when it goes.
  class Lease {
   public:
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    Connection& operator*() const { return *connection_; }
    Connection* operator->() const { return connection_.get(); }

   private:
    friend class Pool;
    Lease(Pool& pool, std::unique_ptr<Connection> connection, Use use);
    Pool* pool_;
    std::unique_ptr<Connection> connection_;
    Use use_;
  };

  struct Counts {
    std::size_t lent = 0;
    std::size_t idle = 0;
    std::uint64_t opened = 0;  // since the pool is there
  };

  // Opens nothing yet.
  Pool(PoolOptions options, sys::Clock& clock);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Waits for a connection (and for its turn to write) up to the busy timeout: kUnavailable. Else Database::open()'s
  // errors. A thread that holds a lease must not ask for a second one.
  [[nodiscard]] Result<Lease> acquire(Use use) SLIPWAY_EXCLUDES(mutex_);

  [[nodiscard]] Counts counts() SLIPWAY_EXCLUDES(mutex_);

 private:
  bool may_have(Use use) const SLIPWAY_REQUIRES(mutex_);
  Result<> wait_for_turn(Use use) SLIPWAY_REQUIRES(mutex_);
  std::unique_ptr<Connection> take_idle(std::vector<std::unique_ptr<Connection>>& outdated) SLIPWAY_REQUIRES(mutex_);
  void give_back(std::unique_ptr<Connection> connection, Use use) SLIPWAY_EXCLUDES(mutex_);
  void keep(std::unique_ptr<Connection>& connection) SLIPWAY_EXCLUDES(mutex_);
  void end_lease(Use use) SLIPWAY_EXCLUDES(mutex_);

  const PoolOptions options_;
  sys::Clock& clock_;
  sys::Mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<Connection>> idle_ SLIPWAY_GUARDED_BY(mutex_);  // the last used one last
  std::size_t lent_ SLIPWAY_GUARDED_BY(mutex_) = 0;
  bool writing_ SLIPWAY_GUARDED_BY(mutex_) = false;
  std::uint64_t opened_ SLIPWAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace slipway::store
