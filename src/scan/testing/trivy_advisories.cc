#include "scan/testing/trivy_advisories.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "feeds/formats/yaml_json.h"
#include "feeds/testing/small_feeds.h"

namespace slipway::scan {
namespace {

using feeds::Affected;
using feeds::Record;
using feeds::urn_of;

std::string_view trimmed(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// Go's versions are written with and without the v; our feeds and inventories have none.
std::string bare(std::string_view version) {
  version = trimmed(version);
  return std::string(version.starts_with('v') ? version.substr(1) : version);
}

// One range of versions; what is empty is open.
struct Bounds {
  std::string from{};
  std::string before{};
  std::string last{};
};

void add_comparison(std::string_view text, Bounds& bounds) {
  text = trimmed(text);
  const auto operation = text.substr(0, std::min(text.find_first_not_of("<>="), text.size()));
  const auto version = bare(text.substr(operation.size()));
  if (operation == ">=") {
    bounds.from = version;
  } else if (operation == "<") {
    bounds.before = version;
  } else if (operation == "<=") {
    bounds.last = version;
  } else {
    throw std::runtime_error(fmt::format("\"{}\" is not known", text));
  }
}

// "[2.9.0,2.9.10.7)", as Maven has them.
Bounds interval(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos || !text.starts_with('[')) throw std::runtime_error(std::string(text));
  Bounds bounds{.from = bare(text.substr(1, comma - 1))};
  (text.ends_with(']') ? bounds.last : bounds.before) = bare(text.substr(comma + 1, text.size() - comma - 2));
  return bounds;
}

Bounds bounds_of(std::string_view text) {
  if (text.starts_with('[')) return interval(text);
  Bounds bounds;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    add_comparison(text.substr(at, end - at), bounds);
    at = end + 1;
  }
  return bounds;
}

Json event(const char* kind, const std::string& version) { return Json::object({{kind, version}}); }

// What is patched is a list of versions, or of ranges that are not affected.
bool is_range(std::string_view patched) { return patched.find_first_of("<>=[") != std::string_view::npos; }

Json events_of_patched(const std::vector<std::string>& patched) {
  Json events = Json::array({event("introduced", "0")});
  for (const auto& one : patched) {
    const auto bounds = bounds_of(one);
    events.push_back(event("fixed", bounds.from));
    if (!bounds.before.empty()) events.push_back(event("introduced", bounds.before));
  }
  return events;
}

// OSV's form of ">= 2.0.0, <= 2.9.10.3" and "[2.9.0,2.9.10.7)"; those that only list what is patched (">= 2.1.3,
// < 3.0.0") affect all else.
Json osv_ranges(const std::vector<std::string>& vulnerable, const std::vector<std::string>& patched) {
  Json ranges = Json::array();
  if (vulnerable.empty()) ranges.push_back({{"type", "ECOSYSTEM"}, {"events", events_of_patched(patched)}});
  const bool paired = vulnerable.size() == patched.size() && std::ranges::none_of(patched, is_range);
  for (std::size_t i = 0; i < vulnerable.size(); ++i) {
    const auto bounds = bounds_of(vulnerable[i]);
    Json events = Json::array({event("introduced", bounds.from.empty() ? "0" : bounds.from)});
    if (!bounds.before.empty()) events.push_back(event("fixed", bounds.before));
    // GitHub's own OSV records name the patched version there, too.
    if (!bounds.last.empty()) {
      events.push_back(paired ? event("fixed", bare(patched[i])) : event("last_affected", bounds.last));
    }
    ranges.push_back({{"type", "ECOSYSTEM"}, {"events", events}});
  }
  return {{"ranges", ranges}};
}

std::vector<std::string> texts(const Json& value, const char* member) {
  return value.value(member, std::vector<std::string>{});
}

constexpr std::array<std::string_view, 5> kSeverities{"", "LOW", "MEDIUM", "HIGH", "CRITICAL"};

// yaml_to_json leaves "1.0" a text, as a version is one.
double number_of(const Json& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

std::string severity_word(const Json& number) {
  return std::string(kSeverities.at(static_cast<std::size_t>(number_of(number))));
}

// Where the advisories of a bucket belong.
struct Home {
  std::string provider{};
  std::string ecosystem{};
  std::string vendor{};  // under whose name vulnerabilities have a severity
};

std::optional<Home> language_home(std::string_view bucket) {
  static constexpr auto kEcosystems = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"npm", "npm"},
      {"pip", "PyPI"},
      {"go", "Go"},
      {"maven", "Maven"},
      {"rubygems", "RubyGems"},
      {"cargo", "crates.io"},
      {"composer", "Packagist"},
  });
  const auto colons = bucket.find("::");
  if (colons == std::string_view::npos) return std::nullopt;
  const auto* const known =
      std::ranges::find(kEcosystems, bucket.substr(0, colons), &std::pair<std::string_view, std::string_view>::first);
  if (known == kEcosystems.end()) return std::nullopt;
  return Home{"osv", std::string(known->second), bucket.find("GitHub") != std::string_view::npos ? "ghsa" : "none"};
}

