// What a provider is given for one run: where to begin, and where to put what it finds.
//
//   Result<> Cwe::run(Intake& intake) {
//     auto source = open_source(intake.config());
//     ...
//     const auto begin = intake.begin({.tag = source->tag()});
//     if (!begin) return fail(begin.error());
//     if (begin->unchanged) return {};
//     for each record after begin->position:
//       if (auto taken = intake.put(record, position); !taken) return taken;
//     return {};
//   }
//
// put() is the end of an item: between two of them the provider may be paused, stopped or deprived of its permits,
// which is an error of kind kCancelled here. Used by the one thread that runs the provider.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "feeds/feed_store.h"
#include "feeds/provider.h"
#include "sys/clock.h"

namespace slipway::feeds {

class Intake {
 public:
  struct Source {
    std::string tag{};                // changes when the source does: an ETag, a digest
    bool whole = true;                // it tells of everything: what it does not have is gone
    bool repeats_are_normal = false;  // the same thing may come twice, as in pages that change while they are read
  };
  struct Begin {
    bool unchanged = false;  // it was loaded whole already: there is nothing to do
    std::string position{};  // go on after this, which an earlier put() gave; empty: from the beginning
  };
  // What the machine wants to know, and may say.
  struct Hooks {
    std::function<void(const ProviderRow&)> on_row{};  // a new sync has begun, a batch is on disk
    std::function<bool()> interrupted{};               // asked at the end of each item
    std::function<void(const Checkpoint&, std::int64_t processed)> on_checkpoint{};  // each 100 items
  };

  Intake(const ProviderConfig& config, FeedStore& store, ProviderRow row, sys::Clock& clock, Logger log, Hooks hooks,
         std::stop_token stop);

  [[nodiscard]] const ProviderConfig& config() const { return config_; }
  [[nodiscard]] sys::Clock& clock() const { return clock_; }
  [[nodiscard]] const Logger& log() const { return log_; }
  // Fires when the provider should not wait for its source any longer; what it then returns is no failure.
  [[nodiscard]] const std::stop_token& stop() const { return stop_; }

  // Until then, or the stop.
  void sleep_until(TimePoint due) const;

  // For a source whose tag says what is asked of it: the tag of a sync that is half done, or "", and that of the last
  // one that was completed.
  [[nodiscard]] std::string unfinished_tag() const;
  [[nodiscard]] const std::string& completed_tag() const { return row_.source_tag; }

  // Before the first put().
  [[nodiscard]] Result<Begin> begin(Source source);

  // `position` leads back to the place behind this item.
  [[nodiscard]] Result<> put(Record record, std::string position);
  // An item that cannot be taken: it is recorded and counted, and the next one may come. kCorrupt when there are too
  // many.
  [[nodiscard]] Result<> put_bad(std::string name, const Error& why, std::string position);

  // The error to return when the source asks for patience. The provider goes on then by itself.
  [[nodiscard]] Error rate_limited(Duration wait, std::string message);

  // For the machine, when run() has returned.
  [[nodiscard]] Result<> flush();
  [[nodiscard]] std::optional<TimePoint> patience_until() const { return patience_until_; }
  // It turns out as it is read that the source does not tell of everything.
  void tells_only_of_changes() { source_.whole = false; }
  [[nodiscard]] const Source& source() const { return source_; }
  [[nodiscard]] bool unchanged() const { return unchanged_; }
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] bool made_progress() const { return made_progress_; }

 private:
  Result<> end_of_item(Checkpoint checkpoint);
  void note_repeated(const Written& written);

  const ProviderConfig& config_;
  FeedStore& store_;
  ProviderRow row_;
  sys::Clock& clock_;
  Logger log_;
  Hooks hooks_;
  std::stop_token stop_;
  Source source_{};
  Batch batch_{};
  std::vector<Checkpoint> milestones_{};  // each 100 items, told of once they are on disk
  std::int64_t items_ = 0;                // of this sync, good and bad
  std::optional<TimePoint> patience_until_{};
  bool begun_ = false;
  bool unchanged_ = false;
  bool made_progress_ = false;
};

}  // namespace slipway::feeds
