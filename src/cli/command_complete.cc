#include <algorithm>
#include <set>

#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/parse.h"
#include "cli/run_lookup.h"
#include "cli/text.h"
#include "cli/views.h"
#include "feeds/standard_providers.h"

namespace slipway::cli {
namespace {

constexpr std::size_t kMostOffered = 200;

// The settings as the rest of the line has them: with --state-dir X on it, the images are those of X.
Settings settings_of_line(const Session& session, std::span<const std::string> words) {
  std::vector<GivenSetting> flags;
  std::optional<std::string> config;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const auto equals = words[i].find('=');
    const auto name = words[i].substr(0, equals);
    const auto value = equals == std::string::npos ? words[i + 1] : words[i].substr(equals + 1);
    if (name == "--config") config = value;
    for (const auto& spec : setting_specs()) {
      if (spec.flag() == name) flags.push_back({spec.name, value, {Origin::Kind::kFlag, name}});
    }
  }
  auto loaded = load_settings(session.environment, flags, config);
  if (!loaded) return session.settings;
  return std::move(loaded->settings);
}

std::vector<Candidate> images(const Session& session, const Settings& settings) {
  std::vector<Candidate> found;
  auto catalog = catalog::Catalog::open_reader(settings.sqlite_path.string(), session.clock);
  if (!catalog) return found;
  const auto listed = (*catalog)->list_status({}, {.limit = 1000});
  if (!listed) return found;
  for (const auto& summary : *listed) {
    found.push_back({summary.image.image_id, std::string(catalog::to_string(summary.status))});
  }
  return found;
}

std::vector<Candidate> runs(const Settings& settings, std::string_view prefix) {
  std::vector<Candidate> found;
  auto store = open_runs(settings);
  if (!store || !*store) return found;
  const auto listed = runs_beginning_with(**store, prefix, kMostOffered);
  if (!listed) return found;
  for (const auto& run : *listed) {
    found.push_back({run.spec.version.to_string(),
                     fmt::format("{} {} {}", run.spec.machine, run.spec.id, run_word(run.progress.state))});
  }
  return found;
}

std::vector<Candidate> machines(const Settings& settings) {
  std::set<std::string> names;
  auto store = open_runs(settings);
  if (!store || !*store) return {};
  if (const auto listed = (*store)->list({})) {
    for (const auto& run : *listed) names.insert(run.spec.machine);
  }
  std::vector<Candidate> found;
  for (const auto& name : names) found.push_back({name});
  return found;
}

std::vector<Candidate> providers() {
  std::vector<Candidate> found;
  for (const auto& provider : feeds::standard_providers()) {
    found.push_back({std::string(provider.id), std::string(provider.summary)});
  }
  return found;
}

CommandResult complete(const Session& session, const Arguments& arguments) {
  const auto words = arguments.all("WORD");
  const auto settings = settings_of_line(session, words);
  const CompletionSources sources{.images = [&](std::string_view) { return images(session, settings); },
                                  .runs = [&](std::string_view prefix) { return runs(settings, prefix); },
                                  .machines = [&](std::string_view) { return machines(settings); },
                                  .providers = [](std::string_view) { return providers(); }};
  const auto completion = complete_words(words, session.commands, sources);
  for (const auto& [value, help] : completion.candidates) {
    if (printable(value) != value) continue;  // no shell could type it back
    session.output.line(value + "\t" + printable(help));
  }
  if (completion.files) session.output.line(":files\t");
  if (completion.folders) session.output.line(":folders\t");
  return ExitCode::kDone;
}

}  // namespace

CommandSpec complete_command() {
  return {.name = "__complete",
          .summary = "What the shell may offer for the last word",
          .arguments = {{.name = "WORD", .required = false, .repeats = true}},
          .hidden = true,
          .needs_settings = false,
          .takes_raw_words = true,
          .run = complete};
}

}  // namespace slipway::cli
