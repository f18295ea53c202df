// The CVE list's own records, in JSON 5. What the assigner says comes first; others (ADP) may add what it left out.
#include <array>

#include "feeds/formats/feed_time.h"
#include "feeds/providers/cve_draft.h"
#include "feeds/providers/cve_record.h"

namespace slipway::feeds {
namespace {

std::string_view english(const JsonNode& texts) {
  for (const auto& text : texts.items()) {
    if (text["lang"].text().starts_with("en")) return text["value"].text();
  }
  const auto all = texts.items();
  return all.empty() ? std::string_view() : all.front()["value"].text();
}

void read_metrics(CveDraft& draft, const JsonNode& container, std::string_view source, bool primary) {
  constexpr std::array kMembers = {"cvssV4_0", "cvssV3_1", "cvssV3_0", "cvssV2_0"};
  for (const auto& metric : container["metrics"].items()) {
    for (const auto* const name : kMembers) {
      const auto data = metric[name];
      if (!data) continue;
      draft.metrics.push_back({.version = data["version"].text(),
                               .vector = data["vectorString"].text(),
                               .score = data["baseScore"].number(),
                               .severity = data["baseSeverity"].text(),
                               .source = source,
                               .primary = primary});
    }
  }
}

void read_weaknesses(CveDraft& draft, const JsonNode& container) {
  for (const auto& type : container["problemTypes"].items()) {
    for (const auto& one : type["descriptions"].items()) {
      const auto id = one["cweId"].text();
      draft.add_weakness(id.empty() ? leading_cwe(one["description"].text()) : id);
    }
  }
}

void read_references(CveDraft& draft, const JsonNode& container) {
  for (const auto& reference : container["references"].items()) {
    CveReference made{.url = reference["url"].text()};
    for (const auto& tag : reference["tags"].items()) {
      if (tag.text() != "x_transferred") made.tags.push_back(tag.text());
    }
    draft.add_reference(std::move(made));
  }
}

void read_container(CveDraft& draft, const JsonNode& container, bool primary) {
  const auto source = container["providerMetadata"]["shortName"].text();
  read_metrics(draft, container, source, primary);
  read_weaknesses(draft, container);
  read_references(draft, container);
  for (const auto& affected : container["affected"].items()) {
    if (draft.affected.text().empty()) draft.affected.open('[');
    draft.affected.raw(affected.raw());
  }
}

}  // namespace

Result<Record> read_cve5(const JsonNode& record) {
  const auto about = record["cveMetadata"];
  const auto cna = record["containers"]["cna"];
  CveDraft draft;
  draft.id = about["cveId"].text();
  draft.source = about["assignerShortName"].text();
  draft.status = about["state"].text();
  draft.rejected = draft.status == "REJECTED";
  draft.published = parse_feed_time(about["datePublished"].text());
  draft.modified = parse_feed_time(about["dateUpdated"].text());
  draft.title = cna["title"].text();
  draft.description = english(draft.rejected ? cna["rejectedReasons"] : cna["descriptions"]);
  read_container(draft, cna, /*primary=*/true);
  for (const auto& other : record["containers"]["adp"].items()) read_container(draft, other, /*primary=*/false);
  if (!draft.affected.text().empty()) draft.affected.close(']');
  return finish(draft);
}

}  // namespace slipway::feeds
