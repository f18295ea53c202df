// The shape that all providers of files have: fetch the parts, and read the files in them item by item.
//
// A provider says which files are its own and how to read one. Everything else is here: where to go on after a
// checkpoint, bad items, broken files, a source that is as it was.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "feeds/intake.h"
#include "feeds/provider.h"
#include "feeds/providers/items.h"
#include "feeds/sources/feed_files.h"
#include "feeds/sources/fetcher.h"

namespace slipway::feeds {

// A place in a source, counted from 0: behind record `record` of item `item` of file `file` of part `part`.
struct Position {
  std::size_t part = 0;
  std::size_t file = 0;
  std::size_t item = 0;
  std::size_t record = 0;

  // "0/3/17/0"
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<Position> parse(std::string_view text);
  friend auto operator<=>(const Position&, const Position&) = default;
};

class FileProvider : public Provider {
 public:
  // The fetcher must outlive it.
  explicit FileProvider(Fetcher& fetcher) : fetcher_(fetcher) {}

  [[nodiscard]] Result<> run(Intake& intake) override;

 protected:
  // Whether one of many files (of a folder, or an archive) is one to read, by its name. A file alone always is.
  [[nodiscard]] virtual bool wants(std::string_view file) const;
  // Each file, in order. Nothing: it is passed over.
  [[nodiscard]] virtual Result<std::unique_ptr<Items>> open(const FeedFile& file) = 0;
  // Before the first file of a run, for those who must know something of the whole before. They read it themselves.
  [[nodiscard]] virtual Result<> survey(const Fetched& source, const std::stop_token& stop);
  // Whether a source with a file of this name can tell of everything; else it tells only of what has changed.
  [[nodiscard]] virtual bool tells_all(std::string_view file) const;
  // The same thing may be told of by several items: the last one counts.
  [[nodiscard]] virtual bool repeats_are_normal() const { return false; }

  // Counts up whenever the same bytes become other records than before: what an older program has loaded is then read
  // again, though its source has not changed.
  [[nodiscard]] virtual int reading() const { return 0; }

  [[nodiscard]] Fetcher& fetcher() { return fetcher_; }

 private:
  class Reading;
  // Of the source and the way in which it is read; of the source alone at 0, as it was before there were such ways.
  [[nodiscard]] std::string tag_of(const Fetched& source) const;
  [[nodiscard]] Result<> run_from(const std::vector<Part>& parts, Intake& intake, std::string& at);
  Fetcher& fetcher_;
};

}  // namespace slipway::feeds
