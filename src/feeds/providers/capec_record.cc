#include "feeds/providers/capec_record.h"

#include <utility>

#include "feeds/providers/cwe_catalog.h"

namespace slipway::feeds {
namespace {

// Names of children, and of the list that they are in.
void write_list(JsonWriter& json, std::string_view name, const XmlNode& node, std::string_view list,
                std::string_view element) {
  if (const XmlNode* const found = node.child(list)) write_texts(json, name, *found, element);
}

void write_skills(JsonWriter& json, const XmlNode* skills) {
  if (skills == nullptr) return;
  json.name("skills").open('[');
  for (const XmlNode& one : skills->children) {
    if (one.name != "Skill") continue;
    json.open('{').filled("level", one.attribute("Level")).filled("text", one.all_text()).close('}');
  }
  json.close(']');
}

void write_flow(JsonWriter& json, const XmlNode* flow) {
  if (flow == nullptr) return;
  json.name("flow").open('[');
  for (const XmlNode& one : flow->children) {
    if (one.name != "Attack_Step") continue;
    json.open('{');
    write_child(json, "step", one, "Step");
    write_child(json, "phase", one, "Phase");
    write_child(json, "text", one, "Description");
    write_texts(json, "techniques", one, "Technique");
    json.close('}');
  }
  json.close(']');
}

std::string body_of(const XmlNode& node) {
  JsonWriter json;
  json.open('{').filled("abstraction", node.attribute("Abstraction")).filled("type", node.attribute("Type"));
  json.filled("status", node.attribute("Status"));
  write_child(json, "extended", node, "Extended_Description");
  write_child(json, "likelihood", node, "Likelihood_Of_Attack");
  write_list(json, "prerequisites", node, "Prerequisites", "Prerequisite");
  write_skills(json, node.child("Skills_Required"));
  write_list(json, "resources", node, "Resources_Required", "Resource");
  write_flow(json, node.child("Execution_Flow"));
  write_consequences(json, node.child("Consequences"));
  write_list(json, "mitigations", node, "Mitigations", "Mitigation");
  write_list(json, "examples", node, "Example_Instances", "Example");
  json.close('}');
  return json.take();
}

// Entries of ATT&CK stand there without their T: "1574.010".
Result<> link_techniques(LinkList& links, const XmlNode& node) {
  const XmlNode* const mappings = node.child("Taxonomy_Mappings");
  if (mappings == nullptr) return {};
  for (const XmlNode& one : mappings->children) {
    if (one.name != "Taxonomy_Mapping" || one.attribute("Taxonomy_Name") != "ATTACK") continue;
    const auto entry = child_text(one, "Entry_ID");
    const bool good = !entry.empty() && entry.size() <= 16 && entry.find_first_not_of("0123456789.") == entry.npos;
    if (!good) return fail(ErrorKind::kCorrupt, "\"{:.40}\" is no technique of ATT&CK", entry);
    links.add("technique", "mitre", "attack", "T" + entry);
  }
  return {};
}

Result<> link_pattern(LinkList& links, const XmlNode& node) {
  if (auto linked = link_entries(links, node, "Related_Weaknesses", "Related_Weakness", kCweCatalog, "weakness");
      !linked) {
    return linked;
  }
  if (auto linked = link_entries(links, node, "Related_Attack_Patterns", "Related_Attack_Pattern", kCapecCatalog, "");
      !linked) {
    return linked;
  }
  return link_techniques(links, node);
}

}  // namespace

Result<Record> read_capec(const XmlNode& node) {
  const bool pattern = node.name == "Attack_Pattern";
  if (!pattern && node.name != "Category" && node.name != "View") {
    return fail(ErrorKind::kCorrupt, "\"{:.40}\" is no attack pattern, category or view", node.name);
  }
  auto record = begin_entry(kCapecCatalog, node);
  if (!record) return record;
  LinkList links;
  auto linked = pattern ? link_pattern(links, node) : link_members(links, node, kCapecCatalog);
  // A category may have techniques, too.
  if (linked && !pattern) linked = link_techniques(links, node);
  if (!linked) return linked.error().during("{}", record->urn.id());
  record->links = links.take();
  Capec capec{.severity = child_text(node, "Typical_Severity"), .body = body_of(node)};
  if (pattern) {
    record->description = child_text(node, "Description");
    capec.category = "pattern";
  } else if (node.name == "Category") {
    record->description = child_text(node, "Summary");
    capec.category = "category";
  } else {
    record->description = child_text(node, "Objective");
    capec.category = "view";
  }
  record->details = std::move(capec);
  return record;
}

}  // namespace slipway::feeds
