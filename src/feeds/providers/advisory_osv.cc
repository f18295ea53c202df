#include <algorithm>
#include <set>

#include "feeds/cvss/cvss.h"
#include "feeds/formats/feed_time.h"
#include "feeds/formats/json_writer.h"
#include "feeds/providers/advisory_record.h"

namespace slipway::feeds {
namespace {

// The newest version of CVSS that is given, for all packages or for one.
struct BestVector {
  std::string_view type{};
  std::string_view vector{};

  void consider(const JsonNode& list) {
    for (const auto& one : list.items()) {
      const auto kind = one["type"].text();
      if (!kind.starts_with("CVSS_V") || kind <= type) continue;
      type = kind;
      vector = one["score"].text();
    }
  }
};

Result<> add_links(Record& record, std::string_view relation, const JsonNode& ids) {
  for (const auto& id : ids.items()) {
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

Result<Affected> read_affected(const JsonNode& node) {
  const auto package = node["package"];
  Affected affected{
      .ecosystem = std::string(package["ecosystem"].text()),
      .package = std::string(package["name"].text()),
      .status = "affected",
      .fixed = fixed_version(node),
      .urgency = std::string(node["ecosystem_specific"].is_object() && node["ecosystem_specific"]["urgency"].is_text()
                                 ? node["ecosystem_specific"]["urgency"].text()
                                 : std::string_view()),
      .ranges = ranges_of(node)};
  if (affected.ecosystem.empty() || affected.package.empty()) {
    return fail(ErrorKind::kCorrupt, "an affected package has no name or no ecosystem");
  }
  return affected;
}

std::string body_of(const JsonNode& osv, const BestVector& severity) {
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
  BestVector severity;
  severity.consider(osv["severity"]);
  for (const auto& node : osv["affected"].items()) {
    if (!node["package"]) continue;  // only commits are affected
    auto affected = read_affected(node);
    if (!affected) return fail(std::move(affected.error()));
    advisory.affected.push_back(std::move(*affected));
    if (severity.type.empty()) severity.consider(node["severity"]);
  }
  advisory.vector = std::string(severity.vector);
  if (const auto scored = score_cvss(severity.vector)) advisory.score = scored->score;
  for (const auto* const relation : {"aliases", "related", "upstream"}) {
    const std::string_view name = std::string_view(relation) == "aliases" ? "alias" : relation;
    if (auto added = add_links(record, name, osv[relation]); !added) return fail(std::move(added.error()));
  }
  add_weaknesses(record, osv);
  advisory.body = body_of(osv, severity);
  record.details = std::move(advisory);
  return record;
}

}  // namespace slipway::feeds
