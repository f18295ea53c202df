// How the feeds stand: what is on disk, and what their owner says where there is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/style.h"
#include "feeds/feed_store.h"
#include "service/feeds_wire.h"

namespace slipway::cli {

struct ProviderLine {
  std::string id{};
  std::optional<feeds::ProviderRow> row{};  // none: it was never started
  std::optional<int> permits{};             // held; none: nobody runs it
  std::string blocked{};
  bool wanted = false;
  std::int64_t live = 0;
  std::int64_t gone = 0;
  std::optional<Duration> age{};  // of its data; none: there is none
  bool alarm = false;             // it is too old, or there is none
};

struct FeedsPicture {
  std::vector<ProviderLine> providers{};
  std::optional<feeds::MacroRow> macro{};
  std::optional<service::FeedsStats> owner{};
};

// Needs no owner, and no right to write. A database that is not there is one in which nothing is.
[[nodiscard]] Result<FeedsPicture> picture_feeds(const Session& session);

// The keys are documented in docs/commands.md and do not change.
[[nodiscard]] OrderedJson provider_json(const ProviderLine& line);
[[nodiscard]] OrderedJson picture_json(const FeedsPicture& picture, const Settings& settings);

// "RUNNING", "TERMINATED (failed)", "waits".
[[nodiscard]] std::string state_word(const ProviderLine& line);
[[nodiscard]] Style style_of(const ProviderLine& line);
// "3d", "5h", "12m", "40s"; "never" without one.
[[nodiscard]] std::string age_word(const std::optional<Duration>& age);

}  // namespace slipway::cli
