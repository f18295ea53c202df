#include "service/feeds_wire.h"

#include <array>
#include <stdexcept>
#include <utility>

namespace slipway::service {
namespace {

constexpr std::array kVerbs{
    std::pair{FeedsVerb::kStart, std::string_view("start")}, std::pair{FeedsVerb::kPause, std::string_view("pause")},
    std::pair{FeedsVerb::kResume, std::string_view("resume")}, std::pair{FeedsVerb::kStop, std::string_view("stop")}};

Json time_json(const std::optional<TimePoint>& at) { return at ? Json(to_micros(*at)) : Json(nullptr); }
TimePoint time_from(const Json& json) { return from_micros(json.get<std::int64_t>()); }
std::optional<TimePoint> maybe_time_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return time_from(json);
}

template <class T>
T must(std::optional<T> value, const char* what) {
  if (!value) throw std::invalid_argument(what);
  return *value;
}

Json checkpoint_json(const std::optional<feeds::Checkpoint>& checkpoint) {
  if (!checkpoint) return nullptr;
  return {{"urn", checkpoint->urn},
          {"processed_at", to_micros(checkpoint->processed_at)},
          {"success", checkpoint->success},
          {"error", checkpoint->error}};
}

std::optional<feeds::Checkpoint> checkpoint_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return feeds::Checkpoint{.urn = json.at("urn").get<std::string>(),
                           .processed_at = time_from(json.at("processed_at")),
                           .success = json.at("success").get<bool>(),
                           .error = json.at("error").get<std::string>()};
}

Json provider_json(const feeds::ProviderStats& stats) {
  const auto& row = stats.row;
  return {{"id", row.id},
          {"type", row.type},
          {"state", feeds::to_string(row.state)},
          {"outcome", row.outcome ? Json(feeds::to_string(*row.outcome)) : Json(nullptr)},
          {"error", error_to_json(row.error)},
          {"instance", row.instance},
          {"resume_at", time_json(row.resume_at)},
          {"generation", row.generation},
          {"processed", row.processed},
          {"errors", row.errors},
          {"completed_at", time_json(row.completed_at)},
          {"created_at", to_micros(row.created_at)},
          {"updated_at", to_micros(row.updated_at)},
          {"checkpoint", checkpoint_json(row.checkpoint)},
          {"permits", stats.permits},
          {"wanted", stats.wanted},
          {"blocked", stats.blocked}};
}

feeds::ProviderStats provider_from(const Json& json) {
  feeds::ProviderStats stats;
  auto& row = stats.row;
  row.id = json.at("id").get<std::string>();
  row.type = json.at("type").get<std::string>();
  row.state = must(feeds::parse_provider_state(json.at("state").get<std::string>()), "unknown state of a provider");
  if (!json.at("outcome").is_null()) {
    row.outcome = must(feeds::parse_outcome(json.at("outcome").get<std::string>()), "unknown outcome");
  }
  row.error = error_from_json(json.at("error"));
  row.instance = json.at("instance").get<std::int64_t>();
  row.resume_at = maybe_time_from(json.at("resume_at"));
  row.generation = json.at("generation").get<std::int64_t>();
  row.processed = json.at("processed").get<std::int64_t>();
  row.errors = json.at("errors").get<std::int64_t>();
  row.completed_at = maybe_time_from(json.at("completed_at"));
  row.created_at = time_from(json.at("created_at"));
  row.updated_at = time_from(json.at("updated_at"));
  row.checkpoint = checkpoint_from(json.at("checkpoint"));
  stats.permits = json.at("permits").get<int>();
  stats.wanted = json.at("wanted").get<bool>();
  stats.blocked = json.at("blocked").get<std::string>();
  return stats;
}

