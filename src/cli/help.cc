#include "cli/help.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/text.h"

namespace slipway::cli {
namespace {

using Row = std::pair<std::string, std::string>;  // a term, and what it means

// Terms to the left, their meaning beside them, or below where the term is too long.
class Page {
 public:
  explicit Page(const HelpLook& look) : look_(look), width_(std::clamp<std::size_t>(look.columns, 40, 100)) {}

  void paragraph(std::string_view text) {
    for (const auto& line : wrap(text, width_)) text_ += line + "\n";
  }
  void heading(std::string_view text) { text_ += "\n" + paint(text, Style::kBold, look_.color) + "\n"; }
  void literal(std::string_view text) { text_ += fmt::format("  {}\n", text); }

  void rows(const std::vector<Row>& rows) {
    std::size_t terms = 0;
    constexpr std::size_t kLongestTerm = 24;
    for (const auto& [term, meaning] : rows) {
      if (term.size() <= kLongestTerm) terms = std::max(terms, term.size());
    }
    const auto indent = terms + 4;
    for (const auto& [term, meaning] : rows) {
      const auto lines = wrap(meaning, width_ > indent + 20 ? width_ - indent : 20);
      text_ += "  " + paint(term, Style::kCyan, look_.color);
      auto column = term.size() + 2;
      for (const auto& line : lines) {
        if (column > indent - 2) {
          text_ += '\n';
          column = 0;
        }
        text_.append(indent - column, ' ');
        text_ += line;
        column = indent;
      }
      text_ += '\n';
    }
  }

  std::string take() { return std::move(text_); }

 private:
  HelpLook look_;
  std::size_t width_;
  std::string text_;
};

std::string term_of(const OptionSpec& option) {
  std::string term = option.letter.empty() ? option.name : option.letter + ", " + option.name;
  if (!option.value.empty()) term += " " + option.value;
  return term;
}

std::string meaning_of(const std::string& help, const std::vector<std::string>& values) {
  return values.empty() ? help : fmt::format("{}: {}", help, fmt::join(values, ", "));
}

std::vector<Row> option_rows(std::span<const OptionSpec> options) {
  std::vector<Row> rows;
  for (const auto& option : options) rows.emplace_back(term_of(option), meaning_of(option.help, option.values));
  return rows;
}

}  // namespace

void write_help(Output& output, const std::string& text) {
  if (output.json()) {
    output.write_json({{"help", text}});
  } else {
    output.write(text);
  }
}

std::string usage_line(const CommandSpec& command) {
  std::string line = "slipway " + command.name;
  if (!command.options.empty()) line += " [OPTION]...";
  for (const auto& argument : command.arguments) {
    auto name = argument.name + (argument.repeats ? "..." : "");
    line += argument.required ? " " + name : " [" + name + "]";
  }
  return line;
}

std::string default_text(const SettingSpec& spec) {
  if (spec.name == "state_dir") return "/var/lib/slipway for root, else $XDG_STATE_HOME/slipway";
  if (spec.kind == SettingKind::kPath && !spec.fallback.empty()) return "STATE_DIR/" + spec.fallback;
  return spec.fallback.empty() ? "none" : spec.fallback;
}

std::string program_help(std::span<const CommandSpec> commands, const HelpLook& look) {
  Page page(look);
  page.paragraph("slipway takes container images from object storage to verified copy-on-write block devices.");
  page.heading("Usage");
  page.literal("slipway [OPTION]... COMMAND [ARGUMENT]...");
  page.heading("Commands");
  std::vector<Row> rows;
  for (const auto& command : commands) {
    if (!command.hidden) rows.emplace_back(command.name, command.summary);
  }
  page.rows(rows);
  page.heading("Options");
  page.rows(option_rows(global_options()));
  page.heading("More");
  page.rows({{"slipway help COMMAND", "one command"},
             {"slipway help settings", "the settings; each is an option too, such as --s3-bucket"},
             {"man slipway", "all of it"}});
  return page.take();
}

std::string command_help(const CommandSpec& command, std::span<const CommandSpec> commands, const HelpLook& look) {
  Page page(look);
  page.paragraph(command.summary + ".");
  if (!command.description.empty()) page.paragraph("\n" + command.description);
  page.heading("Usage");
  page.literal(usage_line(command));
  if (const auto below = commands_below(commands, command.name); !below.empty()) {
    page.heading("Commands below");
    std::vector<Row> rows;
    for (const auto* child : below) rows.emplace_back(child->name, child->summary);
    page.rows(rows);
  }
  if (!command.arguments.empty()) {
    page.heading("Arguments");
    std::vector<Row> rows;
    for (const auto& argument : command.arguments) {
      rows.emplace_back(argument.name, meaning_of(argument.help, argument.values));
    }
    page.rows(rows);
  }
  if (!command.options.empty()) {
    page.heading("Options");
    page.rows(option_rows(command.options));
  }
  if (!command.examples.empty()) {
    page.heading("Examples");
    for (const auto& example : command.examples) page.literal(example);
  }
  page.paragraph("\nOptions of every command: `slipway help`. Settings: `slipway help settings`.");
  return page.take();
}

std::string settings_help(const HelpLook& look) {
  Page page(look);
  page.paragraph(
      "A setting is taken from the first of: its option (--s3-bucket NAME, or --set s3_bucket=NAME), its environment "
      "variable (SLIPWAY_S3_BUCKET), its key in a file (s3_bucket: NAME), its default. The file is that of --config or "
      "SLIPWAY_CONFIG, else slipway.yaml here, else in $XDG_CONFIG_HOME/slipway/ (~/.config/slipway/). `slipway "
      "config` "
      "shows what is in force, and where it came from.");
  page.heading("Settings");
  std::vector<Row> rows;
  for (const auto& spec : setting_specs()) {
    rows.emplace_back(spec.name,
                      fmt::format("{} (default: {})", meaning_of(spec.help, spec.values), default_text(spec)));
  }
  rows.emplace_back("policy_NAME", "one rule of the policy, where it shall differ");
  page.rows(rows);
  page.heading("Older spellings");
  rows.clear();
  for (const auto& older : older_spellings()) rows.emplace_back(older.name, older.help);
  page.rows(rows);
  page.heading("Values");
  page.rows({{"sizes", "bytes, or with a unit: 512MiB, 10GiB, 10G (1024); 1.5GB (1000)"},
             {"times", "seconds, or with units: 500ms, 30s, 5m, 1h30m"}});
  return page.take();
}

}  // namespace slipway::cli
