#include "cli/scan_setup.h"

#include <array>
#include <utility>

#include <pwd.h>
#include <unistd.h>

#include "scan/text_file.h"

namespace slipway::cli {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

Result<> add_text(const std::filesystem::path& file, std::uint64_t most, Texts& texts) {
  auto text = scan::read_text_file(file, most);
  // Whoever names a file that is not there has said it wrong.
  if (!text && text.error().kind() == ErrorKind::kNotFound)
    return fail(ErrorKind::kInvalid, "{}", text.error().message());
  if (!text) return fail(std::move(text.error()));
  texts.emplace_back(file.string(), std::move(*text));
  return {};
}

// Those that the command names are in place of the setting's.
Result<> add_texts(const std::vector<std::string>& given, const std::filesystem::path& setting, std::uint64_t most,
                   Texts& texts) {
  for (const auto& file : given) {
    if (auto added = add_text(file, most, texts); !added) return added;
  }
  if (!given.empty() || setting.empty()) return {};
  return add_text(setting, most, texts);
}

}  // namespace

Result<pipeline::ScanRules> scan_rules(const Session& session, const Arguments& arguments) {
  const auto& settings = session.settings;
  pipeline::ScanRules rules{.engine = settings.scan_engine,
                            .block = settings.scan_block,
                            .refuse_stale = settings.scan_stale == "refuse",
                            .max_age_s = settings.feeds_max_age.count() / 1000};
  auto added =
      add_texts(arguments.all("--ignore-file"), settings.scan_ignore_file, scan::kMostIgnoreBytes, rules.ignore);
  if (added) added = add_texts(arguments.all("--vex"), settings.scan_vex, scan::kMostVexBytes, rules.vex);
  if (!added) return fail(std::move(added.error()));
  if (const auto good = pipeline::rules_of(rules); !good) return fail(good.error());
  if (arguments.has("--allow-vulnerable")) rules.allowed_by = who_asks(session.environment);
  return rules;
}

OptionSpec allow_vulnerable_option() {
  return {.name = "--allow-vulnerable",
          .help = "take the image although it would be blocked; who allowed it and when is recorded"};
}

std::string who_asks(const Environment& environment) {
  std::array<char, 4096> room{};
  passwd entry{};
  passwd* found = nullptr;
  const auto uid = ::geteuid();
  const bool known = ::getpwuid_r(uid, &entry, room.data(), room.size(), &found) == 0 && found != nullptr;
  std::string name = known ? entry.pw_name : fmt::format("uid {}", uid);
  if (const auto before = environment.get_filled("SUDO_USER"); before && uid == 0) name = *before + " as " + name;
  return name;
}

Failure blocked_or_failed(Failure failure) {
  if (failure.error.kind() == ErrorKind::kVulnerable) failure.code = ExitCode::kVulnerable;
  return failure;
}

}  // namespace slipway::cli
