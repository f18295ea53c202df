// Bounds the work of all providers together: a pool of permits, and who holds how many.
//
// Words:
//   slots     how many permits there are
//   withheld  how many of them are not given out for now, since the machine is under pressure
//   held      what a provider has
//   owed      what it has been asked to give back. It does so at the end of the item in its hands: until then it works,
//             so until then the permit counts as held
//
// At every instant: what is held is at most the slots, but for what is owed after they became fewer.
//
// Thread-safe. A wake-up is called without any lock held, by the thread that made something change; it must only wake.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "sys/mutex.h"

namespace slipway::feeds {

class PermitBroker {
 public:
  using Wake = std::function<void()>;

  struct Holder {
    std::string id{};
    int held = 0;
    int owed = 0;
    bool waiting = false;
  };
  struct Status {
    int slots = 0;
    int withheld = 0;
    int free = 0;
    std::vector<Holder> holders{};  // by id
  };

  explicit PermitBroker(int slots);  // 1 or more

  // Who is not known holds nothing and gets nothing. `wake` is called when permits may be there for it, and when it
  // owes some. Leaving gives back all that it holds.
  void enter(const std::string& id, Wake wake) SLIPWAY_EXCLUDES(mutex_);
  void leave(const std::string& id) SLIPWAY_EXCLUDES(mutex_);

  // How many it holds from now on: up to `wanted`. None: it stands in the queue of those who wait, and is woken.
  [[nodiscard]] int ask(const std::string& id, int wanted) SLIPWAY_EXCLUDES(mutex_);

  [[nodiscard]] int owed(const std::string& id) const SLIPWAY_EXCLUDES(mutex_);
  // Gives back what it owes. What it still holds.
  [[nodiscard]] int settle(const std::string& id) SLIPWAY_EXCLUDES(mutex_);
  // Gives back all, and leaves the queue. No effect when it holds nothing and does not wait.
  void release(const std::string& id) SLIPWAY_EXCLUDES(mutex_);

  // Of what is held beyond what is left, each owes in proportion to what it holds. kInvalid: below 1.
  [[nodiscard]] Result<> resize(int slots) SLIPWAY_EXCLUDES(mutex_);
  // Again, and not in addition; at most all of them.
  void withhold(int permits) SLIPWAY_EXCLUDES(mutex_);

  [[nodiscard]] Status status() const SLIPWAY_EXCLUDES(mutex_);

 private:
  struct Account {
    int held = 0;
    int owed = 0;
    Wake wake{};
  };

  [[nodiscard]] int free_permits() const SLIPWAY_REQUIRES(mutex_);
  // Makes what is owed fit what may be given out. Whom to wake.
  std::vector<Wake> rebalance() SLIPWAY_REQUIRES(mutex_);
  void take_back(int permits, std::vector<Wake>& wakes) SLIPWAY_REQUIRES(mutex_);
  void forgive(int permits) SLIPWAY_REQUIRES(mutex_);
  void wake_waiting(std::vector<Wake>& wakes) SLIPWAY_REQUIRES(mutex_);

  mutable sys::Mutex mutex_;
  int slots_ SLIPWAY_GUARDED_BY(mutex_);
  int withheld_ SLIPWAY_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Account> accounts_ SLIPWAY_GUARDED_BY(mutex_);
  std::deque<std::string> waiting_ SLIPWAY_GUARDED_BY(mutex_);  // who asked first is first
};

// `total` parts shared out in proportion to `weights`, none more than its weight; what does not divide goes to those
// with the greatest remainder, the first among equals. `total` is at most the sum of the weights.
[[nodiscard]] std::vector<int> in_proportion(int total, const std::vector<int>& weights);

}  // namespace slipway::feeds
