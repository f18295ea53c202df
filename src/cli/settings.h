// The settings of the program: what there is to set, from where, and what it comes to.
//
// There is one table (setting_specs). From it come the flags (--s3-bucket), the environment variables
// (SLIPWAY_S3_BUCKET), the keys of slipway.yaml (s3_bucket), `slipway config`, the man page and the completion. A new
// setting is a member of Settings and a line of the table (settings_table.cc).
//
// A value is taken from the first source that has it:
//   1. flags                --s3-bucket NAME, or --set s3_bucket=NAME
//   2. the environment      SLIPWAY_S3_BUCKET
//   3. one file             --config FILE, or $SLIPWAY_CONFIG, or the first that is there of ./slipway.yaml and
//                           $XDG_CONFIG_HOME/slipway/slipway.yaml (~/.config when that is not set)
//   4. the default
// Run as flyio-machine, FLYIO_* variables and a flyio-machine.yaml in the same folder as slipway.yaml (or where it
// would be) count too. Within one source the own name wins; when the two disagree, that is a warning.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "cli/environment.h"

namespace slipway::cli {

struct Settings {
  std::filesystem::path state_dir{};
  std::filesystem::path sqlite_path{};
  std::filesystem::path fsm_db_path{};
  std::filesystem::path download_dir{};

  std::string s3_bucket{};  // empty: not set; see require_bucket()
  std::string s3_region{};
  std::string s3_prefix{};
  std::string s3_endpoint{};           // empty: AWS
  std::string s3_path_style{};         // auto, true, false
  std::filesystem::path s3_ca_file{};  // empty: the system's
  bool s3_anonymous = false;           // send no credentials, even where some are found
  bool s3_verify_etag = true;          // an ETag that looks like an MD5 is one
  std::chrono::milliseconds download_timeout{};
  std::chrono::milliseconds download_stall{};

  std::uint64_t max_image_size = 0;  // bytes; so all sizes
  std::uint64_t max_file_size = 0;
  std::uint64_t max_total_size = 0;
  std::uint64_t max_files = 0;
  std::uint64_t max_compression_ratio = 0;

  std::string policy{};  // standard, strict
  // policy_NAME: VALUE, by NAME. What names and values there are is known to the archive library (SettingRules).
  std::map<std::string, std::string> policy_overrides{};

  std::string scan_engine{};                 // builtin, trivy, off
  std::string scan_block{};                  // LOW, MEDIUM, HIGH, CRITICAL, never
  std::string scan_stale{};                  // warn, refuse
  std::filesystem::path scan_ignore_file{};  // empty: none
  std::filesystem::path scan_vex{};          // empty: none
  std::string volume_backend{};              // auto, thin, file
  std::filesystem::path volume_dir{};
  std::string dm_pool_name{};
  std::uint64_t dm_meta_size = 0;
  std::uint64_t dm_data_size = 0;
  bool dm_auto_create = false;
  std::uint64_t dm_min_free_data = 0;  // percent
  std::uint64_t dm_min_free_metadata = 0;
  std::uint64_t device_size = 0;

  std::uint64_t queue_downloads = 0;
  std::uint64_t queue_unpacking = 0;

  std::filesystem::path feeds_db_path{};
  std::filesystem::path feeds_cache_dir{};
  std::uint64_t feeds_permits = 0;
  std::chrono::milliseconds feeds_max_age{};   // data that is older is an alarm
  std::chrono::milliseconds feeds_interval{};  // of the worker; 0: it leaves the feeds alone
  bool feeds_pressure = false;                 // permits are withheld while the machine is under pressure
  // Where each provider's data is: parts separated by blanks, mirrors of one part by '|'. Empty: at its publisher's.
  std::string feed_cve_source{};
  std::string feed_cwe_source{};
  std::string feed_capec_source{};
  std::string feed_attack_source{};
  std::string feed_ssg_source{};
  std::string feed_asvs_source{};
  std::string feed_cce_source{};
  std::string feed_osv_source{};
  std::string feed_debian_source{};
  std::string feed_alpine_source{};
  std::string feed_cve_api_key{};

