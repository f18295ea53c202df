#include "feeds/providers/cwe_catalog.h"

#include <algorithm>
#include <utility>

namespace slipway::feeds {
namespace {

constexpr std::size_t kMostDigits = 7;

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= kMostDigits &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// "CanAlsoBe" is "can-also-be"; nothing for what is no such name.
std::string relation_of(std::string_view nature) {
  std::string name;
  for (const char c : nature) {
    const bool lower = c >= 'a' && c <= 'z';
    if (!lower && !is_upper(c)) return {};
    if (is_upper(c) && !name.empty()) name += '-';
    name += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

}  // namespace

Result<std::string> Catalog::id_of(std::string_view number, std::string_view what) const {
  if (number.empty()) return fail(ErrorKind::kCorrupt, "{} has no {} number", what, prefix);
  if (!is_number(number)) return fail(ErrorKind::kCorrupt, "{}: \"{:.40}\" is no {} number", what, number, prefix);
  return fmt::format("{}-{}", prefix, number);
}

Result<Record> begin_entry(const Catalog& catalog, const XmlNode& node) {
  const auto id = catalog.id_of(node.attribute("ID"), node.name);
  if (!id) return fail(id.error());
  auto urn = Urn::make("mitre", catalog.kind, *id);
  if (!urn) return fail(std::move(urn.error()));
  Record record{.urn = std::move(*urn), .title = std::string(node.attribute("Name"))};
  if (record.title.empty()) return fail(ErrorKind::kCorrupt, "{} has no name", *id);
  const auto status = node.attribute("Status");
  if (status == "Deprecated" || status == "Obsolete") record.standing = Standing::kDeprecated;
  return record;
}

std::string child_text(const XmlNode& node, std::string_view name) {
  const XmlNode* const child = node.child(name);
  return child == nullptr ? std::string() : child->all_text();
}

Result<> link_entries(LinkList& links, const XmlNode& node, std::string_view list, std::string_view element,
                      const Catalog& target, std::string_view relation) {
  const XmlNode* const entries = node.child(list);
  if (entries == nullptr) return {};
  const std::string attribute = fmt::format("{}_ID", target.prefix);
  for (const XmlNode& one : entries->children) {
    if (one.name != element) continue;
    const auto id = target.id_of(one.attribute(attribute), one.name);
    if (!id) return fail(id.error());
    const auto by_nature = relation.empty() ? relation_of(one.attribute("Nature")) : std::string(relation);
    if (by_nature.empty()) {
      return fail(ErrorKind::kCorrupt, "{} to {} has the nature \"{:.40}\", which is none", one.name, *id,
                  one.attribute("Nature"));
    }
    links.add(by_nature, "mitre", target.kind, *id);
  }
  return {};
}

Result<> link_members(LinkList& links, const XmlNode& node, const Catalog& catalog) {
  for (const auto* const list : {"Relationships", "Members"}) {
    if (auto linked = link_entries(links, node, list, "Has_Member", catalog, "member"); !linked) return linked;
  }
  return {};
}

void write_child(JsonWriter& json, std::string_view name, const XmlNode& node, std::string_view child) {
  json.filled(name, child_text(node, child));
}

void write_texts(JsonWriter& json, std::string_view name, const XmlNode& node, std::string_view child) {
  if (node.child(child) == nullptr) return;
  json.name(name).open('[');
  for (const XmlNode& one : node.children) {
    if (one.name == child) json.value(one.all_text());
  }
  json.close(']');
}

void write_consequences(JsonWriter& json, const XmlNode* list) {
  if (list == nullptr) return;
  json.name("consequences").open('[');
  for (const XmlNode& one : list->children) {
    if (one.name != "Consequence") continue;
    json.open('{');
    write_texts(json, "scope", one, "Scope");
    write_texts(json, "impact", one, "Impact");
    write_child(json, "likelihood", one, "Likelihood");
    write_child(json, "note", one, "Note");
    json.close('}');
  }
  json.close(']');
}

}  // namespace slipway::feeds
