// NVD's two shapes of a CVE.
#include <array>

#include "feeds/formats/feed_time.h"
#include "feeds/providers/cve_draft.h"
#include "feeds/providers/cve_record.h"

namespace slipway::feeds {
namespace {

std::string_view english(const JsonNode& texts) {
  for (const auto& text : texts.items()) {
    if (text["lang"].text() == "en") return text["value"].text();
  }
  return {};
}

std::vector<std::string_view> texts_of(const JsonNode& list) {
  std::vector<std::string_view> texts;
  for (const auto& one : list.items()) texts.push_back(one.text());
  return texts;
}

constexpr std::array kRangeMembers = {"versionStartIncluding", "versionStartExcluding", "versionEndIncluding",
                                      "versionEndExcluding"};

void write_match(JsonWriter& json, const JsonNode& match, std::string_view cpe) {
  json.open('{').member("criteria", match[cpe].text());
  if (match["vulnerable"] && !match["vulnerable"].flag()) json.name("vulnerable").flag(false);
  for (const auto* const name : kRangeMembers) json.filled(name, match[name].text());
  json.close('}');
}

// Both shapes of a node: the newer one has no children. The nesting is limited by the document's.
void write_node(JsonWriter& json, const JsonNode& node) {
  json.open('{').filled("operator", node["operator"].text());
  if (node["negate"].flag()) json.name("negate").flag(true);
  json.name("matches").open('[');
  for (const auto& match : node["cpeMatch"].items()) write_match(json, match, "criteria");
  for (const auto& match : node["cpe_match"].items()) write_match(json, match, "cpe23Uri");
  json.close(']');
  const auto children = node["children"].items();
  if (!children.empty()) {
    json.name("children").open('[');
    for (const auto& child : children) write_node(json, child);
    json.close(']');
  }
  json.close('}');
}

void write_nodes(JsonWriter& json, const JsonNode& nodes) {
  json.name("nodes").open('[');
  for (const auto& node : nodes.items()) write_node(json, node);
  json.close(']');
}

void read_configurations(CveDraft& draft, const JsonNode& configurations) {
  const auto all = configurations.items();
  if (all.empty()) return;
  auto& json = draft.configurations;
  json.open('[');
  for (const auto& one : all) {
    json.open('{').filled("operator", one["operator"].text());
    if (one["negate"].flag()) json.name("negate").flag(true);
    write_nodes(json, one["nodes"]);
    json.close('}');
  }
  json.close(']');
}

void read_metrics(CveDraft& draft, const JsonNode& metrics) {
  for (const auto* const name : {"cvssMetricV40", "cvssMetricV31", "cvssMetricV30", "cvssMetricV2"}) {
    for (const auto& metric : metrics[name].items()) {
      const auto data = metric["cvssData"];
      const auto severity = data["baseSeverity"] ? data["baseSeverity"].text() : metric["baseSeverity"].text();
      draft.metrics.push_back({.version = data["version"].text(),
                               .vector = data["vectorString"].text(),
                               .score = data["baseScore"].number(),
                               .severity = severity,
                               .source = metric["source"].text(),
                               .primary = metric["type"].text() == "Primary"});
    }
  }
}

}  // namespace

Result<Record> read_nvd2(const JsonNode& cve) {
  CveDraft draft;
  draft.id = cve["id"].text();
  draft.description = english(cve["descriptions"]);
  draft.status = cve["vulnStatus"].text();
  draft.source = cve["sourceIdentifier"].text();
  draft.rejected = draft.status == "Rejected";
  draft.published = parse_feed_time(cve["published"].text());
  draft.modified = parse_feed_time(cve["lastModified"].text());
  read_metrics(draft, cve["metrics"]);
  for (const auto& weakness : cve["weaknesses"].items()) {
    for (const auto& name : weakness["description"].items()) draft.add_weakness(name["value"].text());
  }
  read_configurations(draft, cve["configurations"]);
  for (const auto& reference : cve["references"].items()) {
    draft.add_reference({reference["url"].text(), texts_of(reference["tags"])});
  }
  return finish(draft);
}

Result<Record> read_nvd1(const JsonNode& item) {
  constexpr std::string_view kRejectMark = "** REJECT **";
  const auto cve = item["cve"];
  CveDraft draft;
  draft.id = cve["CVE_data_meta"]["ID"].text();
  draft.source = cve["CVE_data_meta"]["ASSIGNER"].text();
  draft.description = english(cve["description"]["description_data"]);
  draft.rejected = draft.description.starts_with(kRejectMark);
  draft.published = parse_feed_time(item["publishedDate"].text());
  draft.modified = parse_feed_time(item["lastModifiedDate"].text());
  const auto impact = item["impact"];
  if (const auto v3 = impact["baseMetricV3"]["cvssV3"]) {
    draft.metrics.push_back({.version = v3["version"].text(),
                             .vector = v3["vectorString"].text(),
                             .score = v3["baseScore"].number(),
                             .severity = v3["baseSeverity"].text(),
                             .primary = true});
  }
  if (const auto v2 = impact["baseMetricV2"]) {
    draft.metrics.push_back({.version = "2.0",
                             .vector = v2["cvssV2"]["vectorString"].text(),
                             .score = v2["cvssV2"]["baseScore"].number(),
                             .severity = v2["severity"].text(),
                             .primary = true});
  }
  for (const auto& type : cve["problemtype"]["problemtype_data"].items()) {
    for (const auto& name : type["description"].items()) draft.add_weakness(name["value"].text());
  }
  const auto nodes = item["configurations"]["nodes"];
  if (!nodes.items().empty()) {
    draft.configurations.open('[').open('{');
    write_nodes(draft.configurations, nodes);
    draft.configurations.close('}').close(']');
  }
  for (const auto& reference : cve["references"]["reference_data"].items()) {
    draft.add_reference({reference["url"].text(), texts_of(reference["tags"])});
  }
  return finish(draft);
}

Result<Record> read_cve(const JsonNode& root) {
  if (root["cveMetadata"]) return read_cve5(root);
  const auto inner = root["cve"];
  if (inner && inner["CVE_data_meta"]) return read_nvd1(root);
  if (inner && inner["id"]) return read_nvd2(inner);
  if (root["id"]) return read_nvd2(root);
  return fail(ErrorKind::kCorrupt, "it is no CVE record of a shape that is known");
}

}  // namespace slipway::feeds
