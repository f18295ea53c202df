#include "service/feeds_keeper.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

namespace slipway::service {

bool is_due(const feeds::ProviderStats& stats, TimePoint now, const FeedsRhythm& rhythm) {
  const auto& row = stats.row;
  if (!is_at_rest(stats) || row.state == feeds::ProviderState::kPaused) return false;
  if (row.outcome == feeds::Outcome::kFailed) return now - row.updated_at >= std::min(rhythm.retry, rhythm.interval);
  if (row.outcome == feeds::Outcome::kStopped) return now - row.updated_at >= rhythm.interval;
  return !row.completed_at || now - *row.completed_at >= rhythm.interval;
}

FeedsKeeper::FeedsKeeper(Feeds feeds, FeedsRhythm rhythm, sys::Clock& clock)
    : feeds_(std::move(feeds)),
      rhythm_(rhythm),
      clock_(clock),
      thread_([this](const std::stop_token& stop) { keep(stop); }) {}

FeedsKeeper::~FeedsKeeper() {
  thread_.request_stop();
  {
    const sys::Lock lock(mutex_);
    changed_.notify_all();
  }
  thread_.join();
}

void FeedsKeeper::keep(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (!owner_) {
      auto opened = open();
      const std::string complaint = opened ? "" : opened.error().describe();
      if (complaint != std::exchange(complaint_, complaint) && !complaint.empty()) {
        feeds_.log.warn("the feeds are not kept fresh: {}", complaint);
      }
    }
    if (owner_) sync_due();
    const sys::Lock lock(mutex_);
    const TimePoint due = later(clock_.now(), rhythm_.look);
    while (!stop.stop_requested() && clock_.now() < due) {
      sys::Borrowed held(mutex_);
      clock_.wait_until(held.lock(), changed_, due);
    }
  }
  server_.reset();
  owner_.reset();
}

Result<> FeedsKeeper::open() {
  auto owner = FeedsOwner::open(feeds_.setup);
  if (!owner) return fail(std::move(owner.error()));
  if (auto begun = (*owner)->begin(); !begun) return begun;
  auto server = FeedsServer::open((*owner)->machine(), feeds_.socket, {.settings = feeds_.settings, .log = feeds_.log});
  if (!server) {
    feeds_.log.warn("other commands cannot reach the feeds: {}", server.error().message());
  } else {
    server_ = std::move(*server);
  }
  owner_ = std::move(*owner);
  return {};
}

void FeedsKeeper::sync_due() {
  const TimePoint now = clock_.now();
  std::vector<std::string> due;
  for (const auto& stats : owner_->machine().providers()) {
    const auto tried = tried_.find(stats.row.id);
    const bool again = tried == tried_.end() || now - tried->second >= std::min(rhythm_.retry, rhythm_.interval);
    if (again && is_due(stats, now, rhythm_)) due.push_back(stats.row.id);
  }
  if (due.empty()) return;
  for (const auto& id : due) tried_[id] = now;
  feeds_.log.info("feeds that are due: {}", fmt::join(due, ", "));
  if (auto begun = owner_->machine().sync(due); !begun) {
    feeds_.log.warn("the feeds are not synced: {}", begun.error().describe());
  }
}

}  // namespace slipway::service
