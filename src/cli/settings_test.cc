#include "cli/settings.h"

#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/settings_values.h"
#include "sys/testing/temp_dir.h"

namespace slipway::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SettingsTest : public testing::Test {
 protected:
  SettingsTest() {
    std::filesystem::create_directories(here_.path());
    environment_.working_dir = here_.path();
    environment_.variables["HOME"] = home_.path();
  }

  static GivenSetting flag(const std::string& key, const std::string& value) {
    return {key, value, {Origin::Kind::kFlag, "--" + key}};
  }
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
  }
  Result<LoadedSettings> load(const std::vector<GivenSetting>& flags = {},
                              const std::optional<std::string>& file = {}) {
    return load_settings(environment_, flags, file, rules_);
  }
  std::string error(const std::vector<GivenSetting>& flags = {}, const std::optional<std::string>& file = {}) {
    auto loaded = load(flags, file);
    return loaded ? "no error" : loaded.error().describe();
  }
  static std::string origin(const LoadedSettings& loaded, const std::string& key) {
    const auto found = std::ranges::find(loaded.effective, key, &EffectiveSetting::key);
    return found == loaded.effective.end() ? "not there" : found->origin.describe();
  }

  sys::TempDir here_;
  sys::TempDir home_;
  Environment environment_;
  SettingRules rules_;
};

TEST_F(SettingsTest, DefaultsAreThoseOfTheSpecification) {
  const auto loaded = load().value();
  const auto& s = loaded.settings;
  EXPECT_EQ(s.state_dir, home_.path() + "/.local/state/slipway");
  EXPECT_EQ(s.sqlite_path, s.state_dir / "catalog.db");
  EXPECT_EQ(s.fsm_db_path, s.state_dir / "fsm.db");
  EXPECT_EQ(s.download_dir, s.state_dir / "images");
  EXPECT_EQ(s.s3_bucket, "");
  EXPECT_EQ(s.s3_region, "us-east-1");
  EXPECT_EQ(s.s3_prefix, "images/");
  EXPECT_EQ(s.max_image_size, 10ULL << 30);
  EXPECT_EQ(s.max_file_size, 1ULL << 30);
  EXPECT_EQ(s.max_total_size, 10ULL << 30);
  EXPECT_EQ(s.max_files, 100'000U);
  EXPECT_EQ(s.max_compression_ratio, 100U);
  EXPECT_EQ(s.policy, "standard");
  EXPECT_EQ(s.scan_engine, "builtin");
  EXPECT_EQ(s.scan_block, "HIGH");
  EXPECT_EQ(s.volume_backend, "auto");
  EXPECT_EQ(s.dm_pool_name, "slipway-pool");
  EXPECT_EQ(s.dm_meta_size, 16ULL << 20);
  EXPECT_EQ(s.dm_data_size, 20ULL << 30);
  EXPECT_EQ(s.device_size, 10ULL << 30);
  EXPECT_EQ(s.queue_downloads, 5U);
  EXPECT_EQ(s.queue_unpacking, 2U);
  EXPECT_EQ(s.download_timeout, std::chrono::minutes(5));
  EXPECT_EQ(s.download_stall, std::chrono::seconds(30));
  for (const auto& setting : loaded.effective) EXPECT_EQ(setting.origin.describe(), "default") << setting.key;
  EXPECT_EQ(loaded.effective.size(), setting_specs().size());
}

TEST_F(SettingsTest, TheFeedsHaveTheirOwn) {
  const auto s = load()->settings;
  EXPECT_EQ(s.feeds_db_path, s.state_dir / "feeds.db");
  EXPECT_EQ(s.feeds_cache_dir, s.state_dir / "feeds");
  EXPECT_EQ(s.feeds_permits, 10U);
  EXPECT_EQ(s.feeds_max_age, std::chrono::hours(7 * 24));
  EXPECT_EQ(s.feeds_interval, std::chrono::hours(24));
  EXPECT_TRUE(s.feeds_pressure);
  EXPECT_EQ(s.feed_cve_source, "");
  environment_.variables["SLIPWAY_FEED_CWE_SOURCE"] = "https://a/x.xml|/srv/x.xml https://a/y.xml";
  EXPECT_EQ(load()->settings.feed_cwe_source, "https://a/x.xml|/srv/x.xml https://a/y.xml");
  EXPECT_EQ(load({flag("feeds_interval", "never")})->settings.feeds_interval, std::chrono::milliseconds(0));
  EXPECT_EQ(load({flag("feeds_interval", "0")})->settings.feeds_interval, std::chrono::milliseconds(0));
  EXPECT_FALSE(load({flag("feeds_max_age", "never")}));
  EXPECT_FALSE(load({flag("feeds_permits", "0")}));
}

TEST_F(SettingsTest, ASecretIsTakenAndNeverShown) {
  environment_.variables["SLIPWAY_FEED_CVE_API_KEY"] = "s3cret";
  const auto loaded = load();
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->settings.feed_cve_api_key, "s3cret");
  const auto shown = std::ranges::find(loaded->effective, "feed_cve_api_key", &EffectiveSetting::key);
  EXPECT_EQ(shown->value, "***");
  EXPECT_EQ(shown->origin.describe(), "SLIPWAY_FEED_CVE_API_KEY");
  environment_.variables["SLIPWAY_FEED_CVE_API_KEY"] = "s3cret\n";
  EXPECT_THAT(error(), AllOf(HasSubstr("feed_cve_api_key"), testing::Not(HasSubstr("s3cret"))));
}

