#include "cli/command.h"

#include <algorithm>

#include "cli/units.h"

namespace slipway::cli {

std::optional<std::string> Arguments::get(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second.back();
}

std::vector<std::string> Arguments::all(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

Result<std::uint64_t> Arguments::number(const std::string& name, std::uint64_t fallback, std::uint64_t least) const {
  const auto text = get(name);
  if (!text) return fallback;
  auto number = parse_count(*text);
  if (!number) return fail(ErrorKind::kInvalid, "{} cannot be \"{}\": {}", name, *text, number.error().message());
  if (*number < least) return fail(ErrorKind::kInvalid, "{} is at least {}", name, least);
  return number;
}

std::span<const OptionSpec> global_options() {
  static const std::vector<OptionSpec> options{
      {.name = "--help", .letter = "-h", .help = "show help"},
      {.name = "--version", .help = "show the version"},
      {.name = "--config", .value = "FILE", .help = "take settings from FILE", .completes = Completes::kFiles},
      {.name = "--set", .value = "KEY=VALUE", .help = "set any setting, also policy_NAME", .repeats = true},
      {.name = "--json", .help = "print the result as JSON"},
      {.name = "--quiet", .letter = "-q", .help = "print results and errors only"},
      {.name = "--verbose", .letter = "-v", .help = "show more log lines; twice for all", .repeats = true},
  };
  return options;
}

const CommandSpec* find_command(std::span<const CommandSpec> commands, std::string_view name) {
  const auto found = std::ranges::find(commands, name, &CommandSpec::name);
  return found == commands.end() ? nullptr : &*found;
}

std::vector<const CommandSpec*> commands_below(std::span<const CommandSpec> commands, std::string_view name) {
  const std::string prefix = name.empty() ? "" : std::string(name) + " ";
  std::vector<const CommandSpec*> below;
  for (const auto& command : commands) {
    if (command.hidden || !command.name.starts_with(prefix)) continue;
    if (command.name.find(' ', prefix.size()) == std::string::npos) below.push_back(&command);
  }
  return below;
}

std::unexpected<Failure> wrong_use(std::string message, std::string hint) {
  return bad_input(Error(ErrorKind::kInvalid, std::move(message)).with_hint(std::move(hint)));
}

}  // namespace slipway::cli
