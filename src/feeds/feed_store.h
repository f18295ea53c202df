// The feeds' database, for those who write it: the providers' states, and what they bring. feed_reader.h is for those
// who ask.
//
// What belongs together is one transaction: a move of a state machine; a batch of records with the checkpoint behind
// the last of them and the counts; the end of a sync with all that the source no longer has. A crash leaves the one
// before or the one after.
//
// Thread-safe: those who write take turns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "feeds/macro_state.h"
#include "feeds/provider_row.h"
#include "feeds/record.h"
#include "sys/clock.h"

namespace slipway::store {
class Pool;
}

namespace slipway::feeds {

struct BadRecord {
  std::string name{};  // as far as it could be read
  std::string error{};
};

struct Batch {
  std::vector<Record> records{};
  std::vector<BadRecord> bad{};
  Checkpoint checkpoint{};
};

struct Written {
  std::int64_t stored = 0;              // that the sync had not stored before
  std::int64_t changed = 0;             // of these, new or other than what was there
  std::vector<std::string> repeated{};  // URNs that the sync had stored already; the later one counts
};

struct MacroRow {
  MacroState state = MacroState::kBootstrapping;
  TimePoint created_at{};
  TimePoint updated_at{};
};

class RecordWriter;

class FeedStore {
 public:
  // The folder is made when it is missing. store::Database::open()'s and store::migrate()'s errors.
  [[nodiscard]] static Result<std::unique_ptr<FeedStore>> open(const std::string& path, sys::Clock& clock);
  ~FeedStore();
  FeedStore(const FeedStore&) = delete;
  FeedStore& operator=(const FeedStore&) = delete;

  // The row of a provider; made, in IDLE, when there is none. kConflict: it is of another type.
  [[nodiscard]] Result<ProviderRow> register_provider(const std::string& id, const std::string& type);
  [[nodiscard]] Result<std::vector<ProviderRow>> list_providers();

  // Its state with what belongs to it: outcome, error, instance, the back-off's end. Nothing else of the row.
  [[nodiscard]] Result<> save_state(const ProviderRow& row);

  // A new sync: the next generation, nothing processed, no checkpoint, no bad records. The row as it is then.
  [[nodiscard]] Result<ProviderRow> begin_sync(const std::string& provider);
  // kInvalid: a record's columns cannot be stored; nothing of the batch is.
  [[nodiscard]] Result<Written> write(const std::string& provider, const Batch& batch);
  // The source has been read to its end: `row` is saved as by save_state(), its tag is that of the last whole source,
  // and, if the source tells of everything (`whole`), records that this sync has not seen are gone from now on; but for
  // those that it has and could not read, and not at all while it has bad records that are nobody's by their name.
  [[nodiscard]] Result<> complete_sync(const ProviderRow& row, const std::string& source_tag, bool whole);
  // The source is as it was when it was last loaded: only the time of the completion is new.
  [[nodiscard]] Result<> confirm_sync(const ProviderRow& row);

  [[nodiscard]] Result<MacroRow> macro();  // made when it is missing
  [[nodiscard]] Result<> save_macro(MacroState state);

 private:
  FeedStore(std::unique_ptr<store::Pool> pool, sys::Clock& clock);

  // One writing transaction; what `work` says.
  template <class Work>
  auto change(Work&& work);

  std::unique_ptr<store::Pool> pool_;
  std::unique_ptr<RecordWriter> records_;  // used by whose turn it is
  sys::Clock& clock_;
};

}  // namespace slipway::feeds
