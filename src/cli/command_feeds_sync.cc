// `feeds sync`, and `feeds start`, `pause`, `resume` and `stop`.
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "cli/commands.h"
#include "cli/feeds_picture.h"
#include "cli/feeds_progress.h"
#include "cli/feeds_setup.h"
#include "cli/progress_display.h"
#include "cli/text.h"
#include "service/feeds_client.h"
#include "sys/interrupts.h"

namespace slipway::cli {
namespace {

using service::FeedsVerb;

bool is_chosen(const std::vector<std::string>& ids, const std::string& id) {
  return ids.empty() || std::ranges::find(ids, id) != ids.end();
}

// What keeps a provider's data from being fresh after a sync; empty: nothing does.
std::string trouble_of(const ProviderLine& line) {
  if (!line.blocked.empty()) return "blocked: " + line.blocked;
  if (!line.row) return "not started";
  if (line.row->error) return "failed: " + line.row->error->describe();
  if (line.row->state == feeds::ProviderState::kPaused) {
    return fmt::format("paused: `slipway feeds resume {}` lets it go on", line.id);
  }
  if (line.row->outcome == feeds::Outcome::kCompleted) return "";
  return line.row->outcome ? std::string(feeds::to_string(*line.row->outcome))
                           : std::string(feeds::to_string(line.row->state));
}

// The picture as it is on disk, with what the statistics know besides.
Result<FeedsPicture> picture_after(const Session& session, const std::optional<service::FeedsStats>& stats) {
  auto picture = picture_feeds(session);
  if (!picture || !stats) return picture;
  for (auto& line : picture->providers) {
    const auto found = std::ranges::find(stats->providers, line.id, [](const auto& one) { return one.row.id; });
    if (found != stats->providers.end()) line.blocked = found->blocked;
  }
  return picture;
}

void write_lines(const Session& session, const FeedsPicture& picture, const std::vector<std::string>& ids) {
  auto& output = session.output;
  if (output.json()) {
    auto providers = OrderedJson::array();
    for (const auto& line : picture.providers) {
      if (is_chosen(ids, line.id)) providers.push_back(provider_json(line));
    }
    output.write_json({{"providers", std::move(providers)}});
  }
}

Error interruption(bool here) {
  if (here) {
    return Error(ErrorKind::kCancelled, "interrupted; the feeds are kept as far as they got")
        .with_hint("the same command again goes on from there");
  }
  return Error(ErrorKind::kCancelled, "interrupted; the process that owns the feeds goes on with them")
      .with_hint("`slipway feeds` shows how far they are, `slipway feeds stop` ends one");
}

// One piece of work with its progress, and what Ctrl-C makes of it.
class FeedsWork {
 public:
  explicit FeedsWork(const Session& session)
      : display_(session.output, session.clock),
        log_(display_.log_sink(session.least_logged)),
        progress_(display_, session.clock),
        feeds_(feeds_of(session, log_)) {
    feeds_.on_owner = [this](bool here) { here_ = here; };
  }

  using Stats = std::optional<service::FeedsStats>;
  using Work = std::function<Result<Stats>(const service::Feeds&, const service::OnStats&, const std::stop_token&)>;

  std::expected<Stats, Failure> run(const Work& work) {
    auto done = work(feeds_, [this](const service::FeedsStats& stats) { progress_.show(stats); }, interrupts_.token());
    display_.close();
    if (done) return std::move(*done);
    if (interrupts_.happened()) return interrupted(interruption(here_));
    // The user's own words, as far as providers and their sources are concerned.
    if (done.error().kind() == ErrorKind::kInvalid) return bad_input(std::move(done.error()));
    return fail(std::move(done.error()));
  }
  [[nodiscard]] bool here() const { return here_; }

