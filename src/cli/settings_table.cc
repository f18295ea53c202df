// The settings: each written once, here.
#include <algorithm>

#include "cli/settings.h"
#include "objects/s3_endpoint.h"
#include "volumes/thin/pool_setup.h"

namespace slipway::cli {
namespace {

bool has_control_bytes(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 0x7F; });
}

std::string_view no_control_bytes(std::string_view text) {
  return has_control_bytes(text) ? "it may not contain control characters" : "";
}

std::string_view bucket_rule(std::string_view text) {
  if (has_control_bytes(text) || text.find(' ') != std::string_view::npos) {
    return "a bucket is a name without spaces, or a folder as file:///PATH";
  }
  return "";
}

std::string_view pool_rule(std::string_view text) {
  return volumes::check_pool_name(std::string(text)) ? ""
                                                     : "a pool name has 1 to 64 letters, digits and +-.:=@_, does not "
                                                       "begin with a dot and does not end in -of";
}

std::string flag_of(const std::string& name) {
  std::string made = "--" + name;
  std::ranges::replace(made, '_', '-');
  return made;
}

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kSecond = 1000;
constexpr std::uint64_t kWeek = 7 * 24 * 3600 * kSecond;
constexpr std::uint64_t kLargest = INT64_MAX;

struct FeedSource {
  std::string_view id;
  std::string Settings::* source;
};
constexpr FeedSource kFeedSources[] = {
    {"cve", &Settings::feed_cve_source},       {"cwe", &Settings::feed_cwe_source},
    {"capec", &Settings::feed_capec_source},   {"attack", &Settings::feed_attack_source},
    {"ssg", &Settings::feed_ssg_source},       {"asvs", &Settings::feed_asvs_source},
    {"cce", &Settings::feed_cce_source},       {"osv", &Settings::feed_osv_source},
    {"debian", &Settings::feed_debian_source}, {"alpine", &Settings::feed_alpine_source},
};

std::string source_setting(std::string_view provider) { return fmt::format("feed_{}_source", provider); }

void add_feeds(std::vector<SettingSpec>& specs) {
  using enum SettingKind;
  using S = Settings;
  specs.insert(specs.end(),
               {{"feeds_db_path", kPath, &S::feeds_db_path, "feeds.db", "the feeds' database"},
                {"feeds_cache_dir", kPath, &S::feeds_cache_dir, "feeds", "folder of what the feeds have downloaded"},
                {"feeds_permits", kCount, &S::feeds_permits, "10", "how much the feeds do at once", {}, 1, 1000},
                {"feeds_max_age",
                 kDuration,
                 &S::feeds_max_age,
                 "7d",
                 "data of a feed that is older is an alarm",
                 {},
                 kSecond,
                 kLargest},
                {"feeds_interval", kDuration, &S::feeds_interval, "24h",
                 "how often the worker syncs the feeds; never: it does not"},
                {"feeds_pressure", kBool, &S::feeds_pressure, "true",
                 "let the feeds do less while the machine is under pressure"}});
  for (const auto& [id, source] : kFeedSources) {
    specs.push_back({source_setting(id),
                     kText,
                     source,
                     "",
                     fmt::format("source of the feed {}: URLs or files, mirrors separated by |", id),
                     {},
                     0,
                     kLargest,
                     no_control_bytes});
  }
  specs.push_back({"feed_cve_api_key",
                   kText,
                   &S::feed_cve_api_key,
                   "",
                   "key for the API of the NVD",
                   {},
                   0,
                   kLargest,
                   no_control_bytes,
                   /*secret=*/true});
}

