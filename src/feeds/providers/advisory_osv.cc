#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "feeds/cvss/cvss.h"
#include "feeds/formats/feed_time.h"
#include "feeds/formats/json_writer.h"
#include "feeds/package_names.h"
#include "feeds/providers/advisory_record.h"

namespace slipway::feeds {
namespace {

// What a list of severities says, for all packages or for one: of the vectors that can be scored the one of the newest
// version, and a distribution's own word.
struct Severities {
  std::optional<Cvss> cvss{};
  std::string_view type{};
  std::string_view vector{};
  std::string_view word{};
};

Severities read_severities(const JsonNode& list) {
  Severities said;
  for (const auto& one : list.items()) {
    const auto type = one["type"].text();
    const auto score = one["score"].is_text() ? one["score"].text() : std::string_view();
    if (type == "Ubuntu") said.word = score;
    if (!type.starts_with("CVSS_V")) continue;
    const auto cvss = score_cvss(score);
    if (!cvss || (said.cvss && cvss->version <= said.cvss->version)) continue;
    said.cvss = *cvss;
    said.type = type;
    said.vector = score;
  }
  return said;
}

Result<> add_links(Record& record, std::string_view relation, const JsonNode& ids) {
  for (const auto& id : ids.items()) {
    if (id.text().empty()) continue;
    auto target = vulnerability_urn(id.text());
    if (!target) return target.error().during("\"{}\"", relation);
    if (*target != record.urn) record.links.push_back({std::string(relation), std::move(*target)});
  }
  return {};
}

// The first version that has it fixed, where all ranges agree on one.
std::string fixed_version(const JsonNode& affected) {
  std::set<std::string_view> fixed;
  for (const auto& range : affected["ranges"].items()) {
    if (range["type"].text() == "GIT") continue;
    for (const auto& event : range["events"].items()) {
      if (const auto version = event["fixed"]) fixed.insert(version.text());
    }
  }
  return fixed.size() == 1 ? std::string(*fixed.begin()) : "";
}

// Ranges of commits say nothing of installed packages.
std::string ranges_of(const JsonNode& affected) {
  JsonWriter json;
  json.open('{').name("ranges").open('[');
  for (const auto& range : affected["ranges"].items()) {
    if (range["type"].text() != "GIT") json.raw(range.raw());
  }
  json.close(']');
  if (affected["versions"]) {
    (void)affected["versions"].items();
    json.name("versions").raw(affected["versions"].raw());
  }
  return json.close('}').take();
}

std::string word_of(Severity severity) {
  std::string word(to_string(severity));
  std::ranges::transform(word, word.begin(), [](char c) { return static_cast<char>(c - 'A' + 'a'); });
  return word;
}

// How bad it is for this package: in the publisher's words, or by a score that is given for this package alone.
std::string urgency_of(const JsonNode& node, const Severities& all, const Severities& own) {
  const auto specific = node["ecosystem_specific"];
  if (specific.is_object() && specific["urgency"].is_text()) return std::string(specific["urgency"].text());
  if (!own.word.empty()) return std::string(own.word);
  if (!all.word.empty()) return std::string(all.word);
  return own.cvss && !all.cvss ? word_of(own.cvss->severity) : "";
}

Result<Affected> read_affected(const JsonNode& node, std::string urgency) {
  const auto package = node["package"];
  auto ecosystem = asked_ecosystem(package["ecosystem"].text());
  auto name = asked_name(ecosystem, package["name"].text());
  if (ecosystem.empty() || name.empty()) {
    return fail(ErrorKind::kCorrupt, "an affected package has no name or no ecosystem");
  }
  return Affected{.ecosystem = std::move(ecosystem),
                  .package = std::move(name),
                  .status = "affected",
                  .fixed = fixed_version(node),
                  .urgency = std::move(urgency),
                  .ranges = ranges_of(node)};
}

// Into the advisory. What it says of all packages: for all at once, or the same for each.
Result<Severities> read_packages(const JsonNode& osv, Advisory& advisory) {
  const auto all = read_severities(osv["severity"]);
  std::vector<Severities> each;
  for (const auto& node : osv["affected"].items()) {
    if (!node["package"]) continue;  // only commits are affected
    each.push_back(read_severities(node["severity"]));
    auto affected = read_affected(node, urgency_of(node, all, each.back()));
    if (!affected) return fail(std::move(affected.error()));
    advisory.affected.push_back(std::move(*affected));
  }
  if (all.cvss || each.empty()) return all;
  const bool agree =
      std::ranges::all_of(each, [&](const Severities& one) { return one.vector == each.front().vector; });
  return agree ? each.front() : all;
}

std::string body_of(const JsonNode& osv, const Severities& severity) {
  JsonWriter json;
  json.open('{').filled("withdrawn", osv["withdrawn"].text()).filled("severity_type", severity.type);
  const auto references = osv["references"].items();
  if (!references.empty()) {
    json.name("references").open('[');
    for (const auto& one : references) {
      json.open('{').filled("type", one["type"].text()).member("url", one["url"].text()).close('}');
    }
    json.close(']');
  }
  const auto specific = osv["database_specific"];
  if (specific.is_object()) {
    if (specific["severity"].is_text()) json.member("severity", specific["severity"].text());
    if (specific["cwe_ids"].is_list()) json.name("cwe_ids").raw(specific["cwe_ids"].raw());
  }
  return json.close('}').take();
}

void add_weaknesses(Record& record, const JsonNode& osv) {
  const auto specific = osv["database_specific"];
  if (!specific.is_object() || !specific["cwe_ids"].is_list()) return;
  for (const auto& id : specific["cwe_ids"].items()) {
    auto target = id.is_text() ? Urn::make("mitre", "cwe", id.text()) : Result<Urn>(Urn());
    if (target && !target->empty()) record.links.push_back({"weakness", std::move(*target)});
  }
}

}  // namespace

Result<Urn> vulnerability_urn(std::string_view id) {
  if (id.starts_with("CVE-")) return Urn::make("nvd", "cve", id);
  return Urn::make("osv", "advisory", id);
}

Result<Record> read_osv(const JsonNode& osv) {
  const auto id = osv["id"].text();
  if (id.empty()) return fail(ErrorKind::kCorrupt, "it has no id");
  auto urn = Urn::make("osv", "advisory", id);
  if (!urn) return fail(std::move(urn.error()));
  Record record{.urn = std::move(*urn),
                .title = std::string(osv["summary"].text()),
                .description = std::string(osv["details"].text())};
  if (osv["withdrawn"]) record.standing = Standing::kWithdrawn;
  Advisory advisory{.published = parse_feed_time(osv["published"].text()),
                    .modified = parse_feed_time(osv["modified"].text())};
  const auto severity = read_packages(osv, advisory);
  if (!severity) return fail(severity.error());
  advisory.vector = std::string(severity->vector);
  if (severity->cvss) advisory.score = severity->cvss->score;
  for (const auto* const relation : {"aliases", "related", "upstream"}) {
    const std::string_view name = std::string_view(relation) == "aliases" ? "alias" : relation;
    if (auto added = add_links(record, name, osv[relation]); !added) return fail(std::move(added.error()));
  }
  add_weaknesses(record, osv);
  advisory.body = body_of(osv, *severity);
  record.details = std::move(advisory);
  return record;
}

}  // namespace slipway::feeds
