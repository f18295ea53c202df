#include "cli/completion.h"

#include <algorithm>
#include <optional>

namespace slipway::cli {
namespace {

// What a word may be: the values of an option or of an argument.
struct Slot {
  std::vector<Candidate> values{};
  Completes completes = Completes::kNothing;
};

std::vector<Candidate> plain(const std::vector<std::string>& values) {
  std::vector<Candidate> made;
  for (const auto& value : values) made.push_back({value});
  return made;
}

Slot slot_of(const SettingSpec& spec) {
  if (spec.kind == SettingKind::kChoice) return {plain(spec.values), Completes::kValues};
  if (spec.kind == SettingKind::kBool) return {plain({"true", "false"}), Completes::kValues};
  if (spec.kind != SettingKind::kPath) return {};
  const bool folder = spec.name.ends_with("_dir");
  return {{}, folder ? Completes::kFolders : Completes::kFiles};
}

class Completer {
 public:
  Completer(std::span<const CommandSpec> commands, const CompletionSources& sources)
      : commands_(commands), sources_(sources) {}

  Completion complete(std::span<const std::string> words) {
    for (const auto& word : words.first(words.size() - 1)) pass(word);
    word_ = words.back();
    if (awaited_) {
      offer(*awaited_, word_ == "=" ? "" : word_, "");
    } else if (!only_arguments_ && word_.starts_with("--") && word_.find('=') != std::string::npos) {
      const auto equals = word_.find('=');
      if (const auto slot = option(word_.substr(0, equals)))
        offer(*slot, word_.substr(equals + 1), word_.substr(0, equals + 1));
    } else if (!only_arguments_ && word_.starts_with("-")) {
      offer_options();
    } else {
      offer_words();
    }
    return std::move(result_);
  }

 private:
  // A word that stands before the one under the cursor.
  void pass(const std::string& word) {
    if (awaited_) {
      if (word == "=") return;  // bash gives --name=value as three words
      awaited_.reset();
      return;
    }
    if (!only_arguments_ && word == "--") {
      only_arguments_ = true;
    } else if (!only_arguments_ && word.size() > 1 && word.front() == '-') {
      if (word.find('=') == std::string::npos) awaited_ = option(word);
    } else if (const auto* below = arguments_ == 0 ? find_command(commands_, path_of(word)) : nullptr) {
      command_ = below;
    } else {
      ++arguments_;
    }
  }

  [[nodiscard]] std::string path_of(const std::string& word) const {
    return command_ == nullptr ? word : command_->name + " " + word;
  }

  // What the value of this option may be; nothing for a switch, and for one that is not known.
  [[nodiscard]] std::optional<Slot> option(std::string_view name) const {
    const auto look = [&](std::span<const OptionSpec> options) -> std::optional<Slot> {
      for (const auto& spec : options) {
        if ((spec.name == name || spec.letter == name) && !spec.value.empty())
          return Slot{plain(spec.values), spec.completes};
      }
      return std::nullopt;
    };
    if (command_ != nullptr) {
      if (auto slot = look(command_->options)) return slot;
    }
    if (auto slot = look(global_options())) return slot;
    for (const auto& spec : setting_specs()) {
      if (spec.flag() == name) return slot_of(spec);
    }
    return std::nullopt;
  }

  void add(std::string value, std::string help, std::string_view typed, std::string_view before) {
    if (value.starts_with(typed))
      result_.candidates.push_back({std::string(before) + std::move(value), std::move(help)});
  }

  void offer(const Slot& slot, std::string_view typed, std::string_view before) {
    for (const auto& candidate : slot.values) add(candidate.value, candidate.help, typed, before);
    const auto ask = [&](const auto& source) {
      if (!source) return;
      for (const auto& candidate : source(typed)) add(candidate.value, candidate.help, typed, before);
    };
    switch (slot.completes) {
      case Completes::kNothing:
      case Completes::kValues: break;
      case Completes::kFiles: result_.files = true; break;
      case Completes::kFolders: result_.folders = true; break;
      case Completes::kImages: ask(sources_.images); break;
      case Completes::kRuns: ask(sources_.runs); break;
      case Completes::kMachines: ask(sources_.machines); break;
      case Completes::kProviders: ask(sources_.providers); break;
      case Completes::kCommands: offer_commands(typed); break;
      case Completes::kSettings:
        for (const auto& spec : setting_specs()) add(spec.name, spec.help, typed, before);
        break;
    }
  }

  // For `help`: the words of a command's name.
  void offer_commands(std::string_view typed) {
    for (const auto* command : commands_below(commands_, "")) add(command->name, command->summary, typed, "");
    add("settings", "the settings", typed, "");
  }

  void offer_options() {
    const auto all = [&](std::span<const OptionSpec> options) {
      for (const auto& spec : options) add(spec.name, spec.help, word_, "");
    };
    if (command_ != nullptr) all(command_->options);
    all(global_options());
    for (const auto& spec : setting_specs()) add(spec.flag(), spec.help, word_, "");
  }

  void offer_words() {
    const std::string_view above = command_ == nullptr ? std::string_view() : command_->name;
    if (arguments_ == 0 && !only_arguments_) {
      const auto skip = above.empty() ? 0 : above.size() + 1;
      for (const auto* below : commands_below(commands_, above))
        add(below->name.substr(skip), below->summary, word_, "");
    }
    if (command_ == nullptr || command_->arguments.empty()) return;
    const auto& arguments = command_->arguments;
    if (arguments_ >= arguments.size() && !arguments.back().repeats) return;
    const auto& argument = arguments[std::min(arguments_, arguments.size() - 1)];
    offer({plain(argument.values), argument.completes}, word_, "");
  }

  std::span<const CommandSpec> commands_;
  const CompletionSources& sources_;
  const CommandSpec* command_ = nullptr;
  std::size_t arguments_ = 0;
  std::optional<Slot> awaited_;  // the option whose value comes next
  bool only_arguments_ = false;
  std::string word_;
  Completion result_;
};

}  // namespace

Completion complete_words(std::span<const std::string> words, std::span<const CommandSpec> commands,
                          const CompletionSources& sources) {
  const std::vector<std::string> nothing{""};
  return Completer(commands, sources).complete(words.empty() ? std::span<const std::string>(nothing) : words);
}

}  // namespace slipway::cli
