#include "feeds/providers/cve_draft.h"

#include <algorithm>
#include <cmath>

#include "feeds/cvss/cvss.h"

namespace slipway::feeds {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// CVE-YEAR-NUMBER, with at least four digits each.
bool is_cve_id(std::string_view id) {
  if (!id.starts_with("CVE-") || id.size() > 32) return false;
  id.remove_prefix(4);
  const auto dash = id.find('-');
  if (dash != 4) return false;
  return all_digits(id.substr(0, 4)) && id.size() >= 9 && all_digits(id.substr(5));
}

bool is_cwe_id(std::string_view name) {
  return name.starts_with("CWE-") && name.size() < 12 && all_digits(name.substr(4));
}

// The best is what is newest, then the publisher's own, then what comes first.
const CveMetric* best(const std::vector<CveMetric>& metrics) {
  const CveMetric* found = nullptr;
  for (const auto& metric : metrics) {
    if (metric.vector.empty() && !metric.score) continue;
    if (found == nullptr || std::pair(metric.version, metric.primary) > std::pair(found->version, found->primary)) {
      found = &metric;
    }
  }
  return found;
}

std::optional<double> score_of(const CveMetric& metric) {
  if (const auto scored = score_cvss(metric.vector)) return scored->base;
  const bool possible = metric.score && *metric.score >= 0 && *metric.score <= 10;
  return possible ? metric.score : std::nullopt;
}

void write_metrics(JsonWriter& json, const std::vector<CveMetric>& metrics) {
  if (metrics.empty()) return;
  json.name("cvss").open('[');
  for (const auto& metric : metrics) {
    json.open('{').member("version", metric.version).filled("vector", metric.vector);
    if (metric.score) json.name("score").number(*metric.score);
    json.filled("severity", metric.severity).filled("source", metric.source);
    json.name("primary").flag(metric.primary).close('}');
  }
  json.close(']');
}

void write_references(JsonWriter& json, const std::vector<CveReference>& references) {
  if (references.empty()) return;
  json.name("references").open('[');
  for (const auto& reference : references) {
    json.open('{').member("url", reference.url);
    if (!reference.tags.empty()) {
      json.name("tags").open('[');
      for (const auto tag : reference.tags) json.value(tag);
      json.close(']');
    }
    json.close('}');
  }
  json.close(']');
}

std::string body_of(const CveDraft& draft) {
  JsonWriter json;
  json.open('{').filled("status", draft.status).filled("source", draft.source);
  write_metrics(json, draft.metrics);
  if (!draft.weaknesses.empty()) {
    json.name("weaknesses").open('[');
    for (const auto name : draft.weaknesses) json.value(name);
    json.close(']');
  }
  if (!draft.configurations.text().empty()) json.name("configurations").raw(draft.configurations.text());
  if (!draft.affected.text().empty()) json.name("affected").raw(draft.affected.text());
  write_references(json, draft.references);
  json.close('}');
  return json.take();
}

}  // namespace

std::string_view leading_cwe(std::string_view text) {
  if (!text.starts_with("CWE-")) return {};
  auto end = text.find_first_not_of("0123456789", 4);
  if (end == std::string_view::npos) end = text.size();
  const bool ends_there = end == text.size() || text[end] == ' ' || text[end] == ':' || text[end] == ',';
  return ends_there && is_cwe_id(text.substr(0, end)) ? text.substr(0, end) : std::string_view();
}

void CveDraft::add_weakness(std::string_view name) {
  if (name.empty() || std::ranges::find(weaknesses, name) != weaknesses.end()) return;
  weaknesses.push_back(name);
}

void CveDraft::add_reference(CveReference reference) {
  if (reference.url.empty()) return;
  const auto known = std::ranges::find(references, reference.url, &CveReference::url);
  if (known == references.end()) {
    references.push_back(std::move(reference));
    return;
  }
  for (const auto tag : reference.tags) {
    if (std::ranges::find(known->tags, tag) == known->tags.end()) known->tags.push_back(tag);
  }
}

Result<Record> finish(const CveDraft& draft) {
  if (draft.id.empty()) return fail(ErrorKind::kCorrupt, "it has no CVE id");
  if (!is_cve_id(draft.id)) return fail(ErrorKind::kCorrupt, "\"{:.40}\" is no CVE id", draft.id);
  auto urn = Urn::make("nvd", "cve", draft.id);
  if (!urn) return fail(std::move(urn.error()));
  Record record{.urn = std::move(*urn), .title = std::string(draft.title), .description = draft.description};
  if (draft.rejected) record.standing = Standing::kRejected;
  for (const auto name : draft.weaknesses) {
    if (!is_cwe_id(name)) continue;
    auto target = Urn::make("mitre", "cwe", name);
    if (target) record.links.push_back({"weakness", std::move(*target)});
  }
  Cve cve{.published = draft.published, .modified = draft.modified};
  if (const auto* metric = best(draft.metrics)) {
    cve.score = score_of(*metric);
    cve.vector = std::string(metric->vector);
  }
  cve.body = body_of(draft);
  record.details = std::move(cve);
  return record;
}

}  // namespace slipway::feeds