TEST_F(SettingsTest, RootKeepsItsStateInVarLib) {
  environment_.root = true;
  EXPECT_EQ(load()->settings.state_dir, "/var/lib/slipway");
}

TEST_F(SettingsTest, StateFollowsXdgUnlessItIsRelative) {
  environment_.variables["XDG_STATE_HOME"] = "/xdg/state";
  EXPECT_EQ(load()->settings.state_dir, "/xdg/state/slipway");
  environment_.variables["XDG_STATE_HOME"] = "relative";
  EXPECT_EQ(load()->settings.state_dir, home_.path() + "/.local/state/slipway");
}

TEST_F(SettingsTest, WithoutAHomeTheStateFolderMustBeGiven) {
  environment_.variables.erase("HOME");
  EXPECT_THAT(error(), AllOf(HasSubstr("no place for state"), HasSubstr("--state-dir")));
  EXPECT_EQ(load({flag("state_dir", "/s")})->settings.sqlite_path, "/s/catalog.db");
}

TEST_F(SettingsTest, FlagsWinOverEnvironmentOverFileOverDefault) {
  write(here_.file("slipway.yaml"), "s3_bucket: file\ns3_region: file\nmax_files: 7\n");
  environment_.variables["SLIPWAY_S3_BUCKET"] = "variable";
  environment_.variables["SLIPWAY_S3_REGION"] = "variable";
  const auto loaded = load({flag("s3_bucket", "flag")}).value();
  EXPECT_EQ(loaded.settings.s3_bucket, "flag");
  EXPECT_EQ(loaded.settings.s3_region, "variable");
  EXPECT_EQ(loaded.settings.max_files, 7U);
  EXPECT_EQ(origin(loaded, "s3_bucket"), "flag --s3_bucket");
  EXPECT_EQ(origin(loaded, "s3_region"), "SLIPWAY_S3_REGION");
  EXPECT_EQ(origin(loaded, "max_files"), here_.file("slipway.yaml") + ":3:12");
  EXPECT_EQ(origin(loaded, "policy"), "default");
  EXPECT_THAT(loaded.files, ElementsAre(here_.file("slipway.yaml")));
}

