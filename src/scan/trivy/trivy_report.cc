#include "scan/trivy/trivy_report.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "feeds/formats/feed_time.h"
#include "feeds/formats/json_node.h"
#include "scan/policy/purl_match.h"

namespace slipway::scan {
namespace {

using feeds::JsonNode;

struct TypeName {
  std::string_view name;
  PackageType type;
};

// What Trivy calls a result's type: the family of a distribution, or what kind of file told of the packages.
// Distributions that are not named here have RPMs.
constexpr std::array kDistributions{TypeName{"debian", PackageType::kDeb}, TypeName{"ubuntu", PackageType::kDeb},
                                    TypeName{"echo", PackageType::kDeb},   TypeName{"alpine", PackageType::kApk},
                                    TypeName{"wolfi", PackageType::kApk},  TypeName{"chainguard", PackageType::kApk},
                                    TypeName{"minimos", PackageType::kApk}};
constexpr std::array kLanguages{
    TypeName{"bundler", PackageType::kGem},       TypeName{"gemspec", PackageType::kGem},
    TypeName{"cargo", PackageType::kCargo},       TypeName{"rustbinary", PackageType::kCargo},
    TypeName{"composer", PackageType::kComposer}, TypeName{"composer-vendor", PackageType::kComposer},
    TypeName{"npm", PackageType::kNpm},           TypeName{"yarn", PackageType::kNpm},
    TypeName{"pnpm", PackageType::kNpm},          TypeName{"bun", PackageType::kNpm},
    TypeName{"node-pkg", PackageType::kNpm},      TypeName{"javascript", PackageType::kNpm},
    TypeName{"pip", PackageType::kPypi},          TypeName{"pipenv", PackageType::kPypi},
    TypeName{"poetry", PackageType::kPypi},       TypeName{"uv", PackageType::kPypi},
    TypeName{"pylock", PackageType::kPypi},       TypeName{"python-pkg", PackageType::kPypi},
    TypeName{"gomod", PackageType::kGolang},      TypeName{"gobinary", PackageType::kGolang},
    TypeName{"jar", PackageType::kMaven},         TypeName{"pom", PackageType::kMaven},
    TypeName{"gradle", PackageType::kMaven},      TypeName{"sbt", PackageType::kMaven}};

std::optional<PackageType> find_type(std::span<const TypeName> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &TypeName::name);
  return found == table.end() ? std::nullopt : std::optional(found->type);
}

PackageType type_of(const JsonNode& result, const std::optional<PurlParts>& purl) {
  const auto name = result["Type"].text();
  if (result["Class"].text() == "os-pkgs") return find_type(kDistributions, name).value_or(PackageType::kRpm);
  if (const auto type = find_type(kLanguages, name)) return *type;
  return purl ? parse_package_type(purl->type).value_or(PackageType::kOther) : PackageType::kOther;
}

// "HIGH"; nothing that is known is kUnknown.
Severity severity_of(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return parse_severity(small).value_or(Severity::kUnknown);
}

// Trivy has some words more: of them all, only that there is a fix makes a difference.
FixStatus status_of(std::string_view text, bool fixed) {
  if (const auto status = parse_fix_status(text)) return *status;
  return fixed && text != "fix_deferred" ? FixStatus::kFixed : FixStatus::kAffected;
}

// A distribution's advisory (DSA, RHSA, ...) is about many vulnerabilities: it is no other name of one of them.
bool is_name_of_one(std::string_view id) {
  constexpr std::array<std::string_view, 8> kPrefixes{"CVE-", "GHSA-",  "GO-",      "GMS-",
                                                      "OSV-", "PYSEC-", "RUSTSEC-", "DEBIAN-CVE-"};
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return id.starts_with(prefix); });
}

std::vector<std::string> texts(const JsonNode& list) {
  std::vector<std::string> all;
  for (const auto& one : list.items()) {
    if (const auto text = one.text(); !text.empty()) all.emplace_back(text);
  }
  return all;
}

