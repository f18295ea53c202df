#include "cli/parse.h"

#include <algorithm>
#include <functional>
#include <map>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Error.hpp>
#include <CLI/Formatter.hpp>

#include "cli/suggest.h"
#include "cli/text.h"

namespace slipway::cli {
namespace {

std::unexpected<Error> refused(std::string message, std::string hint = {}) {
  return fail(Error(ErrorKind::kInvalid, std::move(message)).with_hint(std::move(hint)));
}

// CLI11 checks neither values nor counts here: its messages name neither the rule nor a way out.
class Parser {
 public:
  explicit Parser(std::span<const CommandSpec> commands) : commands_(commands) {
    app_.set_help_flag();
    app_.require_subcommand(0, 1);
    app_.allow_extras();
    for (const auto& option : global_options()) add_global(option);
    for (const auto& spec : setting_specs()) add_setting(spec.flag(), spec.name);
    for (const auto& older : older_spellings()) add_setting(older.flag(), older.name);
    for (const auto& command : commands_) add_command(command);
  }

  Result<CommandLine> parse(std::span<const std::string> words);

 private:
  using Take = std::function<void(const std::string&)>;

  static void add_option(CLI::App& app, const std::string& names, bool takes_value, const Take& take) {
    CLI::Option* option = nullptr;
    if (takes_value) {
      option = app.add_option(names, [take](const CLI::results_t& values) {
        for (const auto& value : values) take(value);
        return true;
      });
      option->expected(1);
    } else {
      option = app.add_flag_function(names, [take](std::int64_t times) {
        for (; times > 0; --times) take("");
      });
    }
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    option->allow_extra_args(false);  // else a value in brackets would be taken for a list
  }

  static std::string names_of(const OptionSpec& option) {
    return option.letter.empty() ? option.name : option.letter + "," + option.name;
  }

  void add_global(const OptionSpec& option) {
    add_option(app_, names_of(option), !option.value.empty(),
               [this, name = option.name](const std::string& value) { globals_.add(name, value); });
  }

  void add_setting(const std::string& flag, const std::string& key) {
    add_option(app_, flag, /*takes_value=*/true, [this, flag, key](const std::string& value) {
      line_.settings.push_back({key, value, {Origin::Kind::kFlag, flag}});
    });
  }

  void add_command(const CommandSpec& command) {
    CLI::App* parent = &app_;
    std::string last = command.name;
    if (const auto space = command.name.rfind(' '); space != std::string::npos) {
      parent = apps_.at(command.name.substr(0, space));
      last = command.name.substr(space + 1);
    }
    auto* app = parent->add_subcommand(last);
    apps_[command.name] = app;
    app->set_help_flag();
    app->fallthrough();
    app->allow_extras();
    app->require_subcommand(0, 1);
    for (const auto& option : command.options) {
      add_option(*app, names_of(option), !option.value.empty(),
                 [this, name = option.name](const std::string& value) { line_.arguments.add(name, value); });
    }
    app->callback([this, &command] {
      // The callback of "runs" runs after that of "runs show".
      if (line_.command == nullptr) line_.command = &command;
    });
  }

  Result<> take_globals();
  Result<> take_words(const CommandSpec& command, std::span<const std::string> after_mark);
  Result<> check_values(const CommandSpec& command) const;
  [[nodiscard]] Error unknown_option(const std::string& word) const;
  [[nodiscard]] Error unknown_command(const std::string& word, std::string_view below) const;
  [[nodiscard]] Error missing_value(const std::string& what) const;

  std::span<const CommandSpec> commands_;
  CLI::App app_;
  std::map<std::string, CLI::App*> apps_;
  Arguments globals_;
  CommandLine line_;
};

// "--name=" is a name and an empty value; CLI11 would take the next word for the value.
std::vector<std::string> split_empty_values(std::span<const std::string> words) {
  std::vector<std::string> split;
  for (const auto& word : words) {
    if (word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1) {
      split.push_back(word.substr(0, word.size() - 1));
      split.emplace_back();
    } else {
      split.push_back(word);
    }
  }
  return split;
}

Error Parser::unknown_option(const std::string& word) const {
  const auto name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  if (line_.command != nullptr) {
    for (const auto& option : line_.command->options) known.push_back(option.name);
  }
  for (const auto& option : global_options()) known.push_back(option.name);
  for (const auto& spec : setting_specs()) known.push_back(spec.flag());
  const auto near = nearest(name, known);
  const auto command = line_.command != nullptr ? " " + line_.command->name : "";
  return Error(ErrorKind::kInvalid, fmt::format("there is no option {}", name))
      .with_hint(near ? fmt::format("did you mean {}?", *near)
                      : fmt::format("`slipway{} --help` lists the options", command));
}

Error Parser::unknown_command(const std::string& word, std::string_view below) const {
  std::vector<std::string> known;
  const auto skip = below.empty() ? 0 : below.size() + 1;
  for (const auto* command : commands_below(commands_, below)) known.push_back(command->name.substr(skip));
  const auto near = nearest(word, known);
  const std::string prefix = below.empty() ? "" : std::string(below) + " ";
  return Error(ErrorKind::kInvalid, fmt::format("there is no command {}{}", prefix, word))
      .with_hint(near ? fmt::format("did you mean `slipway {}{}`?", prefix, *near)
                      : "`slipway help` lists the commands");
}

Error Parser::missing_value(const std::string& what) const {
  // CLI11 says "--name: 1 required TYPE missing"; the name is up to the colon.
  auto name = what.substr(0, what.find(':'));
  name = name.substr(0, name.find(' '));
  return Error(ErrorKind::kInvalid, fmt::format("{} needs a value", name));
}

Result<> Parser::take_globals() {
  line_.help = globals_.has("--help");
  line_.version = globals_.has("--version");
  line_.json = globals_.has("--json");
  line_.quiet = globals_.has("--quiet");
  line_.verbose = static_cast<int>(globals_.all("--verbose").size());
  line_.config_file = globals_.get("--config");
  if (line_.config_file && line_.config_file->empty()) return refused("--config needs the name of a file");
  for (const auto& assignment : globals_.all("--set")) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      return refused(fmt::format("--set cannot be \"{}\": it is KEY=VALUE", assignment));
    }
    line_.settings.push_back(
        {assignment.substr(0, equals), assignment.substr(equals + 1), {Origin::Kind::kFlag, "--set"}});
  }
  return {};
}

