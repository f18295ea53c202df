#include "base/json.h"
#include "cli/views.h"

namespace slipway::cli {
namespace {

OrderedJson scan_json(const std::optional<catalog::ScanVerdict>& scan) {
  if (!scan) return nullptr;
  return {{"scanned_at", json_time(scan->scanned_at)},
          {"engine", json_filled(scan->engine)},
          {"database_date", json_time(scan->database_date)},
          {"findings", scan->vuln_count},
          {"has_critical", scan->has_critical},
          {"has_high", scan->has_high},
          {"blocked", scan->blocked},
          {"policy", json_filled(scan->policy)},
          {"complete", scan->complete},
          {"warnings", warnings_of(*scan)},
          {"suppressed", scan->suppressed},
          {"allowed_by", json_filled(scan->allowed_by)},
          {"allowed_at", json_time(scan->allowed_at)},
          {"current", scan->current}};
}

OrderedJson image_json(const catalog::Image& image, catalog::Status status) {
  const bool stored = !image.checksum.empty();
  return {{"image_id", json_text(image.image_id)},
          {"status", catalog::to_string(status)},
          {"bucket", json_filled(image.bucket)},
          {"key", json_text(image.key)},
          {"etag", json_filled(image.etag)},
          {"checksum", json_filled(image.checksum)},
          {"size_bytes", stored ? OrderedJson(image.size_bytes) : OrderedJson(nullptr)},
          {"local_path", json_filled(image.local_path)},
          {"download_status", catalog::to_string(image.download_status)},
          {"activation_status", catalog::to_string(image.activation_status)},
          {"failure", json_filled(image.error)},
          {"created_at", json_time(image.created_at)},
          {"downloaded_at", json_time(image.downloaded_at)},
          {"activated_at", json_time(image.activated_at)},
          {"updated_at", json_time(image.updated_at)}};
}

OrderedJson archive_json(const std::optional<catalog::ArchiveFacts>& archive) {
  if (!archive) return nullptr;
  return {{"kind", json_text(archive->kind)},
          {"layers", archive->layers},
          {"entries", archive->entries},
          {"files", archive->files},
          {"total_size_bytes", archive->total_size},
          {"policy", json_filled(policy_level(*archive))},
          {"policy_findings", archive->findings}};
}

OrderedJson volume_json(const std::optional<catalog::Volume>& volume) {
  if (!volume) return nullptr;
  return {{"pool", json_filled(volume->pool)},
          {"device_id", volume->device_id.value},
          {"device_name", json_text(volume->device_name)},
          {"device_path", json_text(volume->device_path)},
          {"size_bytes", volume->size_bytes},
          {"file_count", volume->file_count},
          {"layout_verified", volume->layout_verified},
          {"current", volume->current},
          {"unpacked_at", json_time(volume->unpacked_at)}};
}

OrderedJson snapshot_json(const catalog::Snapshot& snapshot) {
  return {{"name", json_text(snapshot.name)},
          {"pool", json_filled(snapshot.pool)},
          {"device_id", snapshot.snapshot_id.value},
          {"device_path", json_text(snapshot.device_path)},
          {"active", snapshot.active},
          {"created_at", json_time(snapshot.created_at)},
          {"deactivated_at", json_time(snapshot.deactivated_at)}};
}

}  // namespace

std::vector<std::string> warnings_of(const catalog::ScanVerdict& scan) {
  auto list = decode_json<std::vector<std::string>>(scan.warnings);
  return list ? std::move(*list) : std::vector<std::string>();
}

std::string policy_level(const catalog::ArchiveFacts& archive) {
  const auto policy = parse_json(archive.policy);
  const bool known = policy && policy->is_object() && policy->contains("level") && policy->at("level").is_string();
  return known ? policy->at("level").get<std::string>() : std::string();
}

OrderedJson summary_json(const catalog::ImageSummary& summary) {
  auto json = image_json(summary.image, summary.status);
  json["scan"] = scan_json(summary.scan);
  json["device_path"] = json_filled(summary.device_path);
  json["snapshots"] = summary.snapshots;
  json["active_snapshots"] = summary.active_snapshots;
  return json;
}

OrderedJson status_json(const catalog::ImageStatus& status) {
  auto json = image_json(status.image, status.status);
  json["refreshing_since"] = json_time(status.image.refreshing_since);
  json["verified_at"] = json_time(status.image.verified_at);
  json["archive"] = archive_json(status.image.archive);
  json["scan"] = scan_json(status.scan);
  json["volume"] = volume_json(status.volume);
  json["snapshots"] = OrderedJson::array();
  for (const auto& snapshot : status.snapshots) json["snapshots"].push_back(snapshot_json(snapshot));
  json["lock"] = nullptr;
  if (status.lock)
    json["lock"] = {{"holder", json_text(status.lock->holder)}, {"since", json_time(status.lock->since)}};
  return json;
}

OrderedJson finding_json(const catalog::Finding& finding) {
  return {{"vulnerability", json_text(finding.vulnerability)},
          {"severity", slipway::to_string(finding.severity)},
          {"package", json_text(finding.package)},
          {"version", json_text(finding.version)},
          {"fixed_version", json_filled(finding.fixed_version)},
          {"source", json_filled(finding.source)},
          {"location", json_filled(finding.location)},
          {"title", json_filled(finding.title)},
          {"aliases", json_filled(finding.aliases)},
          {"status", json_filled(finding.status)},
          {"score", finding.score ? OrderedJson(*finding.score) : OrderedJson()}};
}

OrderedJson policy_finding_json(const catalog::PolicyFinding& finding) {
  return {
      {"rule", json_text(finding.rule)}, {"entry", json_text(finding.entry)}, {"detail", json_filled(finding.detail)}};
}

std::string findings_text(const std::optional<catalog::ScanVerdict>& scan) {
  if (!scan) return "not scanned";
  std::string text = scan->vuln_count == 0 ? "none" : fmt::format("{}", scan->vuln_count);
  if (scan->has_critical) {
    text += " (critical)";
  } else if (scan->has_high) {
    text += " (high)";
  }
  if (!scan->complete) text += ", incomplete";
  if (!scan->allowed_by.empty() && !scan->blocked) text += ", allowed";
  return scan->current ? text : text + ", outdated";
}

Style style_of(catalog::Status status) {
  switch (status) {
    case catalog::Status::kReady: return Style::kGreen;
    case catalog::Status::kFailed:
    case catalog::Status::kVulnerable: return Style::kRed;
    case catalog::Status::kDownloading: return Style::kCyan;
    case catalog::Status::kPending: return Style::kDim;
    case catalog::Status::kDownloaded:
    case catalog::Status::kScanned:
    case catalog::Status::kUnpacked: return Style::kPlain;
  }
  return Style::kPlain;
}

Style style_of(Severity severity) {
  if (severity >= Severity::kHigh) return Style::kRed;
  return severity == Severity::kMedium ? Style::kYellow : Style::kPlain;
}

}  // namespace slipway::cli