TEST_F(SettingsTest, TheFirstFileFoundIsTheOneThatCounts) {
  const auto far = home_.file(".config/slipway/slipway.yaml");
  write(far, "s3_bucket: far\ns3_region: far\n");
  EXPECT_EQ(load()->settings.s3_bucket, "far");
  environment_.variables["XDG_CONFIG_HOME"] = home_.file("elsewhere");
  write(home_.file("elsewhere/slipway/slipway.yaml"), "s3_bucket: elsewhere\n");
  EXPECT_EQ(load()->settings.s3_bucket, "elsewhere");
  write(here_.file("slipway.yaml"), "s3_bucket: near\n");
  EXPECT_EQ(load()->settings.s3_bucket, "near");
  EXPECT_EQ(load()->settings.s3_region, "us-east-1");
  environment_.variables["SLIPWAY_CONFIG"] = far;
  EXPECT_EQ(load()->settings.s3_bucket, "far");
  write(here_.file("named.yaml"), "s3_bucket: named\n");
  EXPECT_EQ(load({}, "named.yaml")->settings.s3_bucket, "named");
}

TEST_F(SettingsTest, AFolderIsOneBucketHoweverItsEndIsWritten) {
  EXPECT_EQ(load({flag("s3_bucket", "file:///a/b//")})->settings.s3_bucket, "file:///a/b");
  EXPECT_EQ(load({flag("s3_bucket", "file:///")})->settings.s3_bucket, "file:///");
}

TEST_F(SettingsTest, ANamedFileMustBeThere) {
  EXPECT_THAT(error({}, "missing.yaml"), HasSubstr(here_.file("missing.yaml")));
}

TEST_F(SettingsTest, UnknownKeysAreErrorsWithTheNearestName) {
  EXPECT_THAT(error({flag("s3_bukcet", "x")}),
              AllOf(HasSubstr("there is no setting s3_bukcet"), HasSubstr("did you mean s3_bucket?")));
  environment_.variables["SLIPWAY_MAX_FILE"] = "3";
  EXPECT_THAT(error(), AllOf(HasSubstr("SLIPWAY_MAX_FILE"), HasSubstr("did you mean max_files?")));
  environment_.variables.erase("SLIPWAY_MAX_FILE");
  write(here_.file("slipway.yaml"), "policy: strict\n  \nregion: x\n");
  EXPECT_THAT(error(), HasSubstr("slipway.yaml:3:9: there is no setting region"));
}

TEST_F(SettingsTest, VariablesOfTheTestsAreNoSettings) {
  for (const auto* name : {"SLIPWAY_FAULT", "SLIPWAY_LONG", "SLIPWAY_SEED", "SLIPWAY_DATA", "SLIPWAY_VM"})
    environment_.variables[name] = "1";
  EXPECT_TRUE(load());
}

TEST_F(SettingsTest, BadValuesNameKeyValueAndPlace) {
  environment_.variables["SLIPWAY_MAX_FILES"] = "-5";
  EXPECT_THAT(error(), AllOf(HasSubstr("SLIPWAY_MAX_FILES: max_files cannot be \"-5\""), HasSubstr("digits")));
  environment_.variables.erase("SLIPWAY_MAX_FILES");
  write(here_.file("slipway.yaml"), "# sizes\ndevice_size: 10XB\n");
  EXPECT_THAT(error(), HasSubstr("slipway.yaml:2:14: device_size cannot be \"10XB\""));
}

TEST_F(SettingsTest, ABadValueIsAnErrorEvenWhereABetterSourceHidesIt) {
  write(here_.file("slipway.yaml"), "max_files: many\n");
  EXPECT_THAT(error({flag("max_files", "3")}), HasSubstr("cannot be \"many\""));
}