 private:
  const sys::Interrupts interrupts_;
  ProgressDisplay display_;
  Logger log_;
  FeedsProgress progress_;
  service::Feeds feeds_;
  bool here_ = true;
};

CommandResult check(const Session& session, const std::vector<std::string>& ids) {
  auto picture = picture_feeds(session);
  if (!picture) return fail(std::move(picture.error()));
  std::erase_if(picture->providers, [&](const ProviderLine& line) { return !is_chosen(ids, line.id); });
  const bool alarm = std::ranges::any_of(picture->providers, &ProviderLine::alarm);
  auto& output = session.output;
  if (output.json()) {
    auto json = picture_json(*picture, session.settings);
    json["alarm"] = alarm;
    output.write_json(json);
    return alarm ? ExitCode::kFailed : ExitCode::kDone;
  }
  for (const auto& line : picture->providers) {
    if (!line.alarm) continue;
    output.line(line.age ? fmt::format("{}: its data is {} old, which is too old", line.id, age_word(line.age))
                         : fmt::format("{}: it has no data", line.id));
  }
  if (!alarm) output.note("The data of all is fresh enough.");
  return alarm ? ExitCode::kFailed : ExitCode::kDone;
}

CommandResult report_sync(const Session& session, const std::vector<std::string>& ids, const FeedsPicture& picture) {
  auto& output = session.output;
  write_lines(session, picture, ids);
  std::size_t good = 0;
  std::size_t bad = 0;
  for (const auto& line : picture.providers) {
    if (!is_chosen(ids, line.id)) continue;
    const auto trouble = trouble_of(line);
    if (trouble.empty()) {
      ++good;
      continue;
    }
    ++bad;
    const auto age = line.age ? fmt::format("its last good data is {} old", age_word(line.age))
                              : std::string("there is no data of it");
    output.warn(printable(fmt::format("{}: {}; {}", line.id, trouble, age)));
  }
  if (bad > 0) return ExitCode::kFailed;
  output.note(fmt::format("{} of {} providers are up to date.", good, good + bad));
  return ExitCode::kDone;
}

CommandResult sync(const Session& session, const Arguments& arguments) {
  const auto ids = arguments.all("PROVIDER");
  if (auto known = check_provider_ids(session, ids); !known) return bad_input(std::move(known.error()));
  if (arguments.has("--check")) return check(session, ids);
  auto stats = [&] {
    FeedsWork work(session);
    return work.run([&](const service::Feeds& feeds, const service::OnStats& on_stats, const std::stop_token& stop) {
      return service::sync_feeds(feeds, ids, on_stats, stop);
    });
  }();
  if (!stats) return std::unexpected(std::move(stats.error()));
  auto picture = picture_after(session, *stats);
  if (!picture) return fail(std::move(picture.error()));
  return report_sync(session, ids, *picture);
}

CommandResult act(const Session& session, const Arguments& arguments, FeedsVerb verb) {
  const auto ids = arguments.all("PROVIDER");
  if (auto known = check_provider_ids(session, ids); !known) return bad_input(std::move(known.error()));
  bool here = true;
  auto stats = [&] {
    FeedsWork work(session);
    auto done =
        work.run([&](const service::Feeds& feeds, const service::OnStats& on_stats, const std::stop_token& stop) {
          return service::command_feeds(feeds, verb, ids, on_stats, stop);
        });
    here = work.here();
    return done;
  }();
  if (!stats) return std::unexpected(std::move(stats.error()));
  auto picture = picture_after(session, *stats);
  if (!picture) return fail(std::move(picture.error()));
  const bool ran = here && (verb == FeedsVerb::kStart || verb == FeedsVerb::kResume);
  if (ran) return report_sync(session, ids, *picture);
  write_lines(session, *picture, ids);
  for (const auto& line : picture->providers) {
    if (is_chosen(ids, line.id)) session.output.note(fmt::format("{}: {}", line.id, state_word(line)));
  }
  return ExitCode::kDone;
}

CommandSpec verb_spec(FeedsVerb verb, std::string summary, std::string description) {
  return {.name = fmt::format("feeds {}", service::to_string(verb)),
          .summary = std::move(summary),
          .description = std::move(description),
          .arguments =
              {{.name = "PROVIDER", .help = "a provider's id", .completes = Completes::kProviders, .repeats = true}},
          .examples = {fmt::format("slipway feeds {} cve", service::to_string(verb))},
          .run = [verb](const Session& session, const Arguments& arguments) { return act(session, arguments, verb); }};
}

constexpr const char* kHere =
    "Acts on the process that owns the feeds, such as the worker. Without one it is done here, to the end.";
constexpr const char* kOnDisk =
    "Acts on the process that owns the feeds, such as the worker, and takes effect at the end of the item under way. "
    "Without one, what an earlier process has left is changed.";

}  // namespace

CommandSpec feeds_sync_command() {
  return {
      .name = "feeds sync",
      .summary = "Load what the sources have that is new, and show how it goes",
      .description =
          "Without PROVIDER, all of them; else these, and what they need and what was never loaded. What was "
          "interrupted goes on. The data of a source that cannot be read stays in use; then the exit code is 1, and "
          "the reason and the age of the data are told.\nWhere another process owns the feeds, such as the worker, "
          "it does the work, and this command looks on.",
      .options = {{.name = "--check",
                   .help = "load nothing: exit with 1 and name those whose data is missing or older than "
                           "feeds_max_age"}},
      .arguments = {{.name = "PROVIDER",
                     .help = "a provider's id",
                     .completes = Completes::kProviders,
                     .required = false,
                     .repeats = true}},
      .examples = {"slipway feeds sync", "slipway feeds sync cwe capec", "slipway feeds sync --check"},
      .run = sync};
}

CommandSpec feeds_start_command() {
  return verb_spec(FeedsVerb::kStart, "Start providers, whose needs must be complete", kHere);
}
CommandSpec feeds_pause_command() {
  return verb_spec(FeedsVerb::kPause, "Pause providers at their next item", kOnDisk);
}
CommandSpec feeds_resume_command() { return verb_spec(FeedsVerb::kResume, "Let paused providers go on", kHere); }
CommandSpec feeds_stop_command() { return verb_spec(FeedsVerb::kStop, "End providers at their next item", kOnDisk); }

}  // namespace slipway::cli
