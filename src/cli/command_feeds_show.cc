// `feeds show`, `feeds search` and `feeds path`: what the feeds know.
#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/feeds_setup.h"
#include "cli/feeds_views.h"
#include "cli/table.h"
#include "cli/text.h"

namespace slipway::cli {
namespace {

constexpr std::uint64_t kDefaultLimit = 20;
constexpr std::uint64_t kMostHits = 10'000;
constexpr std::size_t kNamesWide = 14;

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all{"cve", "cwe", "capec", "attack", "ssg", "asvs", "cce", "advisory"};
  return all;
}

// A name that nothing has is the user's word, and yet no wrong use: the data may come.
std::unexpected<Failure> not_found(Error error) { return bad_input(std::move(error)); }

struct Shown {
  feeds::Entry entry{};
  feeds::ChainNode chain{};
};

Result<std::vector<Shown>> look_up(feeds::FeedReader& reader, const std::string& name, bool all) {
  auto found = reader.find(name);
  if (!found) return fail(std::move(found.error()));
  feeds::ChainOptions options;
  if (all) options = {.breadth = 1'000'000, .most = 100'000};
  std::vector<Shown> shown;
  for (const auto& one : *found) {
    auto entry = reader.entry(one.node);
    if (!entry) return fail(std::move(entry.error()));
    auto chain = reader.chain(one.node, options);
    if (!chain) return fail(std::move(chain.error()));
    shown.push_back({std::move(*entry), std::move(*chain)});
  }
  return shown;
}

void write_facts(Output& output, const feeds::Entry& entry) {
  const auto title = entry.title.empty() ? std::string() : "  " + printable(entry.title);
  output.line(output.paint(printable(entry.what.name), Style::kBold) + title);
  const auto width = output.out_look().terminal ? std::max<std::size_t>(output.columns(), 40) : SIZE_MAX;
  const auto room = width == SIZE_MAX ? width : width - kNamesWide - 3;
  for (const auto& [name, value] : facts_of(entry, output)) {
    const auto text = printable(value);
    output.line(fmt::format("  {} {}", pad_right(name, kNamesWide),
                            room == SIZE_MAX ? text : shorten(text, room, output.out_look().unicode ? "…" : "...")));
  }
  if (entry.description.empty()) return;
  output.line("");
  // Paragraphs stay, all else that could move a cursor does not.
  std::string_view rest = entry.description;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const auto paragraph = printable(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (width == SIZE_MAX) {
      output.line("  " + paragraph);
      continue;
    }
    for (const auto& line : wrap(paragraph, width - 3)) output.line("  " + line);
  }
}

void write_shown(Output& output, const Shown& shown) {
  write_facts(output, shown.entry);
  if (shown.chain.below.empty() && shown.chain.more.empty()) return;
  output.line("");
  const auto& look = output.out_look();
  const TreeLook tree{.columns = look.terminal ? output.columns() : 0, .color = look.color, .unicode = look.unicode};
  for (const auto& line : tree_lines(shown.chain, tree)) output.line(line);
}

CommandResult show(const Session& session, const Arguments& arguments) {
  auto reader = open_feeds(session);
  if (!reader) return fail(std::move(reader.error()));
  auto shown = look_up(**reader, arguments.at("NAME"), arguments.has("--all"));
  if (!shown) return not_found(std::move(shown.error()));
  auto& output = session.output;
  if (output.json()) {
    auto records = OrderedJson::array();
    for (const auto& one : *shown) {
      auto record = entry_json(one.entry);
      record["chain"] = chain_json(one.chain);
      records.push_back(std::move(record));
    }
    output.write_json({{"records", std::move(records)}});
    return ExitCode::kDone;
  }
  bool first = true;
  for (const auto& one : *shown) {
    if (!std::exchange(first, false)) output.line("");
    write_shown(output, one);
  }
  return ExitCode::kDone;
}

std::string without_marks(std::string text) {
  std::erase_if(text, [](char c) { return c == feeds::SearchHit::kMarkBegin || c == feeds::SearchHit::kMarkEnd; });
  return text;
}

OrderedJson hit_json(const feeds::SearchHit& hit) {
  auto json = named_json(hit.what);
  json["snippet"] = json_text(without_marks(hit.snippet));
  json["rank"] = hit.rank;
  return json;
}

CommandResult search(const Session& session, const Arguments& arguments) {
  auto limit = arguments.number("--limit", kDefaultLimit, 1);
  if (!limit) return bad_input(std::move(limit.error()));
  auto offset = arguments.number("--offset", 0, 0);
  if (!offset) return bad_input(std::move(offset.error()));
  auto reader = open_feeds(session);
  if (!reader) return fail(std::move(reader.error()));
  const auto words = fmt::format("{}", fmt::join(arguments.all("WORD"), " "));
  auto hits = (*reader)->search(
      words,
      {.kind = arguments.get("--kind"), .limit = std::min(*limit, kMostHits), .offset = std::min(*offset, kMostHits)});
  if (!hits) return bad_input(std::move(hits.error()));
  auto& output = session.output;
  if (output.json()) {
    auto list = OrderedJson::array();
    for (const auto& hit : *hits) list.push_back(hit_json(hit));
    output.write_json({{"hits", std::move(list)}});
    return ExitCode::kDone;
  }
  if (hits->empty()) {
    output.note("Nothing fits.");
    return ExitCode::kDone;
  }
  Table table({{.title = "KIND", .importance = 60, .optional = true},
               {.title = "NAME", .importance = 100},
               {.title = "STANDING", .importance = 50, .optional = true},
               {.title = "TITLE", .importance = 40, .least = 24},
               {.title = "FOUND", .importance = 30, .least = 24, .optional = true}});
  for (const auto& hit : *hits) {
    const auto standing = standing_word(hit.what);
    table.add({Cell(hit.what.kind), Cell(hit.what.name, hit.what.is_live() ? Style::kCyan : Style::kDim),
               Cell(standing.empty() ? "-" : standing, hit.what.is_live() ? Style::kPlain : Style::kYellow),
               Cell(hit.what.title.empty() ? "-" : hit.what.title), Cell(without_marks(hit.snippet))});
  }
  output.write_table(table);
  return ExitCode::kDone;
}

// The one that a name stands for: of several, the first that is live.
std::expected<feeds::Named, Failure> one_of(feeds::FeedReader& reader, const std::string& name) {
  auto found = reader.find(name);
  if (!found) return not_found(std::move(found.error()));
  return std::move(found->front());
}

CommandResult path(const Session& session, const Arguments& arguments) {
  auto reader = open_feeds(session);
  if (!reader) return fail(std::move(reader.error()));
  auto from = one_of(**reader, arguments.at("FROM"));
  if (!from) return std::unexpected(std::move(from.error()));
  auto to = one_of(**reader, arguments.at("TO"));
  if (!to) return std::unexpected(std::move(to.error()));
  auto found = (*reader)->path(from->node, to->node);
  if (!found) return fail(std::move(found.error()));
  auto& output = session.output;
  if (output.json()) {
    auto steps = OrderedJson::array();
    for (const auto& step : found->steps) {
      auto json = named_json(step.what);
      json["relation"] = json_filled(step.relation);
      json["inward"] = step.inward;
      steps.push_back(std::move(json));
    }
    output.write_json(
        {{"found", !found->steps.empty()}, {"most_steps", found->most_steps}, {"steps", std::move(steps)}});
    return ExitCode::kDone;
  }
  if (found->steps.empty()) {
    output.line(fmt::format("There is no path of at most {} links from {} to {}.", found->most_steps,
                            printable(from->name), printable(to->name)));
    return ExitCode::kDone;
  }
  Table table({{.title = "", .importance = 90},
               {.title = "", .importance = 100},
               {.title = "", .importance = 40, .least = 20}});
  for (const auto& step : found->steps) {
    const auto arrow = step.relation.empty() ? std::string()
                       : step.inward         ? fmt::format("<- {} -", step.relation)
                                             : fmt::format("- {} ->", step.relation);
    table.add({Cell(arrow, Style::kDim), Cell(step.what.name, Style::kCyan),
               Cell(step.what.known ? step.what.title : "(not known)")});
  }
  output.write_table(table);
  return ExitCode::kDone;
}

}  // namespace

CommandSpec feeds_show_command() {
  return {.name = "feeds show",
          .summary = "Show what is known of a CVE, weakness, technique or rule",
          .description =
              "Facts first, then a tree. For a CVE: its weaknesses, their attack patterns, the techniques these use "
              "with tactics and mitigations, the controls of these and the rules that check them, requirements that "
              "guard against the weaknesses, advisories. For other kinds: the part of that which they begin.",
          .options = {{.name = "--all", .help = "leave nothing out of the tree"}},
          .arguments = {{.name = "NAME", .help = "a URN, or the publisher's id in any case"}},
          .examples = {"slipway feeds show CVE-2021-44228", "slipway feeds show t1190",
                       "slipway feeds show v2e::mitre::cwe::CWE-79 --json"},
          .run = show};
}

CommandSpec feeds_search_command() {
  return {.name = "feeds search",
          .summary = "Search names, titles and descriptions; the best first",
          .description =
              "Every word must occur, in any form of it; a word that ends in * is the beginning of one; \"some words\" "
              "in quotation marks must follow each other. What is gone or was taken back comes last.",
          .options = {{.name = "--kind", .value = "KIND", .help = "only of this kind", .values = kinds()},
                      {.name = "--limit", .letter = "-n", .value = "NUMBER", .help = "at most so many (default: 20)"},
                      {.name = "--offset", .value = "NUMBER", .help = "leave out so many of the best"}},
          .arguments = {{.name = "WORD", .help = "what to look for", .repeats = true}},
          .examples = {"slipway feeds search path traversal", "slipway feeds search '\"use after free\"' --kind cwe"},
          .run = search};
}

CommandSpec feeds_path_command() {
  return {.name = "feeds path",
          .summary = "Show the shortest chain of links between two things",
          .arguments = {{.name = "FROM", .help = "a URN, or the publisher's id"},
                        {.name = "TO", .help = "a URN, or the publisher's id"}},
          .examples = {"slipway feeds path CVE-2021-44228 T1190"},
          .run = path};
}

}  // namespace slipway::cli