TEST_F(SettingsTest, ValuesMustBeInTheirRangeAndOfTheirKind) {
  EXPECT_THAT(error({flag("queue_downloads", "0")}), HasSubstr("at least 1"));
  EXPECT_THAT(error({flag("queue_downloads", "1001")}), HasSubstr("at most 1000"));
  EXPECT_THAT(error({flag("dm_meta_size", "1M")}), HasSubstr("at least 2MiB"));
  EXPECT_THAT(error({flag("download_stall", "0")}), HasSubstr("at least 1s"));
  EXPECT_THAT(error({flag("policy", "strickt")}),
              AllOf(HasSubstr("standard, strict"), HasSubstr("did you mean strict?")));
  EXPECT_THAT(error({flag("dm_pool_name", "a/b")}), HasSubstr("pool name"));
  EXPECT_THAT(error({flag("s3_endpoint", "storage.example")}), HasSubstr("https://"));
  EXPECT_THAT(error({flag("s3_endpoint", "https://a.example?x")}), HasSubstr("query"));
  EXPECT_THAT(error({flag("s3_endpoint", "https://me@a.example")}), HasSubstr("user"));
  EXPECT_THAT(error({flag("s3_endpoint", "http://:80")}), HasSubstr("host"));
  EXPECT_THAT(error({flag("s3_endpoint", "http://a.example:port")}), HasSubstr("port"));
  EXPECT_THAT(error({flag("s3_region", "Frankfurt")}), HasSubstr("lower-case"));
  EXPECT_THAT(error({flag("s3_region", "eu_1")}), HasSubstr("lower-case"));
  EXPECT_THAT(error({flag("s3_bucket", "a b")}), HasSubstr("without spaces"));
  EXPECT_THAT(error({flag("s3_prefix", std::string("a\nb"))}), AllOf(HasSubstr("a\\x0ab"), HasSubstr("control")));
  EXPECT_THAT(error({flag("s3_anonymous", "perhaps")}), HasSubstr("true or false"));
  EXPECT_EQ(load({flag("scan_block", "critical")})->settings.scan_block, "CRITICAL");
}

TEST_F(SettingsTest, EveryEffectiveValueCanBeWrittenBack) {
  auto first = load({flag("max_file_size", "1500"), flag("download_timeout", "90s"), flag("s3_anonymous", "yes"),
                     flag("state_dir", "/x")})
                   .value();
  std::vector<GivenSetting> again;
  for (const auto& setting : first.effective) again.push_back(flag(setting.key, setting.value));
  const auto second = load(again).value();
  ASSERT_EQ(first.effective.size(), second.effective.size());
  for (std::size_t i = 0; i < first.effective.size(); ++i)
    EXPECT_EQ(first.effective[i].value, second.effective[i].value);
  EXPECT_EQ(second.settings.download_timeout, std::chrono::seconds(90));
}

TEST_F(SettingsTest, RelativePathsBeginWhereTheyAreWritten) {
  write(home_.file("conf/own.yaml"), "sqlite_path: db/c.db\ndownload_dir: ~/images\n");
  environment_.variables["SLIPWAY_FSM_DB_PATH"] = "runs.db";
  const auto s = load({}, home_.file("conf/own.yaml"))->settings;
  EXPECT_EQ(s.sqlite_path, home_.file("conf/db/c.db"));
  EXPECT_EQ(s.download_dir, home_.file("images"));
  EXPECT_EQ(s.fsm_db_path, here_.file("runs.db"));
}

TEST_F(SettingsTest, OlderSpellingsChooseEngineAndBackend) {
  EXPECT_EQ(load({flag("trivy_enabled", "true")})->settings.scan_engine, "trivy");
  EXPECT_EQ(load({flag("trivy_enabled", "false")})->settings.scan_engine, "off");
  EXPECT_EQ(load({flag("dm_enabled", "true")})->settings.volume_backend, "thin");
  EXPECT_EQ(load({flag("dm_enabled", "false")})->settings.volume_backend, "file");
  EXPECT_THAT(error({flag("dm_enabled", "thin")}), HasSubstr("dm_enabled cannot be \"thin\""));
}

TEST_F(SettingsTest, TrivyOffDoesNotTouchAnEngineThatIsSet) {
  write(here_.file("slipway.yaml"), "scan_engine: builtin\ntrivy_enabled: false\n");
  EXPECT_EQ(load()->settings.scan_engine, "builtin");
  EXPECT_EQ(load({flag("trivy_enabled", "false")})->settings.scan_engine, "builtin");
  EXPECT_EQ(origin(load({flag("trivy_enabled", "false")}).value(), "scan_engine"),
            here_.file("slipway.yaml") + ":1:14");
}

TEST_F(SettingsTest, ASourceThatContradictsItselfIsRefused) {
  write(here_.file("slipway.yaml"), "volume_backend: file\ndm_enabled: true\n");
  EXPECT_THAT(error(), AllOf(HasSubstr("contradict"), HasSubstr("volume_backend"), HasSubstr("dm_enabled")));
}

