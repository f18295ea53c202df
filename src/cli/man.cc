#include "cli/man.h"

#include "cli/help.h"

namespace slipway::cli {
namespace {

// Text that roff shows as it is: no escapes, no requests, real minus signs.
std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '`') {
      out += "\\(ga";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

class Manual {
 public:
  explicit Manual(std::string_view version) {
    text_ = fmt::format(".TH SLIPWAY 1 \"\" \"slipway {}\" \"User Commands\"\n.nh\n.ad l\n", roff(version));
  }

  void section(std::string_view title) { text_ += fmt::format(".SH {}\n", title); }
  void subsection(std::string_view title) { text_ += fmt::format(".SS \"{}\"\n", roff(title)); }
  void paragraph(std::string_view text) {
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      text_ += ".PP\n" + roff(text.substr(0, end)) + "\n";
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  void term(std::string_view name, std::string_view value, std::string_view meaning) {
    text_ += fmt::format(".TP\n\\fB{}\\fR", roff(name));
    if (!value.empty()) text_ += fmt::format(" \\fI{}\\fR", roff(value));
    text_ += "\n" + roff(meaning) + "\n";
  }
  void example(std::string_view line) { text_ += ".PP\n.nf\n.RS 4\n" + roff(line) + "\n.RE\n.fi\n"; }
  // whatis(1) wants exactly this form.
  void name(std::string_view program, std::string_view what) {
    text_ += fmt::format(".SH NAME\n{} \\- {}\n", roff(program), roff(what));
  }
  void synopsis(std::string_view line) { text_ += ".PP\n\\fB" + roff(line) + "\\fR\n"; }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string with_values(const std::string& help, const std::vector<std::string>& values) {
  return values.empty() ? help + "." : fmt::format("{}: {}.", help, fmt::join(values, ", "));
}

void add_options(Manual& manual, std::span<const OptionSpec> options) {
  for (const auto& option : options) {
    manual.term(option.letter.empty() ? option.name : option.letter + ", " + option.name, option.value,
                with_values(option.help, option.values));
  }
}

void add_command(Manual& manual, const CommandSpec& command) {
  manual.subsection(command.name);
  manual.synopsis(usage_line(command));
  manual.paragraph(command.summary + ".");
  manual.paragraph(command.description);
  for (const auto& argument : command.arguments)
    manual.term(argument.name, "", with_values(argument.help, argument.values));
  add_options(manual, command.options);
  for (const auto& example : command.examples) manual.example(example);
}

void add_settings(Manual& manual) {
  manual.section("SETTINGS");
  manual.paragraph(
      "A setting is taken from the first of: its option, its environment variable, its key in the settings file, its "
      "default. The name s3_bucket is the option --s3-bucket, the variable SLIPWAY_S3_BUCKET and the key s3_bucket. "
      "What is not known is an error.");
  for (const auto& spec : setting_specs()) {
    manual.term(spec.name, spec.kind == SettingKind::kChoice ? "" : spec.placeholder(),
                with_values(spec.help, spec.values) + " Default: " + default_text(spec) + ".");
  }
  manual.term("policy_", "NAME", "One rule of the policy, where it shall differ.");
  manual.paragraph("Older spellings are understood:");
  for (const auto& older : older_spellings()) manual.term(older.name, "", older.help + ".");
  manual.paragraph(
      "Sizes are bytes, or have a unit: K, M, G, T, P and KiB, MiB and so on count by 1024; KB, MB and so on by 1000. "
      "Times are seconds, or have units: 500ms, 30s, 5m, 1h30m, 2d.");
}

}  // namespace

std::string manual_page(std::span<const CommandSpec> commands, std::string_view version) {
  Manual manual(version);
  manual.name("slipway", "container images from object storage to copy-on-write block devices");
  manual.section("SYNOPSIS");
  manual.synopsis("slipway [OPTION]... COMMAND [ARGUMENT]...");
  manual.section("DESCRIPTION");
  manual.paragraph(
      "slipway takes container images from object storage to verified copy-on-write block devices. Each step is a "
      "durable state machine: what is cut off, by a signal, a crash or a power cut, goes on from its last completed "
      "transition when the command is run again.");
  manual.section("OPTIONS");
  manual.paragraph("These, and the settings as options, may stand before or after the command.");
  add_options(manual, global_options());
  manual.section("COMMANDS");
  for (const auto& command : commands) {
    if (!command.hidden) add_command(manual, command);
  }
  add_settings(manual);
  manual.section("FILES");
  manual.term("./slipway.yaml, $XDG_CONFIG_HOME/slipway/slipway.yaml", "",
              "The settings file: the first that is there. --config or SLIPWAY_CONFIG name another.");
  manual.term("/var/lib/slipway, $XDG_STATE_HOME/slipway", "", "Where state is kept: by root, by others.");
  manual.section("ENVIRONMENT");
  manual.term("SLIPWAY_CONFIG", "", "The settings file.");
  manual.term("NO_COLOR", "", "When it is set and not empty, no colours are used unless --color always is given.");
  manual.section("EXIT STATUS");
  manual.term("0", "", "Done.");
  manual.term("1", "", "Failed.");
  manual.term("2", "", "Wrong use: the command line or a setting is wrong, nothing was done.");
  manual.term("3", "", "Blocked: the image is vulnerable.");
  manual.term("130", "", "Interrupted; run the command again to go on.");
  return manual.take();
}

}  // namespace slipway::cli
