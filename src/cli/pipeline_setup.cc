#include "cli/pipeline_setup.h"

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "cli/pools.h"
#include "objects/open_source.h"
#include "sys/mutex.h"

namespace slipway::cli {
namespace {

objects::AddressStyle address_style(const std::string& setting) {
  if (setting == "true") return objects::AddressStyle::kPath;
  if (setting == "false") return objects::AddressStyle::kVirtualHost;
  return objects::AddressStyle::kAuto;
}

objects::SourceSettings source_settings(const Session& session, const std::string& bucket, const Logger& log) {
  const Settings& settings = session.settings;
  objects::SourceSettings source;
  source.bucket = bucket;
  source.region = settings.s3_region;
  source.endpoint = settings.s3_endpoint;
  source.style = address_style(settings.s3_path_style);
  source.verify_etag = settings.s3_verify_etag;
  source.ca_file = settings.s3_ca_file;
  if (settings.s3_anonymous) source.credentials = objects::Credentials{};
  source.environment = [variables = session.environment.variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
  };
  source.user_agent = "slipway/" + session.version;
  source.stall_timeout = settings.download_stall;
  source.clock = &session.clock;
  source.log = log;
  return source;
}

// Found out before anything is begun: a run would fail for it, and again when it tidies up.
Result<> check_download_dir(const std::filesystem::path& folder) {
  std::error_code unknown;
  const auto status = std::filesystem::status(folder, unknown);
  const bool below_a_file = unknown == std::errc::not_a_directory;
  if (!below_a_file && (!std::filesystem::exists(status) || std::filesystem::is_directory(status))) return {};
  return fail(Error(ErrorKind::kInvalid, fmt::format("download_dir is {}, which is {}a file, not a folder",
                                                     folder.string(), below_a_file ? "below " : ""))
                  .with_hint("`slipway config download_dir --json` tells where it is set"));
}

// One source for each bucket, made when it is first asked for.
class Sources {
 public:
  Sources(std::function<objects::SourceSettings(const std::string&)> settings, sys::Clock& clock)
      : settings_(std::move(settings)), throttles_(clock) {}

  Result<std::shared_ptr<objects::ObjectSource>> get(const std::string& bucket) SLIPWAY_EXCLUDES(mutex_) {
    const sys::Lock lock(mutex_);
    auto& known = known_[bucket];
    if (!known) {
      auto settings = settings_(bucket);
      settings.throttles = &throttles_;
      auto opened = objects::open_source(settings);
      if (!opened) return fail(std::move(opened.error()));
      known = std::move(*opened);
    }
    return known;
  }

 private:
  const std::function<objects::SourceSettings(const std::string&)> settings_;
  objects::EndpointThrottles throttles_;  // outlives the sources
  sys::Mutex mutex_;
  std::map<std::string, std::shared_ptr<objects::ObjectSource>> known_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace

Result<archive::Policy> policy_of(const Settings& settings) {
  auto policy = archive::named_policy(settings.policy);
  if (!policy) return fail(std::move(policy.error()));
  for (const auto& [name, value] : settings.policy_overrides) {
    if (auto done = archive::set(*policy, "policy_" + name, value); !done) return fail(std::move(done.error()));
  }
  policy->limits = {.max_files = settings.max_files,
                    .max_file_size = settings.max_file_size,
                    .max_total_size = settings.max_total_size,
                    .max_compression_ratio = settings.max_compression_ratio};
  return policy;
}

SettingRules setting_rules() {
  return {.check_policy = [](std::string_view name, std::string_view value) -> Result<> {
    archive::Policy scratch = archive::standard_policy();
    return archive::set(scratch, fmt::format("policy_{}", name), value);
  }};
}

Result<std::shared_ptr<objects::ObjectSource>> open_bucket(const Session& session) {
  auto bucket = require_bucket(session.settings);
  if (!bucket) return fail(std::move(bucket.error()));
  auto opened = objects::open_source(source_settings(session, *bucket, session.log));
  if (!opened) return fail(std::move(opened.error()));
  return std::shared_ptr<objects::ObjectSource>(std::move(*opened));
}

Result<pipeline::PipelineOptions> pipeline_options(const Session& session, const Logger& log) {
  const Settings& settings = session.settings;
  if (auto checked = check_download_dir(settings.download_dir); !checked) return fail(std::move(checked.error()));
  auto sources = std::make_shared<Sources>(
      [&session, log](const std::string& bucket) { return source_settings(session, bucket, log); }, session.clock);

  pipeline::PipelineOptions options;
  options.catalog = settings.sqlite_path;
  options.runs = settings.fsm_db_path;
  options.source_of = [sources](const std::string& bucket) { return sources->get(bucket); };
  options.inspector = {.executable = "/proc/self/exe", .arguments = {kInspectorWord}};
  options.download.images = settings.download_dir;
  options.download.timeout = settings.download_timeout;
  options.downloads_at_once = settings.queue_downloads;
  options.open_pool = [settings](catalog::Catalog& catalog) { return open_pool(settings, catalog); };
  options.extractor = {.executable = "/proc/self/exe", .arguments = {kExtractorWord}};
  options.unpackings_at_once = settings.queue_unpacking;
  options.inventory = {.executable = "/proc/self/exe", .arguments = {kInventoryWord}};
  options.feeds = settings.feeds_db_path.string();
  options.version = session.version;
  options.scans_at_once = settings.queue_unpacking;
  options.clock = &session.clock;
  options.log = log;
  return options;
}

service::Settings work_settings(const Settings& settings) {
  return {{"sqlite_path", settings.sqlite_path.string()},
          {"download_dir", settings.download_dir.string()},
          {"volume_backend", settings.volume_backend},
          {"volume_dir", settings.volume_dir.string()},
          {"dm_pool_name", settings.dm_pool_name},
          {"feeds_db_path", settings.feeds_db_path.string()},
          {"s3_endpoint", settings.s3_endpoint},
          {"s3_region", settings.s3_region},
          {"s3_path_style", settings.s3_path_style},
          {"s3_ca_file", settings.s3_ca_file.string()},
          {"s3_anonymous", settings.s3_anonymous ? "true" : "false"},
          {"s3_verify_etag", settings.s3_verify_etag ? "true" : "false"}};
}

std::string full_key(const Settings& settings, const std::string& key) {
  return key.starts_with(settings.s3_prefix) ? key : settings.s3_prefix + key;
}

}  // namespace slipway::cli
