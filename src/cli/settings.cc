#include "cli/settings.h"

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>

#include "cli/settings_values.h"
#include "cli/settings_yaml.h"
#include "cli/suggest.h"
#include "cli/text.h"
#include "cli/units.h"

namespace slipway::cli {
namespace {

constexpr std::string_view kOwnPrefix = "SLIPWAY_";
constexpr std::string_view kOtherProgram = "flyio-machine";
constexpr std::string_view kOtherPrefix = "FLYIO_";
constexpr std::string_view kPolicyPrefix = "policy_";

// SLIPWAY_ variables that are no settings: CONFIG names the file, the others steer tests (docs/developing.md).
constexpr std::array<std::string_view, 6> kNoSettings{"CONFIG", "FAULT", "LONG", "SEED", "DATA", "VM"};

// What one source says of one setting, older spellings translated.
struct Candidate {
  std::string value;
  GivenSetting given;
  bool weak = false;
};
using Candidates = std::map<std::string, Candidate>;

const SettingSpec* find_spec(std::string_view name) {
  const auto specs = setting_specs();
  const auto found = std::ranges::find(specs, name, &SettingSpec::name);
  return found == specs.end() ? nullptr : &*found;
}

const OlderSpelling* find_older(std::string_view name) {
  const auto all = older_spellings();
  const auto found = std::ranges::find(all, name, &OlderSpelling::name);
  return found == all.end() ? nullptr : &*found;
}

bool is_policy_override(std::string_view key) {
  return key.starts_with(kPolicyPrefix) && key.size() > kPolicyPrefix.size();
}

Error unknown_key(const GivenSetting& given) {
  std::vector<std::string> known;
  for (const auto& spec : setting_specs()) known.push_back(spec.name);
  for (const auto& older : older_spellings()) known.push_back(older.name);
  const auto near = nearest(given.key, known);
  return Error(ErrorKind::kInvalid,
               fmt::format("{}: there is no setting {}", given.origin.describe(), printable(given.key)))
      .with_hint(near ? fmt::format("did you mean {}?", *near) : "`slipway config` lists the settings");
}

Error bad_value(const GivenSetting& given, const Error& why) {
  const auto* spec = find_spec(given.key);
  const auto value = spec != nullptr && spec->secret ? "***" : printable(given.value);
  return Error(ErrorKind::kInvalid, fmt::format("{}: {} cannot be \"{}\": {}", given.origin.describe(),
                                                printable(given.key), value, why.message()))
      .with_hint(why.hint());
}

class Loader {
 public:
  Loader(const Environment& environment, const SettingRules& rules)
      : environment_(environment),
        rules_(rules),
        home_(environment.get_filled("HOME").value_or("")),
        other_names_(environment.program == kOtherProgram) {}

  Result<> add_flags(std::span<const GivenSetting> flags) {
    Candidates source;
    for (const auto& flag : flags) {
      if (auto taken = take(source, flag, Repeated::kLastWins); !taken) return taken;
    }
    merge(source);
    return {};
  }

  Result<> add_environment() {
    Candidates own;
    if (auto read = read_variables(own, kOwnPrefix); !read) return read;
    if (other_names_) {
      Candidates other;
      if (auto read = read_variables(other, kOtherPrefix); !read) return read;
      prefer(own, other);
    }
    merge(own);
    return {};
  }

  Result<> add_files(const std::optional<std::string>& config_file);
  Result<LoadedSettings> finish() &&;

 private:
  enum class Repeated : bool { kLastWins, kMustAgree };

  Result<> take(Candidates& source, const GivenSetting& given, Repeated repeated);
  Result<> check(const GivenSetting& given, const std::string& key, const std::string& value) const;
  Result<> read_variables(Candidates& source, std::string_view prefix);
  Result<bool> add_file(Candidates& source, const std::filesystem::path& path, bool must_exist);
  Result<bool> add_folder(const std::filesystem::path& folder);
  void prefer(Candidates& own, const Candidates& other);
  void merge(const Candidates& source);
  [[nodiscard]] std::filesystem::path base_of(const Origin& origin) const;
  [[nodiscard]] Result<std::filesystem::path> default_state_dir() const;
  Result<> assign(LoadedSettings& loaded, const SettingSpec& spec);

