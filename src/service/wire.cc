#include "service/wire.h"

#include <utility>

#include <unistd.h>

namespace slipway::service {
namespace {

Json to_json(const std::optional<fsm::Ending>& ending) {
  if (!ending) return nullptr;
  return fsm::to_string(*ending);
}

std::optional<fsm::Ending> ending_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  const auto ending = fsm::parse_ending(json.get<std::string>());
  if (!ending) throw std::invalid_argument("unknown ending");
  return ending;
}

fsm::RunVersion version_from(const Json& json) {
  const auto version = fsm::RunVersion::parse(json.get<std::string>());
  if (!version) throw std::invalid_argument(version.error().message());
  return *version;
}

fsm::EventKind kind_from(const Json& json) {
  const auto number = json.get<std::int64_t>();
  for (const auto live : {fsm::EventKind::kBegan, fsm::EventKind::kProgress, fsm::EventKind::kOverdue}) {
    if (number == static_cast<std::int64_t>(live)) return live;
  }
  const auto stored = fsm::parse_event_kind(number);
  if (!stored) throw std::invalid_argument("unknown kind of event");
  return *stored;
}

Json to_json(const fsm::RunEvent& of) {
  const fsm::Event& event = of.event;
  return {{"run", of.run.to_string()},
          {"machine", of.machine},
          {"id", of.id},
          {"seq", of.seq},
          {"kind", static_cast<int>(event.kind)},
          {"at", to_micros(event.at)},
          {"transition", event.transition},
          {"retry", event.retry},
          {"took", event.took.count()},
          {"error", error_to_json(event.error)},
          {"ending", to_json(event.ending)},
          {"note", event.note}};
}

fsm::RunEvent event_from(const Json& json) {
  return {.run = version_from(json.at("run")),
          .machine = json.at("machine").get<std::string>(),
          .id = json.at("id").get<std::string>(),
          .seq = json.at("seq").get<std::uint64_t>(),
          .event = {.kind = kind_from(json.at("kind")),
                    .at = from_micros(json.at("at").get<std::int64_t>()),
                    .transition = json.at("transition").get<std::string>(),
                    .retry = json.at("retry").get<std::uint32_t>(),
                    .took = Duration(json.at("took").get<std::int64_t>()),
                    .error = error_from_json(json.at("error")),
                    .ending = ending_from(json.at("ending")),
                    .note = json.at("note").get<std::string>()}};
}

Json to_json(const fsm::RunResult& result) {
  return {{"run", result.version.to_string()},
          {"machine", result.machine},
          {"ending", fsm::to_string(result.ending)},
          {"error", error_to_json(result.error)},
          {"response", result.response}};
}

fsm::RunResult result_from(const Json& json) {
  return {.version = version_from(json.at("run")),
          .machine = json.at("machine").get<std::string>(),
          .ending = ending_from(json.at("ending")).value(),
          .error = error_from_json(json.at("error")),
          .response = json.at("response").get<std::string>()};
}

Json to_json(const Request& request) {
  Json json = std::visit(
      []<class T>(const T& of) -> Json {
        if constexpr (std::same_as<T, Work>) {
          return {{"do", "start"},         {"machine", of.machine}, {"id", of.id},
                  {"request", of.request}, {"queue", of.queue},     {"settings", of.settings}};
        } else if constexpr (std::same_as<T, Follow>) {
          return {{"do", "follow"}, {"run", of.run.to_string()}};
        } else if constexpr (std::same_as<T, Cancel>) {
          return {{"do", "cancel"}, {"run", of.run.to_string()}, {"cause", of.cause}};
        } else {
          return {{"do", "unpark"}, {"run", of.run.to_string()}};
        }
      },
      request);
  json["protocol"] = kProtocol;
  return json;
}

Request request_from(const Json& json) {
  const auto what = json.at("do").get<std::string>();
  if (what == "start") {
    return Work{.machine = json.at("machine").get<std::string>(),
                .id = json.at("id").get<std::string>(),
                .request = json.at("request").get<std::string>(),
                .queue = json.at("queue").get<std::string>(),
                .settings = json.at("settings").get<Settings>()};
  }
  const auto run = version_from(json.at("run"));
  if (what == "follow") return Follow{run};
  if (what == "cancel") return Cancel{run, json.at("cause").get<std::string>()};
  if (what == "unpark") return Unpark{run};
  throw std::invalid_argument("there is no such request: " + what);
}

Json to_json(const Answer& answer) {
  return std::visit(
      []<class T>(const T& of) -> Json {
        if constexpr (std::same_as<T, fsm::Started>) {
          return {{"started", {{"run", of.version.to_string()}, {"already_running", of.already_running}}}};
        } else if constexpr (std::same_as<T, fsm::RunEvent>) {
          return {{"event", to_json(of)}};
        } else if constexpr (std::same_as<T, fsm::RunResult>) {
          return {{"ended", to_json(of)}};
        } else if constexpr (std::same_as<T, Done>) {
          return {{"done", true}};
        } else {
          return {{"error", error_to_json(of)}};
        }
      },
      answer);
}

Answer answer_from(const Json& json) {
  if (json.contains("event")) return event_from(json.at("event"));
  if (json.contains("ended")) return result_from(json.at("ended"));
  if (json.contains("done")) return Done{};
  if (json.contains("error")) return error_from_json(json.at("error")).value();
  const Json& started = json.at("started");
  return fsm::Started{version_from(started.at("run")), started.at("already_running").get<bool>()};
}

}  // namespace

Json error_to_json(const std::optional<Error>& error) {
  if (!error) return nullptr;
  return {{"kind", to_string(error->kind())}, {"message", error->message()}, {"hint", error->hint()}};
}

// A kind that this program does not know is of a newer owner: the error is no less an error for that.
std::optional<Error> error_from_json(const Json& json) {
  if (json.is_null()) return std::nullopt;
  const auto kind = parse_error_kind(json.at("kind").get<std::string>()).value_or(ErrorKind::kInternal);
  return Error(kind, json.at("message").get<std::string>()).with_hint(json.at("hint").get<std::string>());
}

Result<> check_same(const Settings& here, const Settings& wanted, std::string_view what) {
  for (const auto& [name, value] : wanted) {
    const auto own = here.find(name);
    const std::string other = own == here.end() ? "" : own->second;
    if (other == value) continue;
    return fail(Error(ErrorKind::kConflict, fmt::format("the process that owns the {} has \"{}\" as {}, not \"{}\"",
                                                        what, other, name, value))
                    .with_hint("wait until it has ended, use its settings, or a state_dir of your own"));
  }
  return {};
}

std::string busy_line(std::string_view what, std::size_t clients) {
  const auto busy = Error(ErrorKind::kUnavailable,
                          fmt::format("the owner of the {} (process {}) is busy with {} clients, which is the most it "
                                      "serves at once",
                                      what, ::getpid(), clients))
                        .with_hint("try again when one of them is through");
  return Json({{"error", error_to_json(busy)}}).dump();
}

Result<std::string> encode(const Request& request) { return write_json(to_json(request)); }
Result<std::string> encode(const Answer& answer) { return write_json(to_json(answer)); }

Result<Request> decode_request(std::string_view line) {
  return decode_line<Request>(line, [](const Json& json) {
    if (const int protocol = json.at("protocol").get<int>(); protocol != kProtocol) {
      throw std::invalid_argument(fmt::format("protocol {} is spoken here, not {}", kProtocol, protocol));
    }
    return request_from(json);
  });
}

Result<Answer> decode_answer(std::string_view line) { return decode_line<Answer>(line, answer_from); }

}  // namespace slipway::service