std::vector<SettingSpec> make_specs() {  // NOLINT(readability-function-size): a table
  using enum SettingKind;
  using S = Settings;
  return {
      {"state_dir", kPath, &S::state_dir, "", "folder that everything is kept in"},
      {"sqlite_path", kPath, &S::sqlite_path, "catalog.db", "the catalog of images"},
      {"fsm_db_path", kPath, &S::fsm_db_path, "fsm.db", "the store of runs"},
      {"download_dir", kPath, &S::download_dir, "images", "folder of downloaded images"},
      {"volume_dir", kPath, &S::volume_dir, "volumes", "folder of devices, where they are files"},
      {"s3_bucket",
       kText,
       &S::s3_bucket,
       "",
       "bucket with the images, or a folder as file:///PATH",
       {},
       0,
       kLargest,
       bucket_rule},
      {"s3_region",
       kText,
       &S::s3_region,
       "us-east-1",
       "region of the bucket",
       {},
       0,
       kLargest,
       objects::broken_region_rule},
      {"s3_prefix",
       kText,
       &S::s3_prefix,
       "images/",
       "what the keys of images begin with",
       {},
       0,
       kLargest,
       no_control_bytes},
      {"s3_endpoint",
       kText,
       &S::s3_endpoint,
       "",
       "address of the object storage; AWS when empty",
       {},
       0,
       kLargest,
       objects::broken_endpoint_rule},
      {"s3_path_style",
       kChoice,
       &S::s3_path_style,
       "auto",
       "bucket in the path (true) or in the host name (false); auto: in the path where an endpoint is set",
       {"auto", "true", "false"}},
      {"s3_ca_file", kPath, &S::s3_ca_file, "",
       "PEM file of certificate authorities to trust; the system's when empty"},
      {"s3_anonymous", kBool, &S::s3_anonymous, "false", "send no credentials, even where some are found"},
      {"s3_verify_etag", kBool, &S::s3_verify_etag, "true",
       "take an ETag that looks like an MD5 for one; false where the server's are something else"},
      {"download_timeout", kDuration, &S::download_timeout, "5m", "time for one try of a download", {}, kSecond, kWeek},
      {"download_stall",
       kDuration,
       &S::download_stall,
       "30s",
       "a try without a byte for so long is ended",
       {},
       kSecond,
       kWeek},
      {"max_image_size", kSize, &S::max_image_size, "10GiB", "largest object that is downloaded", {}, 1},
      {"max_file_size", kSize, &S::max_file_size, "1GiB", "largest file in an image", {}, 1},
      {"max_total_size", kSize, &S::max_total_size, "10GiB", "all files of an image together", {}, 1},
      {"max_files", kCount, &S::max_files, "100000", "entries in an image", {}, 1},
      {"max_compression_ratio", kCount, &S::max_compression_ratio, "100", "unpacked size to packed size", {}, 1},
      {"policy", kChoice, &S::policy, "standard", "what an image may contain", {"standard", "strict"}},
      {"scan_engine",
       kChoice,
       &S::scan_engine,
       "builtin",
       "what looks for vulnerabilities",
       {"builtin", "trivy", "off"}},
      {"scan_block",
       kChoice,
       &S::scan_block,
       "HIGH",
       "least severity that blocks an image",
       {"LOW", "MEDIUM", "HIGH", "CRITICAL", "never"}},
      {"scan_stale",
       kChoice,
       &S::scan_stale,
       "warn",
       "advisories that are missing or older than feeds_max_age: a warning, or no scan",
       {"warn", "refuse"}},
      {"scan_ignore_file", kPath, &S::scan_ignore_file, "", "file of vulnerabilities that do not count"},
      {"scan_vex", kPath, &S::scan_vex, "", "OpenVEX document on what does not affect these images"},
      {"volume_backend",
       kChoice,
       &S::volume_backend,
       "auto",
       "kind of volumes; auto: thin where a pool is there, else file",
       {"auto", "thin", "file"}},
      {"dm_pool_name", kText, &S::dm_pool_name, "slipway-pool", "name of the thin pool", {}, 0, kLargest, pool_rule},
      {"dm_meta_size", kSize, &S::dm_meta_size, "16MiB", "metadata of a new pool", {}, 2 * kMiB, 16 * 1024 * kMiB},
      {"dm_data_size", kSize, &S::dm_data_size, "20GiB", "data of a new pool", {}, kMiB},
      {"dm_auto_create", kBool, &S::dm_auto_create, "false",
       "make the thin pool when it is first needed, with volume_backend thin"},
      {"dm_min_free_data",
       kCount,
       &S::dm_min_free_data,
       "5",
       "percent of a thin pool's data below which nothing is begun",
       {},
       0,
       100},
      {"dm_min_free_metadata", kCount, &S::dm_min_free_metadata, "5", "the same of its metadata", {}, 0, 100},
      {"device_size", kSize, &S::device_size, "10GiB", "size of an image's volume", {}, 8 * kMiB},
      {"queue_downloads", kCount, &S::queue_downloads, "5", "downloads at once", {}, 1, 1000},
      {"queue_unpacking", kCount, &S::queue_unpacking, "2", "images unpacked at once", {}, 1, 1000},
      {"log_level",
       kChoice,
       &S::log_level,
       "warn",
       "least level of log lines that are shown",
       {"debug", "info", "warn", "error"}},
      {"color",
       kChoice,
       &S::color,
       "auto",
       "colours; auto: on a terminal, unless NO_COLOR is set",
       {"auto", "always", "never"}},
  };
}

}  // namespace

std::span<const SettingSpec> setting_specs() {
  static const std::vector<SettingSpec> specs = [] {
    auto all = make_specs();
    add_feeds(all);
    return all;
  }();
  return specs;
}

const SettingSpec* feed_source_spec(std::string_view provider) {
  const auto specs = setting_specs();
  const auto found = std::ranges::find(specs, source_setting(provider), &SettingSpec::name);
  return found == specs.end() ? nullptr : &*found;
}

std::span<const OlderSpelling> older_spellings() {
  static const std::vector<OlderSpelling> spellings{
      {"trivy_enabled", "scan_engine", "trivy", "off", /*false_is_weak=*/true,
       "true: scan_engine trivy; false: scanning off where no engine is set"},
      {"dm_enabled", "volume_backend", "thin", "file", /*false_is_weak=*/false,
       "true: volume_backend thin; false: volume_backend file"},
  };
  return spellings;
}

std::string SettingSpec::flag() const { return flag_of(name); }
std::string OlderSpelling::flag() const { return flag_of(name); }

std::string SettingSpec::variable() const {
  std::string made = "SLIPWAY_" + name;
  std::ranges::transform(made, made.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return made;
}

std::string SettingSpec::placeholder() const {
  switch (kind) {
    case SettingKind::kText: return "TEXT";
    case SettingKind::kPath: return "PATH";
    case SettingKind::kBool: return "true|false";
    case SettingKind::kChoice: {
      std::string all;
      for (const auto& value : values) all += (all.empty() ? "" : "|") + value;
      return all;
    }
    case SettingKind::kCount: return "NUMBER";
    case SettingKind::kSize: return "SIZE";
    case SettingKind::kDuration: return "TIME";
  }
  return "VALUE";
}

}  // namespace slipway::cli
