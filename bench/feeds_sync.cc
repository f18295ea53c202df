// One sync as the program does it, for a process of its own: so that it can be killed, and its memory measured.
#include <filesystem>

#include <fmt/format.h>

#include "feeds/feed_store.h"
#include "feeds/macro_machine.h"
#include "feeds/standard_providers.h"
#include "feeds_measures.h"
#include "net/http_client.h"
#include "process_peak.h"
#include "sys/clock.h"

namespace slipway::bench {

int sync_feed(const std::string& provider, const std::string& database, const std::string& source) {
  const auto failed = [](const Error& error) {
    fmt::print(stderr, "{}\n", error.describe());
    return 1;
  };
  auto store = feeds::FeedStore::open(database, sys::system_clock());
  if (!store) return failed(store.error());
  net::HttpClient client({.proxies = false});
  auto providers = feeds::make_standard_providers(
      {.settings = {{provider, {.source = source, .api_key = "bench"}}}, .cache_dir = database + ".cache"}, client);
  if (!providers) return failed(providers.error());
  auto macro = feeds::MacroMachine::open(**store, std::move(*providers), {});
  if (!macro) return failed(macro.error());
  if (auto recovered = (*macro)->recover(); !recovered) return failed(recovered.error());
  const std::vector ids{provider};
  // What was interrupted has been taken up by the recovery already.
  if (auto begun = (*macro)->sync(ids); !begun) return failed(begun.error());
  if (auto rested = (*macro)->await_rest({}); !rested) return failed(rested.error());
  for (const auto& stats : (*macro)->providers()) {
    if (stats.row.id == provider && stats.row.error) return failed(*stats.row.error);
  }
  fmt::print("{}\n", own_peak_kib());
  return 0;
}

}  // namespace slipway::bench
