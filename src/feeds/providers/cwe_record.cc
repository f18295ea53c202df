#include "feeds/providers/cwe_record.h"

#include <utility>

#include "feeds/providers/cwe_catalog.h"

namespace slipway::feeds {
namespace {

// [{"type": "Language", "name": ..., "class": ..., "prevalence": ...}]
void write_platforms(JsonWriter& json, const XmlNode* platforms) {
  if (platforms == nullptr) return;
  json.name("platforms").open('[');
  for (const XmlNode& one : platforms->children) {
    json.open('{').member("type", one.name).filled("name", one.attribute("Name"));
    json.filled("class", one.attribute("Class")).filled("prevalence", one.attribute("Prevalence")).close('}');
  }
  json.close(']');
}

void write_mitigations(JsonWriter& json, const XmlNode* mitigations) {
  if (mitigations == nullptr) return;
  json.name("mitigations").open('[');
  for (const XmlNode& one : mitigations->children) {
    if (one.name != "Mitigation") continue;
    json.open('{');
    write_texts(json, "phases", one, "Phase");
    write_child(json, "strategy", one, "Strategy");
    write_child(json, "text", one, "Description");
    write_child(json, "effectiveness", one, "Effectiveness");
    json.close('}');
  }
  json.close(']');
}

// What happened, with the CVE that it is known by. Not as links: a CVE says itself what its weaknesses are.
void write_examples(JsonWriter& json, const XmlNode* examples) {
  if (examples == nullptr) return;
  json.name("examples").open('[');
  for (const XmlNode& one : examples->children) {
    if (one.name != "Observed_Example") continue;
    json.open('{');
    write_child(json, "name", one, "Reference");
    write_child(json, "text", one, "Description");
    json.close('}');
  }
  json.close(']');
}

std::string body_of(const XmlNode& node) {
  JsonWriter json;
  json.open('{').filled("abstraction", node.attribute("Abstraction")).filled("structure", node.attribute("Structure"));
  json.filled("type", node.attribute("Type")).filled("status", node.attribute("Status"));
  write_child(json, "extended", node, "Extended_Description");
  write_child(json, "likelihood", node, "Likelihood_Of_Exploit");
  write_platforms(json, node.child("Applicable_Platforms"));
  write_consequences(json, node.child("Common_Consequences"));
  write_mitigations(json, node.child("Potential_Mitigations"));
  write_examples(json, node.child("Observed_Examples"));
  if (const XmlNode* const notes = node.child("Mapping_Notes")) {
    write_child(json, "mapping", *notes, "Usage");
    write_child(json, "mapping_rationale", *notes, "Rationale");
  }
  json.close('}');
  return json.take();
}

Result<> link_weakness(LinkList& links, const XmlNode& node) {
  if (auto linked = link_entries(links, node, "Related_Weaknesses", "Related_Weakness", kCweCatalog, ""); !linked) {
    return linked;
  }
  return link_entries(links, node, "Related_Attack_Patterns", "Related_Attack_Pattern", kCapecCatalog, "pattern");
}

}  // namespace

Result<Record> read_cwe(const XmlNode& node) {
  const bool weakness = node.name == "Weakness";
  if (!weakness && node.name != "Category" && node.name != "View") {
    return fail(ErrorKind::kCorrupt, "\"{:.40}\" is no weakness, category or view", node.name);
  }
  auto record = begin_entry(kCweCatalog, node);
  if (!record) return record;
  LinkList links;
  auto linked = weakness ? link_weakness(links, node) : link_members(links, node, kCweCatalog);
  if (!linked) return linked.error().during("{}", record->urn.id());
  record->links = links.take();
  Cwe cwe{.body = body_of(node)};
  if (weakness) {
    record->description = child_text(node, "Description");
    cwe.category = "weakness";
  } else if (node.name == "Category") {
    record->description = child_text(node, "Summary");
    cwe.category = "category";
  } else {
    record->description = child_text(node, "Objective");
    cwe.category = "view";
  }
  record->details = std::move(cwe);
  return record;
}

}  // namespace slipway::feeds