  const Environment& environment_;
  const SettingRules& rules_;
  std::string home_;
  bool other_names_;
  Candidates chosen_;
  std::vector<std::string> warnings_;
  std::vector<std::string> files_;
};

std::filesystem::path Loader::base_of(const Origin& origin) const {
  if (origin.kind != Origin::Kind::kFile) return environment_.working_dir;
  return std::filesystem::path(origin.name).parent_path();
}

Result<> Loader::check(const GivenSetting& given, const std::string& key, const std::string& value) const {
  const auto* spec = find_spec(key);
  if (spec == nullptr) {
    if (!rules_.check_policy) return {};
    auto good = rules_.check_policy(std::string_view(key).substr(kPolicyPrefix.size()), value);
    if (!good) return fail(bad_value(given, good.error()));
    return {};
  }
  Settings scratch;
  auto good = assign_setting(scratch, *spec, value, base_of(given.origin), home_);
  if (!good) return fail(bad_value(given, good.error()));
  return {};
}

Result<> Loader::take(Candidates& source, const GivenSetting& given, Repeated repeated) {
  Candidate candidate{given.value, given};
  std::string key = given.key;
  if (const auto* older = find_older(key)) {
    const auto value = parse_bool(given.value);
    if (!value) return fail(bad_value(given, value.error()));
    key = older->stands_for;
    candidate.value = *value ? older->when_true : older->when_false;
    candidate.weak = !*value && older->false_is_weak;
  } else if (find_spec(key) == nullptr && !is_policy_override(key)) {
    return fail(unknown_key(given));
  }
  if (auto good = check(given, key, candidate.value); !good) return good;

  const auto [there, fresh] = source.try_emplace(key, candidate);
  if (fresh) return {};
  if (there->second.weak != candidate.weak) {
    if (there->second.weak) there->second = std::move(candidate);
    return {};
  }
  if (repeated == Repeated::kMustAgree && there->second.value != candidate.value) {
    const auto& first = there->second.given;
    return fail(Error(ErrorKind::kInvalid, fmt::format("{} and {} contradict each other ({}, {})", first.key, given.key,
                                                       first.origin.describe(), given.origin.describe()))
                    .with_hint(fmt::format("keep {} only", key)));
  }
  there->second = std::move(candidate);
  return {};
}

Result<> Loader::read_variables(Candidates& source, std::string_view prefix) {
  for (const auto& [name, value] : environment_.variables) {
    if (!name.starts_with(prefix)) continue;
    std::string key = name.substr(prefix.size());
    if (std::ranges::find(kNoSettings, key) != kNoSettings.end()) continue;
    std::ranges::transform(key, key.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    auto taken = take(source, {key, value, {Origin::Kind::kVariable, name}}, Repeated::kMustAgree);
    if (!taken) return taken;
  }
  return {};
}

Result<bool> Loader::add_file(Candidates& source, const std::filesystem::path& path, bool must_exist) {
  std::error_code unknown;
  if (!must_exist && !std::filesystem::exists(path, unknown) && !unknown) return false;
  auto given = read_settings_file(path);
  if (!given && given.error().kind() == ErrorKind::kNotFound) {  // somebody named it
    return fail(ErrorKind::kInvalid, "{}", given.error().message());
  }
  if (!given) return fail(std::move(given.error()));
  for (const auto& setting : *given) {
    if (auto taken = take(source, setting, Repeated::kMustAgree); !taken) return fail(std::move(taken.error()));
  }
  files_.push_back(path.string());
  return true;
}

// Whether there was a file.
Result<bool> Loader::add_folder(const std::filesystem::path& folder) {
  Candidates own;
  auto found = add_file(own, folder / "slipway.yaml", /*must_exist=*/false);
  if (!found) return found;
  if (other_names_) {
    Candidates other;
    auto found_other = add_file(other, folder / "flyio-machine.yaml", /*must_exist=*/false);
    if (!found_other) return found_other;
    *found = *found || *found_other;
    prefer(own, other);
  }
  merge(own);
  return found;
}

Result<> Loader::add_files(const std::optional<std::string>& config_file) {
  auto named = config_file;
  if (!named) named = environment_.get_filled("SLIPWAY_CONFIG");
  if (!named && other_names_) named = environment_.get_filled("FLYIO_CONFIG");
  if (named) {
    Candidates source;
    auto read = add_file(source, (environment_.working_dir / *named).lexically_normal(), /*must_exist=*/true);
    if (!read) return fail(std::move(read.error()));
    merge(source);
    return {};
  }
  auto here = add_folder(environment_.working_dir);
  if (!here) return fail(std::move(here.error()));
  if (*here) return {};

  // XDG: a relative folder is to be ignored.
  std::filesystem::path config = environment_.get_filled("XDG_CONFIG_HOME").value_or("");
  if (!config.is_absolute()) config = home_.empty() ? "" : std::filesystem::path(home_) / ".config";
  if (config.empty()) return {};
  auto there = add_folder(config / "slipway");
  if (!there) return fail(std::move(there.error()));
  return {};
}

void Loader::prefer(Candidates& own, const Candidates& other) {
  for (const auto& [key, candidate] : other) {
    const auto [there, fresh] = own.try_emplace(key, candidate);
    if (fresh || there->second.value == candidate.value) continue;
    if (there->second.weak && !candidate.weak) {
      there->second = candidate;
      continue;
    }
    warnings_.push_back(fmt::format("{} is taken from {}; {} says otherwise", key,
                                    there->second.given.origin.describe(), candidate.given.origin.describe()));
  }
}

void Loader::merge(const Candidates& source) {
  for (const auto& [key, candidate] : source) {
    const auto [there, fresh] = chosen_.try_emplace(key, candidate);
    if (!fresh && there->second.weak && !candidate.weak) there->second = candidate;
  }
}

Result<std::filesystem::path> Loader::default_state_dir() const {
  if (environment_.root) return "/var/lib/slipway";
  std::filesystem::path state = environment_.get_filled("XDG_STATE_HOME").value_or("");
  if (!state.is_absolute()) state = home_.empty() ? "" : std::filesystem::path(home_) / ".local/state";
  if (!state.is_absolute()) {
    return fail(Error(ErrorKind::kInvalid, "there is no place for state: neither HOME nor XDG_STATE_HOME is set")
                    .with_hint("give a folder with --state-dir or SLIPWAY_STATE_DIR"));
  }
  return state / "slipway";
}

// A folder with and without a slash at its end is one bucket.
std::string one_spelling(const SettingSpec& spec, std::string value) {
  constexpr std::string_view kRoot = "file:///";
  if (spec.name != "s3_bucket" || !value.starts_with(kRoot)) return value;
  while (value.size() > kRoot.size() && value.back() == '/') value.pop_back();
  return value;
}

Result<> Loader::assign(LoadedSettings& loaded, const SettingSpec& spec) {
  const auto found = chosen_.find(spec.name);
  // An empty path is one that is not set.
  const bool given = found != chosen_.end() && (spec.kind != SettingKind::kPath || !found->second.value.empty());
  if (given) {
    const auto& from = found->second;
    const auto value = one_spelling(spec, from.value);
    auto good = assign_setting(loaded.settings, spec, value, base_of(from.given.origin), home_);
    if (!good) return fail(bad_value(from.given, good.error()));
  } else if (spec.kind != SettingKind::kPath) {
    if (auto good = assign_setting(loaded.settings, spec, spec.fallback, {}, home_); !good) return good;
  } else if (spec.name == "state_dir") {
    auto state = default_state_dir();
    if (!state) return fail(std::move(state.error()));
    loaded.settings.state_dir = std::move(*state);
  } else if (!spec.fallback.empty()) {
    auto& member = loaded.settings.*std::get<std::filesystem::path Settings::*>(spec.member);
    member = loaded.settings.state_dir / spec.fallback;  // state_dir stands first in the table
  }
  auto shown = setting_text(loaded.settings, spec);
  if (spec.secret && !shown.empty()) shown = "***";
  loaded.effective.push_back({spec.name, &spec, std::move(shown), given ? found->second.given.origin : Origin{}});
  return {};
}

Result<LoadedSettings> Loader::finish() && {
  LoadedSettings loaded;
  for (const auto& spec : setting_specs()) {
    if (auto assigned = assign(loaded, spec); !assigned) return fail(std::move(assigned.error()));
  }
  for (const auto& [key, candidate] : chosen_) {
    if (find_spec(key) != nullptr) continue;
    loaded.settings.policy_overrides.emplace(key.substr(kPolicyPrefix.size()), candidate.value);
    loaded.effective.push_back({key, nullptr, candidate.value, candidate.given.origin});
  }
  loaded.warnings = std::move(warnings_);
  loaded.files = std::move(files_);
  return loaded;
}

}  // namespace

std::string_view to_string(Origin::Kind kind) {
  switch (kind) {
    case Origin::Kind::kDefault: return "default";
    case Origin::Kind::kFile: return "file";
    case Origin::Kind::kVariable: return "environment";
    case Origin::Kind::kFlag: return "flag";
  }
  return "default";
}

std::string Origin::describe() const {
  switch (kind) {
    case Kind::kDefault: return "default";
    case Kind::kFile: return fmt::format("{}:{}:{}", printable(name), line, column);
    case Kind::kVariable: return printable(name);
    case Kind::kFlag: return "flag " + name;
  }
  return "default";
}

Result<LoadedSettings> load_settings(const Environment& environment, std::span<const GivenSetting> flags,
                                     const std::optional<std::string>& config_file, const SettingRules& rules) {
  Loader loader(environment, rules);
  if (auto added = loader.add_flags(flags); !added) return fail(std::move(added.error()));
  if (auto added = loader.add_environment(); !added) return fail(std::move(added.error()));
  if (auto added = loader.add_files(config_file); !added) return fail(std::move(added.error()));
  return std::move(loader).finish();
}

Result<std::string> require_bucket(const Settings& settings) {
  if (!settings.s3_bucket.empty()) return settings.s3_bucket;
  return fail(Error(ErrorKind::kInvalid, "no bucket is set")
                  .with_hint("give it with --s3-bucket NAME, SLIPWAY_S3_BUCKET, or s3_bucket: NAME in slipway.yaml; "
                             "file:///PATH takes a folder as the bucket"));
}

}  // namespace slipway::cli