std::optional<Home> home_of(std::string_view bucket) {
  struct Start {
    std::string_view bucket, provider, ecosystem, vendor;
  };
  static constexpr auto kStarts = std::to_array<Start>({
      {"debian ", "debian", "Debian:{}", "debian"},
      {"alpine edge", "alpine", "Alpine:edge", "alpine"},
      {"alpine ", "alpine", "Alpine:v{}", "alpine"},
      {"ubuntu ", "osv", "Ubuntu:{}:LTS", "ubuntu"},
      {"alma ", "osv", "AlmaLinux:{}", "alma"},
      {"rocky ", "osv", "Rocky Linux:{}", "rocky"},
      {"Photon OS ", "osv", "Photon OS:{}", "photon"},
      {"openSUSE ", "osv", "openSUSE:{}", "suse-cvrf"},
  });
  if (auto language = language_home(bucket)) return language;
  for (const auto& start : kStarts) {
    if (!bucket.starts_with(start.bucket)) continue;
    const auto release = bucket.substr(start.bucket.size());
    return Home{std::string(start.provider), fmt::format(fmt::runtime(start.ecosystem), release),
                std::string(start.vendor)};
  }
  return std::nullopt;
}

// What is said of the versions of a distribution's package.
Affected said_by_distribution(const Home& home, const Json& value) {
  constexpr int kEndOfLife = 7;  // of Trivy's states
  Affected said{.ecosystem = home.ecosystem, .fixed = value.value("FixedVersion", "")};
  if (home.provider == "osv") {
    said.status = "affected";
    Json events = Json::array({event("introduced", "0")});
    if (!said.fixed.empty()) events.push_back(event("fixed", said.fixed));
    said.ranges = Json{{"ranges", {{{"type", "ECOSYSTEM"}, {"events", events}}}}}.dump();
    return said;
  }
  said.status = !said.fixed.empty() ? "fixed" : value.value("Status", 0) == kEndOfLife ? "end-of-life" : "open";
  if (value.contains("Severity")) said.urgency = severity_word(value.at("Severity"));
  return said;
}

Affected said_by_ranges(const Home& home, const Json& value) {
  return {.ecosystem = home.ecosystem,
          .status = "affected",
          .ranges = osv_ranges(texts(value, "VulnerableVersions"), texts(value, "PatchedVersions")).dump()};
}

class Reader {
 public:
  explicit Reader(const Json& vulnerabilities) {
    for (const auto& pair : vulnerabilities) about_.emplace(pair.at("key").get<std::string>(), pair.at("value"));
    for (const auto& [id, value] : about_) add_cve(id, value);
  }

  void add(const Json& bucket) {
    const auto name = bucket.at("bucket").get<std::string>();
    const auto home = home_of(name);
    if (!home) {
      read_.without.push_back(name);
      return;
    }
    for (const auto& package : bucket.at("pairs")) {
      for (const auto& pair : package.at("pairs")) {
        add_advisory(*home, package.at("bucket").get<std::string>(), pair.at("key").get<std::string>(),
                     pair.value("value", Json::object()));
      }
    }
  }

  [[nodiscard]] TrivyAdvisories take() {
    std::ranges::sort(read_.without);
    return std::move(read_);
  }

 private:
  // Named within its source, as the distributions' advisories are: it speaks of the CVE and has no name of its own.
  void add_advisory(const Home& home, const std::string& package, const std::string& id, const Json& value) {
    const bool by_ranges = value.contains("VulnerableVersions") || value.contains("PatchedVersions");
    auto said = by_ranges ? said_by_ranges(home, value) : said_by_distribution(home, value);
    said.package = package;
    auto place = fmt::format("{}/{}/{}/{}", home.vendor, home.ecosystem, package, id);
    std::ranges::replace(place, ' ', '-');
    Record record{.urn = urn_of(fmt::format("{}::advisory::{}", home.provider, place)), .title = id};
    if (id.starts_with("CVE-")) record.links.push_back({"alias", urn_of("nvd::cve::" + id)});
    Json body = Json::object();
    if (const auto known = about_.find(id); known != about_.end() && home.provider == "osv") {
      const auto severities = known->second.value("VendorSeverity", Json::object());
      if (severities.contains(home.vendor)) body["severity"] = severity_word(severities.at(home.vendor));
    }
    record.details = feeds::Advisory{.body = body.dump(), .affected = {std::move(said)}};
    read_.records[home.provider].push_back(std::move(record));
  }

  void add_cve(const std::string& id, const Json& value) {
    if (!id.starts_with("CVE-")) return;
    const auto nvd = value.value("/CVSS/nvd"_json_pointer, Json::object());
    feeds::Cve cve{.vector = nvd.value("V3Vector", ""), .body = "{}"};
    if (nvd.contains("V3Score")) cve.score = number_of(nvd.at("V3Score"));
    read_.records["cve"].push_back({.urn = urn_of("nvd::cve::" + id),
                                    .title = value.value("Title", ""),
                                    .description = value.value("Description", ""),
                                    .details = std::move(cve)});
  }

  std::map<std::string, Json> about_;  // vulnerability.yaml, by id
  TrivyAdvisories read_;
};

Json read_yaml(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto json = feeds::yaml_to_json(text);
  if (!json) throw std::runtime_error(file.string() + ": " + json.error().describe());
  return Json::parse(*json);
}

}  // namespace

TrivyAdvisories read_trivy_advisories(const std::filesystem::path& folder) {
  Reader reader(read_yaml(folder / "vulnerability.yaml").at(0).at("pairs"));
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const auto name = file.path().filename();
    if (name.extension() != ".yaml" || name == "vulnerability.yaml" || name == "data-source.yaml") continue;
    for (const auto& bucket : read_yaml(file.path())) reader.add(bucket);
  }
  return reader.take();
}

}  // namespace slipway::scan
