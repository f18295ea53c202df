#include "store/pool.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace slipway::store {

Result<Statement*> Connection::statement(std::string_view sql) {
  const auto known = statements_.find(sql);
  if (known != statements_.end()) {
    known->second.reset();
    return &known->second;
  }
  auto prepared = db_.prepare(sql);
  if (!prepared) return fail(std::move(prepared.error()));
  return &statements_.emplace(std::string(sql), std::move(*prepared)).first->second;
}

std::vector<std::string> Connection::texts() const {
  std::vector<std::string> all;
  all.reserve(statements_.size());
  for (const auto& [sql, statement] : statements_) all.push_back(sql);
  return all;
}

void Connection::settle() {
  for (auto& [sql, statement] : statements_) statement.reset();
  if (!db_.in_transaction()) return;
  // A read has nothing that could fail to be written, and what was not committed is not wanted.
  [[maybe_unused]] const auto rolled_back = db_.execute("ROLLBACK");
}

Pool::Lease::Lease(Pool& pool, std::unique_ptr<Connection> connection, Use use)
    : pool_(&pool), connection_(std::move(connection)), use_(use) {}

Pool::Lease::Lease(Lease&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)), use_(other.use_) {}

Pool::Lease::~Lease() {
  if (pool_ != nullptr) pool_->give_back(std::move(connection_), use_);
}

Pool::Pool(PoolOptions options, sys::Clock& clock) : options_(std::move(options)), clock_(clock) {}

Pool::~Pool() { assert(lent_ == 0); }

bool Pool::may_have(Use use) const { return lent_ < options_.most && !(use == Use::kWrite && writing_); }

Result<> Pool::wait_for_turn(Use use) {
  if (may_have(use)) return {};
  const TimePoint due = later(clock_.now(), options_.open.busy_timeout);
  sys::Borrowed held(mutex_);
  while (!may_have(use)) {
    if (clock_.now() >= due) {
      return fail(
          Error(ErrorKind::kUnavailable, fmt::format("{}: all {} connections were in use for {}", options_.open.path,
                                                     options_.most, to_human(options_.open.busy_timeout)))
              .with_hint("try again; fewer things at once help"));
    }
    clock_.wait_until(held.lock(), freed_, due);
  }
  return {};
}

std::unique_ptr<Connection> Pool::take_idle(std::vector<std::unique_ptr<Connection>>& outdated) {
  const TimePoint now = clock_.now();
  while (!idle_.empty()) {
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    if (now < later(connection->opened(), options_.renew_after)) return connection;
    outdated.push_back(std::move(connection));
  }
  return nullptr;
}

Result<Pool::Lease> Pool::acquire(Use use) {
  std::unique_ptr<Connection> connection;
  std::vector<std::unique_ptr<Connection>> outdated;  // closed without the mutex: it may take a checkpoint
  {
    const sys::Lock lock(mutex_);
    if (auto turn = wait_for_turn(use); !turn) return fail(std::move(turn.error()));
    connection = take_idle(outdated);
    ++lent_;
    if (use == Use::kWrite) writing_ = true;
    if (!connection) ++opened_;
  }
  outdated.clear();
  if (!connection) {
    const TimePoint now = clock_.now();
    auto db = Database::open(options_.open);
    if (!db) {
      end_lease(use);
      return fail(std::move(db.error()));
    }
    connection = std::make_unique<Connection>(std::move(*db), now);
  }
  return Lease(*this, std::move(connection), use);
}

void Pool::give_back(std::unique_ptr<Connection> connection, Use use) {
  connection->settle();
  const bool sound = !connection->db().in_transaction();
  const bool young = clock_.now() < later(connection->opened(), options_.renew_after);
  if (sound && young) keep(connection);
  // Else it is closed before its place is free: there are never more open than allowed.
  connection.reset();
  end_lease(use);
}

void Pool::keep(std::unique_ptr<Connection>& connection) {
  const sys::Lock lock(mutex_);
  if (idle_.size() < options_.most_idle) idle_.push_back(std::move(connection));
}

void Pool::end_lease(Use use) {
  {
    const sys::Lock lock(mutex_);
    --lent_;
    if (use == Use::kWrite) writing_ = false;
  }
  freed_.notify_all();  // not one: who is woken may be waiting for the other thing
}

Pool::Counts Pool::counts() {
  const sys::Lock lock(mutex_);
  return {.lent = lent_, .idle = idle_.size(), .opened = opened_};
}

}  // namespace slipway::store
