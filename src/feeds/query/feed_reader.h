// The feeds' database, for those who ask. It never waits for a sync and no sync waits for it: what is asked for is as
// of the last commit.
//
// Thread-safe. The clock must outlive it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "feeds/feed_store.h"
#include "feeds/query/advisory_reader.h"
#include "feeds/query/views.h"
#include "sys/clock.h"

namespace slipway::store {
class Connection;
class Pool;
}  // namespace slipway::store

namespace slipway::feeds {

struct SearchOptions {
  std::optional<std::string> kind{};  // only of this one: "cve", "cwe", ...
  std::size_t limit = 20;
  std::size_t offset = 0;
};

struct ChainOptions {
  std::optional<std::size_t> breadth{};  // below one thing and of one role; none: as fits the role
  std::size_t most = 400;                // things in all
};

class FeedReader {
 public:
  static constexpr std::size_t kLinksShown = 20;  // of one group of an entry
  static constexpr int kMostSteps = 12;           // of a path

  // kNotFound when there is no database yet, with a hint of how to get one; else as store::Database::open() and
  // store::check_schema() have it. This user need not be able to write there, nor must the data be still.
  [[nodiscard]] static Result<std::unique_ptr<FeedReader>> open(const std::string& path, sys::Clock& clock);
  ~FeedReader();
  FeedReader(const FeedReader&) = delete;
  FeedReader& operator=(const FeedReader&) = delete;

  // What has this URN, or this id of its publisher's, in any case: "CVE-2021-44228", "cwe-79". An id may be that of
  // several things. kNotFound, with near ones.
  [[nodiscard]] Result<std::vector<Named>> find(std::string_view text);

  // All about one thing. kNotFound: there is none of that number.
  [[nodiscard]] Result<Entry> entry(NodeId node);

  // What bears on it, as a tree. A CVE: its weaknesses, their attack patterns, the techniques these use, whose tactics
  // and mitigations, the controls of these and the rules that check them; requirements that guard against the
  // weaknesses; advisories of it. Another kind: the part of that which it begins.
  [[nodiscard]] Result<ChainNode> chain(NodeId node, const ChainOptions& options = {});

  // Every word must occur, in any form ("traversals" finds "traversal"); "a phrase" as it is; a word that ends in * is
  // the beginning of one. Best first, then what is gone or taken back. Any text will do; kInvalid when it has no words,
  // or too many.
  [[nodiscard]] Result<std::vector<SearchHit>> search(std::string_view text, const SearchOptions& options = {});

  // A shortest chain of links, in whatever direction, from one to the other. That there is none is an answer.
  [[nodiscard]] Result<FoundPath> path(NodeId from, NodeId to, int most_steps = kMostSteps);

  // For the scanner. While it lives, it has one of this one's few connections.
  [[nodiscard]] Result<AdvisoryReader> advisories();

  [[nodiscard]] Result<std::vector<ProviderView>> providers();
  // None when nothing was ever started.
  [[nodiscard]] Result<std::optional<MacroRow>> macro();

 private:
  FeedReader(std::unique_ptr<store::Pool> pool, sys::Clock& clock);

  // One snapshot of the database for all that `query` asks.
  template <class Query>
  auto read(std::string_view doing, const Query& query);

  std::unique_ptr<store::Pool> pool_;
  sys::Clock& clock_;
};

}  // namespace slipway::feeds
