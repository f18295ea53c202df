#include "cli/feeds_setup.h"

#include <algorithm>
#include <utility>

#include "cli/settings_values.h"
#include "cli/suggest.h"
#include "feeds/pressure.h"
#include "feeds/standard_providers.h"
#include "net/http_client.h"
#include "service/owner_server.h"

namespace slipway::cli {
namespace {

std::string source_of(const Settings& settings, std::string_view provider) {
  const auto* spec = feed_source_spec(provider);
  return spec == nullptr ? "" : setting_text(settings, *spec);
}

// The client is made with the providers that use it, and lives as long as this function does.
ProviderMaker standard_maker(const Session& session) {
  feeds::ProviderSetup setup{.cache_dir = session.settings.feeds_cache_dir};
  for (const auto& provider : feeds::standard_providers()) {
    setup.settings[std::string(provider.id)].source = source_of(session.settings, provider.id);
  }
  setup.settings["cve"].api_key = session.settings.feed_cve_api_key;
  const auto client = std::make_shared<std::unique_ptr<net::HttpClient>>();
  return [setup = std::move(setup), client, agent = "slipway/" + session.version] {
    if (!*client) *client = std::make_unique<net::HttpClient>(net::HttpClientOptions{.user_agent = agent});
    return feeds::make_standard_providers(setup, **client);
  };
}

// What another process must have, too, to sync in place of this one. Keys are nobody's business.
service::Settings feed_settings(const Settings& settings) {
  service::Settings shared{{"feeds_cache_dir", settings.feeds_cache_dir.string()}};
  for (const auto& provider : feeds::standard_providers()) {
    if (const auto* spec = feed_source_spec(provider.id)) shared[spec->name] = setting_text(settings, *spec);
  }
  return shared;
}

}  // namespace

service::Feeds feeds_of(const Session& session, const Logger& log) {
  const Settings& settings = session.settings;
  service::Feeds feeds;
  feeds.setup.database = settings.feeds_db_path;
  feeds.setup.providers = session.providers ? session.providers : standard_maker(session);
  feeds.setup.options.permits = static_cast<int>(settings.feeds_permits);
  if (settings.feeds_pressure) feeds.setup.options.pressure = [] { return feeds::read_pressure(); };
  feeds.setup.options.clock = &session.clock;
  feeds.setup.options.log = log;
  feeds.socket = service::socket_beside(settings.feeds_db_path);
  feeds.settings = feed_settings(settings);
  feeds.log = log;
  return feeds;
}

Result<std::vector<std::string>> provider_ids(const Session& session) {
  std::vector<std::string> ids;
  if (!session.providers) {
    for (const auto& provider : feeds::standard_providers()) ids.emplace_back(provider.id);
    return ids;
  }
  auto made = session.providers();
  if (!made) return fail(std::move(made.error()));
  for (const auto& one : *made) ids.push_back(one.config.id);
  return ids;
}

Result<> check_provider_ids(const Session& session, const std::vector<std::string>& ids) {
  auto known = provider_ids(session);
  if (!known) return fail(std::move(known.error()));
  for (const auto& id : ids) {
    if (std::ranges::find(*known, id) != known->end()) continue;
    const auto near = nearest(id, *known);
    return fail(Error(ErrorKind::kInvalid, fmt::format("there is no provider {}", id))
                    .with_hint(near ? fmt::format("did you mean {}?", *near)
                                    : fmt::format("the providers are {}", fmt::join(*known, ", "))));
  }
  return {};
}

Result<std::unique_ptr<feeds::FeedReader>> open_feeds(const Session& session) {
  return feeds::FeedReader::open(session.settings.feeds_db_path.string(), session.clock);
}

}  // namespace slipway::cli