// Of whom the severity is, else of NVD, else of whoever has one.
void read_cvss(const JsonNode& all, std::string_view source, Finding& finding) {
  std::string whose(source);
  JsonNode chosen = whose.empty() ? JsonNode{} : all[whose];
  if (!chosen) chosen = all[whose = "nvd"];
  if (!chosen) {
    const auto members = all.members();
    if (members.empty()) return;
    whose = members.front().first;
    chosen = members.front().second;
  }
  for (const auto& [vector, score] :
       {std::pair{"V40Vector", "V40Score"}, {"V3Vector", "V3Score"}, {"V2Vector", "V2Score"}}) {
    const auto text = chosen[vector].text();
    const auto number = chosen[score].number();
    if (text.empty() && !number) continue;
    finding.vector = text;
    finding.score = number;
    finding.score_source = whose;
    return;
  }
}

// "v1.2.3, v2.0.0" without each v.
std::string without_v(std::string_view versions) {
  std::string out;
  for (std::size_t at = 0; at < versions.size(); ++at) {
    const bool begins = at == 0 || versions[at - 1] == ' ' || versions[at - 1] == ',';
    const bool number_follows = at + 1 < versions.size() && versions[at + 1] >= '0' && versions[at + 1] <= '9';
    if (!(begins && number_follows && versions[at] == 'v')) out += versions[at];
  }
  return out;
}

// Of packages that were found one by one the target is a word for them all; of a list of them it is the list's file.
bool is_collective(std::string_view target) {
  constexpr std::array<std::string_view, 6> kWords{"Java", "Node.js", "Python", "Ruby", "Conda", "Kubernetes"};
  return std::ranges::find(kWords, target) != kWords.end();
}

// By its ID, of the packages that a result lists beside its vulnerabilities.
using Sources = std::map<std::string, std::string, std::less<>>;

Sources read_sources(const JsonNode& result) {
  Sources sources;
  for (const auto& package : result["Packages"].items()) {
    const auto source = package["SrcName"].text();
    if (!source.empty() && source != package["Name"].text()) sources.emplace(package["ID"].text(), source);
  }
  return sources;
}

Package read_package(const JsonNode& result, const JsonNode& node, const Sources& sources) {
  const auto purl = split_purl(node["PkgIdentifier"]["PURL"].text());
  Package package{.type = type_of(result, purl)};
  package.name = node["PkgName"].text();
  package.version = node["InstalledVersion"].text();
  if (package.type == PackageType::kGolang) package.version = without_v(package.version);
  package.path = node["PkgPath"].text();
  const auto target = result["Target"].text();
  if (package.path.empty() && result["Class"].text() == "lang-pkgs" && !is_collective(target)) package.path = target;
  if (const auto source = sources.find(node["PkgID"].text()); source != sources.end()) package.source = source->second;
  if (purl && is_of_distribution(package.type)) {
    if (const auto arch = purl->qualifiers.find("arch"); arch != purl->qualifiers.end())
      package.architecture = arch->second;
  }
  return package;
}

Finding read_vulnerability(const JsonNode& result, const JsonNode& node, const Sources& sources) {
  Finding finding{.id = std::string(node["VulnerabilityID"].text()), .package = read_package(result, node, sources)};
  for (auto& id : texts(node["VendorIDs"])) {
    if (is_name_of_one(id) && id != finding.id) finding.aliases.push_back(std::move(id));
  }
  std::ranges::sort(finding.aliases);
  finding.fixed_version = node["FixedVersion"].text();
  if (finding.package.type == PackageType::kGolang) finding.fixed_version = without_v(finding.fixed_version);
  finding.status = status_of(node["Status"].text(), !finding.fixed_version.empty());
  finding.severity = severity_of(node["Severity"].text());
  finding.severity_source = node["SeveritySource"].text();
  read_cvss(node["CVSS"], finding.severity_source, finding);
  finding.source = "trivy";
  finding.title = node["Title"].text();
  finding.description = node["Description"].text();
  finding.weaknesses = texts(node["CweIDs"]);
  finding.references = texts(node["References"]);
  if (const auto primary = node["PrimaryURL"].text(); finding.references.empty() && !primary.empty()) {
    finding.references.emplace_back(primary);
  }
  finding.published = feeds::parse_feed_time(node["PublishedDate"].text());
  finding.modified = feeds::parse_feed_time(node["LastModifiedDate"].text());
  return finding;
}

