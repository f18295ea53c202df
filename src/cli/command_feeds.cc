// `feeds` and `feeds list`: how the providers stand.
#include <algorithm>
#include <utility>

#include "cli/commands.h"
#include "cli/feeds_picture.h"
#include "cli/table.h"

namespace slipway::cli {
namespace {

std::string checkpoint_word(const ProviderLine& line) {
  if (!line.row || !line.row->checkpoint) return "-";
  return line.row->checkpoint->urn;
}

void write_providers(Output& output, const FeedsPicture& picture) {
  Table table({{.title = "PROVIDER", .importance = 100},
               {.title = "STATE", .importance = 95, .least = 22},
               {.title = "PROCESSED", .importance = 70, .right = true},
               {.title = "ERRORS", .importance = 80, .right = true},
               {.title = "PERMITS", .importance = 50, .right = true, .optional = true},
               {.title = "RECORDS", .importance = 90, .right = true},
               {.title = "AGE", .importance = 100, .right = true},
               {.title = "CHECKPOINT", .importance = 40, .least = 16, .cut = Cut::kMiddle, .optional = true},
               {.title = "CREATED", .importance = 10, .least = 16, .optional = true},
               {.title = "UPDATED", .importance = 20, .least = 16, .optional = true}});
  for (const auto& line : picture.providers) {
    const auto& row = line.row;
    const auto created = row ? std::optional(row->created_at) : std::nullopt;
    const auto updated = row ? std::optional(row->updated_at) : std::nullopt;
    const auto errors = row ? row->errors : 0;
    table.add({Cell(line.id), Cell(state_word(line), style_of(line)), Cell(std::to_string(row ? row->processed : 0)),
               Cell(std::to_string(errors), errors > 0 ? Style::kYellow : Style::kPlain),
               Cell(line.permits ? std::to_string(*line.permits) : "-"), Cell(std::to_string(line.live)),
               Cell(age_word(line.age) + (line.alarm ? "!" : ""), line.alarm ? Style::kRed : Style::kPlain),
               Cell(checkpoint_word(line)), Cell(output.table_time(created)), Cell(output.table_time(updated))});
  }
  output.write_table(table);
}

std::string macro_line(const FeedsPicture& picture) {
  const bool empty = std::ranges::none_of(picture.providers, [](const auto& line) { return line.row.has_value(); });
  if (!picture.macro && !empty) return fmt::format("{} providers, nobody has run them here", picture.providers.size());
  if (!picture.macro) return "Nothing was ever synced: `slipway feeds sync` does so.";
  std::string text = fmt::format("{}, {} providers", feeds::to_string(picture.macro->state), picture.providers.size());
  if (!picture.owner) return text + ", nobody runs them";
  const auto& stats = picture.owner->macro;
  const auto& permits = stats.permits;
  text += fmt::format(", {} of {} permits free", permits.free, permits.slots);
  if (permits.withheld > 0) text += fmt::format(", {} withheld", permits.withheld);
  return text + fmt::format(", {} events queued", stats.queued_events);
}

CommandResult list(const Session& session, const Arguments& /*arguments*/) {
  auto picture = picture_feeds(session);
  if (!picture) return fail(std::move(picture.error()));
  auto& output = session.output;
  if (output.json()) {
    output.write_json(picture_json(*picture, session.settings));
    return ExitCode::kDone;
  }
  write_providers(output, *picture);
  output.line("");
  output.line(macro_line(*picture));
  for (const auto& line : picture->providers) {
    if (!line.blocked.empty()) {
      output.note(printable(fmt::format("{} is not started: {}", line.id, line.blocked)));
    } else if (line.row && line.row->error) {
      output.note(printable(fmt::format("{} failed: {}", line.id, line.row->error->describe())));
    }
  }
  return ExitCode::kDone;
}

CommandSpec spec_of(std::string name, std::string summary) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .description =
              "AGE is how long ago the source was last read to its end; with a ! it is older than feeds_max_age. "
              "Needs no right to write.",
          .examples = {"slipway feeds", "slipway feeds list --json"},
          .run = list};
}

}  // namespace

CommandSpec feeds_command() { return spec_of("feeds", "Show the data providers: state, counts and age"); }
CommandSpec feeds_list_command() { return spec_of("feeds list", "The same as feeds"); }

}  // namespace slipway::cli
