#include "scan/reports/report_json.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/number.h"

namespace slipway::scan {

std::string write_report(const OrderedJson& document) {
  return document.dump(2, ' ', /*ensure_ascii=*/false, OrderedJson::error_handler_t::replace) + "\n";
}

void put(OrderedJson& object, const char* key, std::string_view text) {
  if (!text.empty()) object[key] = text;
}

void put(OrderedJson& object, const char* key, const std::vector<std::string>& texts) {
  if (!texts.empty()) object[key] = texts;
}

void put_json(OrderedJson& object, const char* key, OrderedJson value) {
  if (!value.empty()) object[key] = std::move(value);
}

std::string to_seconds(TimePoint at) {
  const auto text = to_iso8601(at);
  return text.substr(0, text.find('.')) + "Z";
}

std::string report_uuid(const Report& report, std::string_view form) {
  const auto text = fmt::format("{}\n{}\n{}\n{}", form, report.checksum, report.artifact, to_micros(report.scanned_at));
  auto bytes = digest(HashAlgorithm::kSha256, text);
  bytes.resize(16);
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0FU) | 0x80U);  // version 8: by rules of our own
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3FU) | 0x80U);
  const auto hex = to_hex(bytes);
  const std::string_view all = hex;
  return fmt::format("{}-{}-{}-{}-{}", all.substr(0, 8), all.substr(8, 4), all.substr(12, 4), all.substr(16, 4),
                     all.substr(20));
}

Tool tool_of(const Report& report) {
  const std::string_view engine = report.engine;
  const auto blank = engine.find(' ');
  if (engine.empty() || blank == 0) return {.name = "slipway"};
  if (blank == std::string_view::npos) return {.name = report.engine};
  return {.name = std::string(engine.substr(0, blank)), .version = std::string(engine.substr(blank + 1))};
}

std::string_view artifact_name(const Report& report) {
  return report.artifact.empty() ? std::string_view("unnamed") : std::string_view(report.artifact);
}

bool is_web_url(std::string_view text) {
  const auto scheme = text.starts_with("https://") ? 8U : text.starts_with("http://") ? 7U : 0U;
  constexpr std::string_view kNever = "\"<>\\^`{|}[]#";
  const auto may = [&](char c) { return c > ' ' && c < '\x7f' && !kNever.contains(c); };
  auto rest = text.substr(scheme);
  const auto hash = rest.find('#');  // one may stand before a fragment
  const auto fragment = hash == std::string_view::npos ? std::string_view() : rest.substr(hash + 1);
  rest = rest.substr(0, hash);
  if (scheme == 0 || rest.empty() || !std::ranges::all_of(rest, may) || !std::ranges::all_of(fragment, may))
    return false;
  for (auto at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    const auto digits = text.substr(at + 1, 2);
    if (digits.size() < 2 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) return false;
  }
  return true;
}

CvssKind cvss_kind(std::string_view vector) {
  if (vector.empty()) return CvssKind::kNone;
  if (vector.starts_with("CVSS:4.")) return CvssKind::k40;
  if (vector.starts_with("CVSS:3.0/")) return CvssKind::k30;
  if (vector.starts_with("CVSS:3.")) return CvssKind::k31;
  return vector.starts_with("AV:") || vector.starts_with("(AV:") ? CvssKind::k2 : CvssKind::kNone;
}

SplitVersion split_version(PackageType type, std::string_view whole) {
  SplitVersion split;
  if (type == PackageType::kDeb || type == PackageType::kRpm) {
    if (const auto epoch = parse_number<int>(whole.substr(0, whole.find(':'))); epoch && whole.contains(':')) {
      split.epoch = *epoch;
      whole.remove_prefix(whole.find(':') + 1);
    }
    if (const auto dash = whole.rfind('-'); dash != std::string_view::npos) {
      split.release = whole.substr(dash + 1);
      whole = whole.substr(0, dash);
    }
  }
  split.version = whole;
  return split;
}

std::string package_key(const Package& package) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", to_string(package.type), package.name, package.version, package.architecture,
                     package.path);
}

}  // namespace slipway::scan
