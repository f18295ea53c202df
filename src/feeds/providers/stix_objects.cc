// Objects of STIX bundles as records.
#include <algorithm>
#include <array>

#include "feeds/formats/json_writer.h"
#include "feeds/providers/stix.h"

namespace slipway::feeds {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kCategories = {{
    {"attack-pattern", "technique"},
    {"x-mitre-tactic", "tactic"},
    {"course-of-action", "mitigation"},
    {"intrusion-set", "group"},
    {"malware", "software"},
    {"tool", "software"},
    {"campaign", "campaign"},
    {"x-mitre-data-source", "data-source"},
    {"x-mitre-data-component", "data-component"},
    {"x-mitre-detection-strategy", "detection"},
    {"x-mitre-analytic", "analytic"},
    {"x-mitre-asset", "asset"},
}};

std::string_view category_of(std::string_view type) {
  for (const auto& [stix, category] : kCategories) {
    if (stix == type) return category;
  }
  return {};
}

Standing standing_of(const JsonNode& object) {
  if (object["revoked"].flag()) return Standing::kRevoked;
  return object["x_mitre_deprecated"].flag() ? Standing::kDeprecated : Standing::kLive;
}

void write_texts(JsonWriter& json, std::string_view name, const JsonNode& list) {
  const auto all = list.items();
  if (all.empty()) return;
  json.name(name).open('[');
  for (const auto& one : all) json.value(one.text());
  json.close(']');
}

std::string attack_body(const JsonNode& object) {
  JsonWriter json;
  json.open('{').member("type", object["type"].text());
  json.filled("created", object["created"].text()).filled("modified", object["modified"].text());
  json.filled("version", object["x_mitre_version"].text()).filled("detection", object["x_mitre_detection"].text());
  write_texts(json, "domains", object["x_mitre_domains"]);
  write_texts(json, "platforms", object["x_mitre_platforms"]);
  write_texts(json, "aliases", object["aliases"] ? object["aliases"] : object["x_mitre_aliases"]);
  json.name("references").open('[');
  for (const auto& one : object["external_references"].items()) {
    if (!one["url"]) continue;
    json.open('{').member("name", one["source_name"].text()).member("url", one["url"].text()).close('}');
  }
  return json.close(']').close('}').take();
}

void add_link(std::vector<Link>& links, std::string_view relation, std::optional<Urn> target) {
  if (!target) return;
  Link link{std::string(relation), std::move(*target)};
  if (std::ranges::find(links, link) == links.end()) links.push_back(std::move(link));
}

// "NIST SP 800-53 Rev. 5 - AC-6; IA-2" among the labels of a mitigation.
void add_controls(std::vector<Link>& links, const JsonNode& labels) {
  for (const auto& label : labels.items()) {
    const auto text = label.text();
    const auto dash = text.rfind(" - ");
    if (!text.starts_with("NIST SP 800-53") || dash == std::string_view::npos) continue;
    for (auto rest = text.substr(dash + 3); !rest.empty();) {
      const auto end = rest.find_first_of(";, ");
      const auto id = rest.substr(0, std::min(end, rest.find('(')));
      if (auto urn = Urn::make("nist", "control", id)) add_link(links, "control", *urn);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
  }
}

void add_attack_links(Record& record, const JsonNode& object, const StixOutline& outline) {
  for (const auto& phase : object["kill_chain_phases"].items()) {
    add_link(record.links, "tactic", outline.tactic(phase["kill_chain_name"].text(), phase["phase_name"].text()));
  }
  for (auto& link : outline.links_of(object["id"].text()))
    add_link(record.links, link.relation, std::move(link.target));
  for (const auto& reference : object["external_references"].items()) {
    if (reference["source_name"].text() != "capec") continue;
    if (auto urn = Urn::make("mitre", "capec", reference["external_id"].text()))
      add_link(record.links, "pattern", *urn);
  }
  for (const auto& analytic : object["x_mitre_analytic_refs"].items()) {
    add_link(record.links, "analytic", outline.urn_of(analytic.text()));
  }
  add_controls(record.links, object["labels"]);
}

std::string capec_body(const JsonNode& object) {
  JsonWriter json;
  json.open('{').filled("abstraction", object["x_capec_abstraction"].text());
  json.filled("status", object["x_capec_status"].text());
  json.filled("likelihood", object["x_capec_likelihood_of_attack"].text());
  json.filled("extended_description", object["x_capec_extended_description"].text());
  write_texts(json, "prerequisites", object["x_capec_prerequisites"]);
  write_texts(json, "examples", object["x_capec_example_instances"]);
  return json.close('}').take();
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kCapecRelations = {{
    {"x_capec_child_of_refs", "child-of"},
    {"x_capec_peer_of_refs", "peer-of"},
    {"x_capec_can_precede_refs", "can-precede"},
    {"x_capec_can_follow_refs", "can-follow"},
}};

void add_capec_links(Record& record, const JsonNode& object, const StixOutline& outline) {
  for (const auto& reference : object["external_references"].items()) {
    const auto source = reference["source_name"].text();
    const bool weakness = source == "cwe";
    if (!weakness && source != "ATTACK") continue;
    if (auto urn = Urn::make("mitre", weakness ? "cwe" : "attack", reference["external_id"].text())) {
      add_link(record.links, weakness ? "weakness" : "technique", *urn);
    }
  }
  for (const auto& [member, relation] : kCapecRelations) {
    for (const auto& other : object[member].items()) add_link(record.links, relation, outline.urn_of(other.text()));
  }
}

Result<std::optional<Record>> begin_record(const JsonNode& object, const StixOutline& outline) {
  const auto id = external_id(object, outline.names());
  if (id.empty()) return std::nullopt;
  auto urn = Urn::make("mitre", outline.names().kind, id);
  if (!urn) return fail(std::move(urn.error()));
  return Record{.urn = std::move(*urn),
                .title = std::string(object["name"].text()),
                .description = std::string(object["description"].text()),
                .standing = standing_of(object)};
}

}  // namespace

Result<std::optional<Record>> read_attack_object(const JsonNode& object, const StixOutline& outline) {
  const auto category = category_of(object["type"].text());
  if (category.empty()) return std::nullopt;
  auto record = begin_record(object, outline);
  if (!record || !*record) return record;
  add_attack_links(**record, object, outline);
  (*record)->details = Attack{.category = std::string(category), .body = attack_body(object)};
  return record;
}

Result<std::optional<Record>> read_capec_object(const JsonNode& object, const StixOutline& outline) {
  if (object["type"].text() != "attack-pattern") return std::nullopt;
  auto record = begin_record(object, outline);
  if (!record || !*record) return record;
  const auto status = object["x_capec_status"].text();
  if (status == "Deprecated" || status == "Obsolete") (*record)->standing = Standing::kDeprecated;
  add_capec_links(**record, object, outline);
  (*record)->details = Capec{.category = "pattern",
                             .severity = std::string(object["x_capec_typical_severity"].text()),
                             .body = capec_body(object)};
  return record;
}

}  // namespace slipway::feeds