// Kinds of packages that Trivy lists and knows nothing of.
bool is_only_listed(std::string_view type) {
  constexpr std::array<std::string_view, 3> kTypes{"conda-pkg", "conda-environment", "julia"};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

void read_judged(const JsonNode& result, JudgedPackages& judged) {
  const auto kind = result["Class"].text();
  if ((kind != "os-pkgs" && kind != "lang-pkgs") || is_only_listed(result["Type"].text())) return;
  const auto packages = result["Packages"].items();
  if (packages.empty()) {
    if (const auto type = type_of(result, std::nullopt); type != PackageType::kOther) judged.add_all(type);
    return;
  }
  for (const auto& package : packages) {
    judged.add(type_of(result, split_purl(package["Identifier"]["PURL"].text())), package["Name"].text());
  }
}

Result<> check_schema(const JsonNode& root) {
  const auto schema =
      root.is_object() && root["SchemaVersion"].is_number() ? root["SchemaVersion"].number() : std::nullopt;
  if (!schema) return fail(ErrorKind::kCorrupt, "it is no report of Trivy's: it has no SchemaVersion");
  if (*schema == 2) return {};
  return fail(Error(ErrorKind::kUnsupported, fmt::format("it is a report of schema {}", *schema))
                  .with_hint("schema 2 is read: that of Trivy 0.20 and later"));
}

Result<TrivyReport> read_results(const JsonNode& root) {
  TrivyReport report{.release_unsupported = root["Metadata"]["OS"]["EOSL"].flag()};
  auto& findings = report.findings;
  for (const auto& result : root["Results"].items()) {
    read_judged(result, report.judged);
    const auto sources = read_sources(result);
    for (const auto& node : result["Vulnerabilities"].items()) {
      auto finding = read_vulnerability(result, node, sources);
      if (finding.id.empty() || finding.package.name.empty()) {
        return fail(ErrorKind::kCorrupt, "vulnerability {} of the report has no {}", findings.size() + 1,
                    finding.id.empty() ? "ID" : "package");
      }
      findings.push_back(std::move(finding));
    }
  }
  return report;
}

// Names that differ only in what some registries (PyPI) and package URLs take for the same are one.
std::string plain_name(std::string_view name) {
  std::string plain(name);
  for (auto& c : plain) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    if (c == '_' || c == '.') c = '-';
  }
  return plain;
}

// Letters, digits and what else a version is written with: it goes into reports.
std::string version_word(std::string_view text) {
  constexpr std::string_view kMarks = ".+-_~";
  constexpr std::size_t kLongest = 64;
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    const bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || kMarks.contains(c);
    if (!good) break;
    out += c;
  }
  return out;
}

// "Version: 0.58.0", then "Vulnerability DB:" with lines of its own below it, of which one is
// "  UpdatedAt: 2024-12-16 18:16:32.001191451 +0000 UTC".
TrivyVersion read_plain_version(std::string_view text) {
  TrivyVersion found;
  std::string_view section;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    constexpr std::string_view kVersion = "Version: ";
    constexpr std::string_view kUpdated = "  UpdatedAt: ";
    if (!line.starts_with(' ')) section = line;
    if (line.starts_with(kVersion)) found.version = version_word(line.substr(kVersion.size()));
    if (line.starts_with(kUpdated) && section.starts_with("Vulnerability DB")) {
      const auto time = line.substr(kUpdated.size());
      found.database = feeds::parse_feed_time(time.substr(0, time.find(" +0000")));
    }
  }
  return found;
}

}  // namespace

void JudgedPackages::add(PackageType type, std::string_view name) { names_.emplace(type, plain_name(name)); }

void JudgedPackages::add_all(PackageType type) { whole_.insert(type); }

bool JudgedPackages::has(const Package& package) const {
  return whole_.contains(package.type) || names_.contains({package.type, plain_name(package.name)});
}

Result<TrivyReport> read_trivy_report(std::string_view json) {
  feeds::JsonDocument document;
  const auto root = document.parse(json);
  if (!root) return fail(root.error());
  if (auto known = check_schema(*root); !known) return fail(std::move(known.error()));
  auto report = read_results(*root);
  if (document.fault()) return fail(*document.fault());
  return report;
}

TrivyVersion read_trivy_version(std::string_view text) {
  feeds::JsonDocument document;
  const auto root = document.parse(text);
  if (!root || !root->is_object()) return read_plain_version(text);
  return {.version = version_word((*root)["Version"].text()),
          .database = feeds::parse_feed_time((*root)["VulnerabilityDB"]["UpdatedAt"].text())};
}

}  // namespace slipway::scan