TEST_F(SettingsTest, PolicyOverridesAreKeptByNameAndCheckedByTheHook) {
  environment_.variables["SLIPWAY_POLICY_SETUID"] = "refuse";
  EXPECT_EQ(load()->settings.policy_overrides, (std::map<std::string, std::string>{{"setuid", "refuse"}}));
  rules_.check_policy = [](std::string_view name, std::string_view value) -> Result<> {
    if (name == "setuid" && value == "allow") return {};
    return fail(ErrorKind::kInvalid, "it is allow");
  };
  EXPECT_THAT(error(),
              AllOf(HasSubstr("SLIPWAY_POLICY_SETUID"), HasSubstr("policy_setuid cannot be \"refuse\": it is allow")));
  environment_.variables["SLIPWAY_POLICY_SETUID"] = "allow";
  EXPECT_EQ(load()->settings.policy_overrides.at("setuid"), "allow");
}

TEST_F(SettingsTest, AsFlyioMachineBothNamesAreReadAndTheOwnWins) {
  environment_.variables["FLYIO_S3_BUCKET"] = "theirs";
  environment_.variables["FLYIO_S3_REGION"] = "eu-1";
  EXPECT_EQ(load()->settings.s3_bucket, "");  // not under the own name
  environment_.program = "flyio-machine";
  auto loaded = load().value();
  EXPECT_EQ(loaded.settings.s3_bucket, "theirs");
  EXPECT_THAT(loaded.warnings, IsEmpty());
  environment_.variables["SLIPWAY_S3_BUCKET"] = "ours";
  loaded = load().value();
  EXPECT_EQ(loaded.settings.s3_bucket, "ours");
  EXPECT_EQ(loaded.settings.s3_region, "eu-1");
  EXPECT_THAT(loaded.warnings, ElementsAre(AllOf(HasSubstr("SLIPWAY_S3_BUCKET"), HasSubstr("FLYIO_S3_BUCKET"))));
  environment_.variables["FLYIO_NONSENSE"] = "1";
  EXPECT_THAT(error(), HasSubstr("FLYIO_NONSENSE"));
}

TEST_F(SettingsTest, AsFlyioMachineBothFilesAreReadAndTheOwnWins) {
  environment_.program = "flyio-machine";
  write(here_.file("flyio-machine.yaml"), "s3_bucket: theirs\nmax_files: 3\n");
  EXPECT_EQ(load()->settings.s3_bucket, "theirs");
  write(here_.file("slipway.yaml"), "s3_bucket: ours\n");
  const auto loaded = load().value();
  EXPECT_EQ(loaded.settings.s3_bucket, "ours");
  EXPECT_EQ(loaded.settings.max_files, 3U);
  EXPECT_EQ(loaded.warnings.size(), 1U);
  EXPECT_EQ(loaded.files.size(), 2U);
}

TEST_F(SettingsTest, TheBucketIsAskedForOnlyWhenItIsNeeded) {
  auto settings = load()->settings;
  auto missing = require_bucket(settings);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().hint(),
              AllOf(HasSubstr("--s3-bucket"), HasSubstr("SLIPWAY_S3_BUCKET"), HasSubstr("slipway.yaml")));
  settings.s3_bucket = "b";
  EXPECT_EQ(require_bucket(settings).value(), "b");
}

TEST(SettingSpecs, NamesAreUniqueAndLeadToFlagsAndVariables) {
  std::vector<std::string> names;
  for (const auto& spec : setting_specs()) {
    names.push_back(spec.name);
    EXPECT_FALSE(spec.help.empty()) << spec.name;
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  EXPECT_EQ(setting_specs().front().name, "state_dir");  // the paths below it come after it
  const auto specs = setting_specs();
  const auto bucket = std::ranges::find(specs, "s3_bucket", &SettingSpec::name);
  EXPECT_EQ(bucket->flag(), "--s3-bucket");
  EXPECT_EQ(bucket->variable(), "SLIPWAY_S3_BUCKET");
}

}  // namespace
}  // namespace slipway::cli
