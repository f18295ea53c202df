#include "cli/feeds_picture.h"

#include <algorithm>
#include <utility>

#include "cli/feeds_setup.h"
#include "service/feeds_client.h"
#include "service/owner_server.h"

namespace slipway::cli {
namespace {

ProviderLine& line_of(FeedsPicture& picture, const std::string& id) {
  const auto found = std::ranges::find(picture.providers, id, &ProviderLine::id);
  if (found != picture.providers.end()) return *found;
  return picture.providers.emplace_back(ProviderLine{.id = id});
}

Result<> add_saved(FeedsPicture& picture, feeds::FeedReader& reader) {
  auto views = reader.providers();
  if (!views) return fail(std::move(views.error()));
  for (auto& view : *views) {
    auto& line = line_of(picture, view.row.id);
    line.row = std::move(view.row);
    line.live = view.live;
    line.gone = view.gone;
    line.age = view.age;
  }
  auto macro = reader.macro();
  if (!macro) return fail(std::move(macro.error()));
  picture.macro = *macro;
  return {};
}

void add_owners(FeedsPicture& picture, service::FeedsStats stats) {
  for (const auto& one : stats.providers) {
    auto& line = line_of(picture, one.row.id);
    line.row = one.row;
    line.permits = one.permits;
    line.blocked = one.blocked;
    line.wanted = one.wanted;
  }
  picture.macro = stats.macro.row;
  picture.owner = std::move(stats);
}

double seconds_of(Duration length) { return static_cast<double>(length.count()) / 1e6; }

}  // namespace

Result<FeedsPicture> picture_feeds(const Session& session) {
  FeedsPicture picture;
  auto ids = provider_ids(session);
  if (!ids) return fail(std::move(ids.error()));
  for (const auto& id : *ids) picture.providers.push_back({.id = id});
  auto reader = open_feeds(session);
  if (!reader && reader.error().kind() != ErrorKind::kNotFound) return fail(std::move(reader.error()));
  if (reader) {
    if (auto added = add_saved(picture, **reader); !added) return fail(std::move(added.error()));
  }
  if (auto stats = service::ask_feeds(service::socket_beside(session.settings.feeds_db_path))) {
    add_owners(picture, std::move(*stats));
  }
  for (auto& line : picture.providers) line.alarm = !line.age || *line.age > session.settings.feeds_max_age;
  return picture;
}

OrderedJson provider_json(const ProviderLine& line) {
  const feeds::ProviderRow none{};
  const auto& row = line.row ? *line.row : none;
  const bool there = line.row.has_value();
  const auto& checkpoint = row.checkpoint;
  return {{"id", json_text(line.id)},
          {"type", json_filled(row.type)},
          {"state", feeds::to_string(row.state)},
          {"outcome", row.outcome ? OrderedJson(feeds::to_string(*row.outcome)) : OrderedJson(nullptr)},
          {"failure", row.error ? json_error(*row.error) : OrderedJson(nullptr)},
          {"blocked", json_filled(line.blocked)},
          {"waits_for_needs", line.wanted},
          {"checkpoint", checkpoint ? json_text(checkpoint->urn) : OrderedJson(nullptr)},
          {"checkpoint_at", json_time(checkpoint ? std::optional(checkpoint->processed_at) : std::nullopt)},
          {"processed", row.processed},
          {"errors", row.errors},
          {"permits", line.permits ? OrderedJson(*line.permits) : OrderedJson(nullptr)},
          {"records", line.live},
          {"gone", line.gone},
          {"completed_at", json_time(row.completed_at)},
          {"age_seconds", line.age ? OrderedJson(seconds_of(*line.age)) : OrderedJson(nullptr)},
          {"alarm", line.alarm},
          {"resume_at", json_time(row.resume_at)},
          {"instance", row.instance},
          {"created_at", json_time(there ? std::optional(row.created_at) : std::nullopt)},
          {"updated_at", json_time(there ? std::optional(row.updated_at) : std::nullopt)}};
}

OrderedJson picture_json(const FeedsPicture& picture, const Settings& settings) {
  auto providers = OrderedJson::array();
  auto by_state = OrderedJson::object();
  for (const auto& line : picture.providers) {
    providers.push_back(provider_json(line));
    auto& count = by_state[std::string(feeds::to_string(line.row ? line.row->state : feeds::ProviderState::kIdle))];
    count = (count.is_null() ? 0 : count.get<int>()) + 1;
  }
  const auto& macro = picture.macro;
  OrderedJson json{
      {"state", macro ? OrderedJson(feeds::to_string(macro->state)) : OrderedJson(nullptr)},
      {"owned", picture.owner.has_value()},
      {"providers_by_state", std::move(by_state)},
      {"queued_events", nullptr},
      {"permits", nullptr},
      {"permits_free", nullptr},
      {"permits_withheld", nullptr},
      {"max_age_seconds", static_cast<double>(settings.feeds_max_age.count()) / 1e3},
      {"created_at", json_time(macro ? std::optional(macro->created_at) : std::nullopt)},
      {"updated_at", json_time(macro ? std::optional(macro->updated_at) : std::nullopt)},
  };
  if (picture.owner) {
    const auto& stats = picture.owner->macro;
    json["queued_events"] = stats.queued_events;
    json["permits"] = stats.permits.slots;
    json["permits_free"] = stats.permits.free;
    json["permits_withheld"] = stats.permits.withheld;
  }
  json["providers"] = std::move(providers);
  return json;
}

std::string state_word(const ProviderLine& line) {
  if (line.wanted) return "waits for its needs";
  if (!line.row) return std::string(feeds::to_string(feeds::ProviderState::kIdle));
  const auto state = feeds::to_string(line.row->state);
  if (!line.blocked.empty()) return fmt::format("{} (blocked)", state);
  if (!line.row->outcome) return std::string(state);
  return fmt::format("{} ({})", state, feeds::to_string(*line.row->outcome));
}

Style style_of(const ProviderLine& line) {
  if (!line.blocked.empty()) return Style::kRed;
  if (line.wanted) return Style::kYellow;
  if (!line.row) return Style::kDim;
  switch (line.row->state) {
    case feeds::ProviderState::kIdle: return Style::kDim;
    case feeds::ProviderState::kTerminated:
      if (line.row->outcome == feeds::Outcome::kCompleted) return Style::kGreen;
      return line.row->outcome == feeds::Outcome::kFailed ? Style::kRed : Style::kYellow;
    case feeds::ProviderState::kRunning: return Style::kCyan;
    default: return Style::kYellow;
  }
}

std::string age_word(const std::optional<Duration>& age) {
  if (!age) return "never";
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*age).count();
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{}h", seconds / 3600);
  return fmt::format("{}d", seconds / 86'400);
}

}  // namespace slipway::cli
