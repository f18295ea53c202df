#include "feeds/permit_broker.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace slipway::feeds {
namespace {

void call(const std::vector<PermitBroker::Wake>& wakes) {
  for (const auto& wake : wakes) wake();
}

}  // namespace

std::vector<int> in_proportion(int total, const std::vector<int>& weights) {
  const std::int64_t sum = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  std::vector<int> parts(weights.size(), 0);
  if (sum == 0) return parts;
  std::vector<std::int64_t> remainders(weights.size());
  int left = total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::int64_t share = std::int64_t{total} * weights[i];
    parts[i] = static_cast<int>(share / sum);
    remainders[i] = share % sum;
    left -= parts[i];
  }
  for (; left > 0; --left) {
    const auto most = std::ranges::max_element(remainders);
    ++parts[static_cast<std::size_t>(most - remainders.begin())];
    *most = -1;
  }
  return parts;
}

PermitBroker::PermitBroker(int slots) : slots_(std::max(slots, 1)) {}

void PermitBroker::enter(const std::string& id, Wake wake) {
  const sys::Lock lock(mutex_);
  accounts_[id].wake = std::move(wake);
}

void PermitBroker::leave(const std::string& id) {
  std::vector<Wake> wakes;
  {
    const sys::Lock lock(mutex_);
    accounts_.erase(id);
    std::erase(waiting_, id);
    wakes = rebalance();
  }
  call(wakes);
}

int PermitBroker::ask(const std::string& id, int wanted) {
  const sys::Lock lock(mutex_);
  const auto account = accounts_.find(id);
  if (account == accounts_.end()) return 0;
  const int more = wanted - account->second.held;
  if (more <= 0) return account->second.held;
  if (std::ranges::count(waiting_, id) == 0) waiting_.push_back(id);
  const auto place = std::ranges::find(waiting_, id) - waiting_.begin();
  // Each of those before it may still have one.
  const int there = free_permits() - static_cast<int>(place);
  if (there <= 0) return account->second.held;
  account->second.held += std::min(more, there);
  std::erase(waiting_, id);
  return account->second.held;
}

int PermitBroker::owed(const std::string& id) const {
  const sys::Lock lock(mutex_);
  const auto account = accounts_.find(id);
  return account == accounts_.end() ? 0 : account->second.owed;
}

int PermitBroker::settle(const std::string& id) {
  int left = 0;
  std::vector<Wake> wakes;
  {
    const sys::Lock lock(mutex_);
    const auto account = accounts_.find(id);
    if (account == accounts_.end()) return 0;
    account->second.held -= std::exchange(account->second.owed, 0);
    left = account->second.held;
    wake_waiting(wakes);
  }
  call(wakes);
  return left;
}

void PermitBroker::release(const std::string& id) {
  std::vector<Wake> wakes;
  {
    const sys::Lock lock(mutex_);
    const auto account = accounts_.find(id);
    if (account == accounts_.end()) return;
    account->second.held = 0;
    account->second.owed = 0;
    std::erase(waiting_, id);
    wakes = rebalance();
  }
  call(wakes);
}

Result<> PermitBroker::resize(int slots) {
  if (slots < 1) return fail(ErrorKind::kInvalid, "a pool of {} permits: at least one is needed", slots);
  std::vector<Wake> wakes;
  {
    const sys::Lock lock(mutex_);
    slots_ = slots;
    withheld_ = std::min(withheld_, slots_);
    wakes = rebalance();
  }
  call(wakes);
  return {};
}

void PermitBroker::withhold(int permits) {
  std::vector<Wake> wakes;
  {
    const sys::Lock lock(mutex_);
    withheld_ = std::clamp(permits, 0, slots_);
    wakes = rebalance();
  }
  call(wakes);
}

PermitBroker::Status PermitBroker::status() const {
  const sys::Lock lock(mutex_);
  Status status{.slots = slots_, .withheld = withheld_, .free = std::max(free_permits(), 0)};
  for (const auto& [id, account] : accounts_) {
    status.holders.push_back({id, account.held, account.owed, std::ranges::count(waiting_, id) > 0});
  }
  return status;
}

int PermitBroker::free_permits() const {
  int held = 0;
  for (const auto& [id, account] : accounts_) held += account.held;
  return slots_ - withheld_ - held;
}

std::vector<PermitBroker::Wake> PermitBroker::rebalance() {
  std::vector<Wake> wakes;
  int owed = 0;
  for (const auto& [id, account] : accounts_) owed += account.owed;
  const int beyond = -free_permits();
  if (beyond > owed) take_back(beyond - owed, wakes);
  if (beyond < owed) forgive(owed - std::max(beyond, 0));
  wake_waiting(wakes);
  return wakes;
}

void PermitBroker::take_back(int permits, std::vector<Wake>& wakes) {
  std::vector<int> kept;
  for (const auto& [id, account] : accounts_) kept.push_back(account.held - account.owed);
  const auto parts = in_proportion(permits, kept);
  std::size_t at = 0;
  for (auto& [id, account] : accounts_) {
    const int part = parts[at++];
    if (part == 0) continue;
    account.owed += part;
    wakes.push_back(account.wake);
  }
}

void PermitBroker::forgive(int permits) {
  std::vector<int> owed;
  for (const auto& [id, account] : accounts_) owed.push_back(account.owed);
  const auto parts = in_proportion(permits, owed);
  std::size_t at = 0;
  for (auto& [id, account] : accounts_) account.owed -= parts[at++];
}

void PermitBroker::wake_waiting(std::vector<Wake>& wakes) {
  const auto free = static_cast<std::size_t>(std::max(free_permits(), 0));
  for (std::size_t i = 0; i < std::min(free, waiting_.size()); ++i) {
    const auto account = accounts_.find(waiting_[i]);
    if (account != accounts_.end()) wakes.push_back(account->second.wake);
  }
}

}  // namespace slipway::feeds
