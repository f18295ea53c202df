// Internal to feeds/: records into their tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "feeds/record.h"
#include "store/pool.h"

namespace slipway::feeds {

// Within a transaction of the caller's, one at a time: any number of put(), then finish(). After one that was rolled
// back, forget() what it has learnt.
//
// The full text comes last, because FTS5 writes all that it has in memory to its tables whenever another statement
// opens a savepoint, as most writing ones do: record by record that takes longer than everything else together.
class RecordWriter {
 public:
  enum class Put : std::uint8_t { kNew, kChanged, kSame, kRepeated };

  // kRepeated: the record has been put in this generation already; it is put again. Another provider's becomes this
  // one's: who told of it last has it.
  [[nodiscard]] Result<Put> put(store::Connection& db, const std::string& provider, std::int64_t generation,
                                const Record& record, TimePoint now);
  [[nodiscard]] Result<> finish(store::Connection& db);
  void forget() {
    nodes_.clear();
    to_index_.clear();
  }

  struct Texts {
    std::string name{};
    std::string title{};
    std::string description{};

    friend bool operator==(const Texts&, const Texts&) = default;
  };

 private:
  struct Indexing {
    std::int64_t node = 0;
    std::optional<Texts> before{};
    Texts now{};
  };
  Result<std::int64_t> node_of(store::Connection& db, const Urn& urn);
  // That something is to be linked to. With a memory of those asked for before: a few are the target of most links.
  Result<std::int64_t> target_node(store::Connection& db, const Urn& urn);
  Result<> write_links(store::Connection& db, std::int64_t node, const Record& record, bool had_some);

  std::unordered_map<std::string, std::int64_t> nodes_;
  std::vector<Indexing> to_index_;
};

// Tells whether two records are the same, within 64 bits.
[[nodiscard]] std::int64_t fingerprint(const Record& record);

}  // namespace slipway::feeds