  std::string log_level{};  // debug, info, warn, error
  std::string color{};      // auto, always, never
};

enum class SettingKind : std::uint8_t { kText, kPath, kBool, kChoice, kCount, kSize, kDuration };

using SettingMember = std::variant<std::string Settings::*, std::filesystem::path Settings::*, bool Settings::*,
                                   std::uint64_t Settings::*, std::chrono::milliseconds Settings::*>;

struct SettingSpec {
  std::string name;  // s3_bucket
  SettingKind kind;
  SettingMember member;
  std::string fallback;                          // the default, as one would write it; a path is below the state folder
  std::string help;                              // a phrase
  std::vector<std::string> values{};             // of a kChoice
  std::uint64_t least = 0;                       // of numbers, bytes, milliseconds
  std::uint64_t most = INT64_MAX;                // the same
  std::string_view (*rule)(std::string_view){};  // of a text: the rule that it breaks; empty when it is good
  bool secret = false;                           // its value is never shown

  [[nodiscard]] std::string flag() const;         // --s3-bucket
  [[nodiscard]] std::string variable() const;     // SLIPWAY_S3_BUCKET
  [[nodiscard]] std::string placeholder() const;  // SIZE, for help
};

[[nodiscard]] std::span<const SettingSpec> setting_specs();

// The setting of a provider's source; null when there is no such provider.
[[nodiscard]] const SettingSpec* feed_source_spec(std::string_view provider);

// A name from before that stands for a value of another setting.
struct OlderSpelling {
  std::string name;  // trivy_enabled
  std::string stands_for;
  std::string when_true;
  std::string when_false;
  bool false_is_weak = false;  // false counts only where no source sets `stands_for`
  std::string help;

  [[nodiscard]] std::string flag() const;  // --trivy-enabled
};
[[nodiscard]] std::span<const OlderSpelling> older_spellings();

// Where a value came from.
struct Origin {
  enum class Kind : std::uint8_t { kDefault, kFile, kVariable, kFlag };
  Kind kind = Kind::kDefault;
  std::string name{};  // the flag, the variable, or the file's path
  int line = 0;        // in the file, from 1
  int column = 0;

  [[nodiscard]] std::string describe() const;  // "flag --policy", "SLIPWAY_POLICY", "/etc/x.yaml:3:9", "default"
};
[[nodiscard]] std::string_view to_string(Origin::Kind kind);  // "default", "file", "environment", "flag"

// A value as a source gave it.
struct GivenSetting {
  std::string key;  // a name of the table, policy_NAME, or an older spelling
  std::string value;
  Origin origin;
};

struct EffectiveSetting {
  std::string key;
  const SettingSpec* spec = nullptr;  // null: policy_NAME
  std::string value;                  // as one would write it; paths are absolute. Loading it again gives the same.
                                      // Of a secret that is set only that it is
  Origin origin;
};

struct LoadedSettings {
  Settings settings;
  std::vector<EffectiveSetting> effective;  // in the table's order, then the policy overrides
  std::vector<std::string> warnings;
  std::vector<std::string> files;  // that were read
};

// What other libraries know of settings.
struct SettingRules {
  // Whether the policy has a setting NAME (without "policy_") that may be VALUE; an error says what it may be. Without
  // one, every name and value is taken as it is.
  std::function<Result<>(std::string_view name, std::string_view value)> check_policy{};
};

// All sources together. An unknown key or a bad value is kInvalid: the message names the key, the value and where it
// came from, the hint a way out. `config_file` is that of --config.
[[nodiscard]] Result<LoadedSettings> load_settings(const Environment& environment, std::span<const GivenSetting> flags,
                                                   const std::optional<std::string>& config_file,
                                                   const SettingRules& rules = {});

// The bucket, for commands that need one: kInvalid with a hint of how to set it when it is not set.
[[nodiscard]] Result<std::string> require_bucket(const Settings& settings);

}  // namespace slipway::cli