// The words that are no options, and all that follow "--", are the command's arguments.
Result<> Parser::take_words(const CommandSpec& command, std::span<const std::string> after_mark) {
  auto words = app_.remaining(/*recurse=*/true);
  for (const auto& word : words) {
    if (word.size() > 1 && word.front() == '-') return fail(unknown_option(word));
  }
  words.insert(words.end(), after_mark.begin(), after_mark.end());
  std::size_t next = 0;
  for (auto& word : words) {
    if (next >= command.arguments.size()) {
      if (!commands_below(commands_, command.name).empty()) return fail(unknown_command(word, command.name));
      return refused(fmt::format("{} does not take \"{}\"", command.name, word),
                     fmt::format("`slipway help {}` shows what it takes", command.name));
    }
    line_.arguments.add(command.arguments[next].name, std::move(word));
    if (!command.arguments[next].repeats) ++next;
  }
  return {};
}

Result<> Parser::check_values(const CommandSpec& command) const {
  const auto check = [&](const std::string& name, const std::vector<std::string>& allowed) -> Result<> {
    if (allowed.empty()) return {};
    for (const auto& value : line_.arguments.all(name)) {
      if (std::ranges::find(allowed, value) != allowed.end()) continue;
      const auto near = nearest(value, allowed);
      return refused(fmt::format("{} cannot be \"{}\": it is one of {}", name, value, fmt::join(allowed, ", ")),
                     near ? fmt::format("did you mean {}?", *near) : "");
    }
    return {};
  };
  for (const auto& option : command.options) {
    if (auto good = check(option.name, option.values); !good) return good;
  }
  for (const auto& argument : command.arguments) {
    if (auto good = check(argument.name, argument.values); !good) return good;
    if (argument.required && !line_.arguments.has(argument.name)) {
      return refused(fmt::format("{} needs {}", command.name, argument.name),
                     fmt::format("`slipway help {}` shows how it is used", command.name));
    }
  }
  return {};
}

Result<CommandLine> Parser::parse(std::span<const std::string> words) {
  // CLI11 forgets the mark "--" when it goes from a command back to the program.
  const auto mark = std::ranges::find(words, "--");
  const auto before = static_cast<std::size_t>(mark - words.begin());
  const auto after_mark = mark == words.end() ? words.subspan(before) : words.subspan(before + 1);
  auto reversed = split_empty_values(words.first(before));
  std::ranges::reverse(reversed);
  try {
    app_.parse(std::move(reversed));
  } catch (const CLI::ArgumentMismatch& e) {
    return fail(missing_value(e.what()));
  } catch (const CLI::Error& e) {
    return refused(e.what(), "`slipway help` shows how it is used");
  }
  if (auto taken = take_globals(); !taken) return fail(std::move(taken.error()));
  if (line_.command == nullptr) {
    auto unknown = app_.remaining(/*recurse=*/true);
    unknown.insert(unknown.end(), after_mark.begin(), after_mark.end());
    if (unknown.empty()) return line_;
    const auto& word = unknown.front();
    return fail(word.size() > 1 && word.front() == '-' ? unknown_option(word) : unknown_command(word, ""));
  }
  if (line_.help) return line_;
  if (auto taken = take_words(*line_.command, after_mark); !taken) return fail(std::move(taken.error()));
  if (auto good = check_values(*line_.command); !good) return fail(std::move(good.error()));
  return line_;
}

}  // namespace

Result<CommandLine> parse_command_line(std::span<const std::string> words, std::span<const CommandSpec> commands) {
  if (!words.empty()) {
    const auto* command = find_command(commands, words.front());
    if (command != nullptr && command->takes_raw_words) {
      CommandLine line;
      line.command = command;
      for (const auto& word : words.subspan(1)) line.arguments.add(command->arguments.front().name, word);
      return line;
    }
  }
  return Parser(commands).parse(words);
}

bool asks_for_json(std::span<const std::string> words) {
  for (const auto& word : words) {
    if (word == "--") return false;
    if (word == "--json") return true;
  }
  return false;
}

}  // namespace slipway::cli