Json stats_json(const FeedsStats& stats) {
  Json providers = Json::array();
  for (const auto& provider : stats.providers) providers.push_back(provider_json(provider));
  const auto& macro = stats.macro;
  return {{"state", feeds::to_string(macro.row.state)},
          {"created_at", to_micros(macro.row.created_at)},
          {"updated_at", to_micros(macro.row.updated_at)},
          {"queued_events", macro.queued_events},
          {"slots", macro.permits.slots},
          {"withheld", macro.permits.withheld},
          {"free", macro.permits.free},
          {"providers", std::move(providers)}};
}

FeedsStats stats_from(const Json& json) {
  FeedsStats stats;
  stats.macro.row.state = must(feeds::parse_macro_state(json.at("state").get<std::string>()), "unknown state of all");
  stats.macro.row.created_at = time_from(json.at("created_at"));
  stats.macro.row.updated_at = time_from(json.at("updated_at"));
  stats.macro.queued_events = json.at("queued_events").get<std::size_t>();
  stats.macro.permits.slots = json.at("slots").get<int>();
  stats.macro.permits.withheld = json.at("withheld").get<int>();
  stats.macro.permits.free = json.at("free").get<int>();
  const Json& providers = json.at("providers");
  if (!providers.is_array()) throw std::invalid_argument("providers are no list");
  for (const auto& provider : providers) {
    stats.providers.push_back(provider_from(provider));
    ++stats.macro.by_state[stats.providers.back().row.state];
  }
  stats.macro.providers = stats.providers.size();
  return stats;
}

FeedsRequest request_from(const Json& json) {
  if (const int protocol = json.at("protocol").get<int>(); protocol != kProtocol) {
    throw std::invalid_argument(fmt::format("protocol {} is spoken here, not {}", kProtocol, protocol));
  }
  const auto what = json.at("do").get<std::string>();
  if (what == "stats") return FeedsAsk{};
  auto ids = json.at("ids").get<std::vector<std::string>>();
  if (what == "sync") return FeedsSync{std::move(ids), json.at("settings").get<Settings>()};
  for (const auto& [verb, name] : kVerbs) {
    if (name == what) return FeedsCommand{verb, std::move(ids)};
  }
  throw std::invalid_argument("there is no such request: " + what);
}

FeedsAnswer answer_from(const Json& json) {
  if (json.contains("stats")) return stats_from(json.at("stats"));
  if (json.contains("done")) return Done{};
  return must(error_from_json(json.at("error")), "an error that is none");
}

}  // namespace

std::string_view to_string(FeedsVerb verb) {
  for (const auto& [known, name] : kVerbs) {
    if (known == verb) return name;
  }
  return "?";
}

Result<std::string> encode(const FeedsRequest& request) {
  Json json = std::visit(
      []<class T>(const T& of) -> Json {
        if constexpr (std::same_as<T, FeedsSync>) {
          return {{"do", "sync"}, {"ids", of.ids}, {"settings", of.settings}};
        } else if constexpr (std::same_as<T, FeedsCommand>) {
          return {{"do", to_string(of.verb)}, {"ids", of.ids}};
        } else {
          return {{"do", "stats"}};
        }
      },
      request);
  json["protocol"] = kProtocol;
  return write_json(json);
}

Result<FeedsRequest> decode_feeds_request(std::string_view line) {
  return decode_line<FeedsRequest>(line, request_from);
}

// Errors may quote bytes of a source, which need not be UTF-8.
Result<std::string> encode(const FeedsAnswer& answer) {
  const Json json = std::visit(
      []<class T>(const T& of) -> Json {
        if constexpr (std::same_as<T, FeedsStats>) {
          return {{"stats", stats_json(of)}};
        } else if constexpr (std::same_as<T, Done>) {
          return {{"done", true}};
        } else {
          return {{"error", error_to_json(of)}};
        }
      },
      answer);
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

Result<FeedsAnswer> decode_feeds_answer(std::string_view line) { return decode_line<FeedsAnswer>(line, answer_from); }

}  // namespace slipway::service
