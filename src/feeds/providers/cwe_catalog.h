// Internal to feeds/providers: what the XML of CWE's and of CAPEC's catalogs has in common.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "feeds/formats/json_writer.h"
#include "feeds/formats/xml_node.h"
#include "feeds/providers/cwe_links.h"
#include "feeds/record.h"

namespace slipway::feeds {

// Which catalog: "CWE" with the kind "cwe", or "CAPEC" with "capec".
struct Catalog {
  std::string_view prefix;
  std::string_view kind;

  // "CWE-79" of "79". kCorrupt: that is no number; `what` says whose.
  [[nodiscard]] Result<std::string> id_of(std::string_view number, std::string_view what) const;
};
inline constexpr Catalog kCweCatalog{.prefix = "CWE", .kind = "cwe"};
inline constexpr Catalog kCapecCatalog{.prefix = "CAPEC", .kind = "capec"};

// Urn, title and standing of an entry.
[[nodiscard]] Result<Record> begin_entry(const Catalog& catalog, const XmlNode& node);

// The text of the first of these children that is there; "".
[[nodiscard]] std::string child_text(const XmlNode& node, std::string_view name);

// A link for each `element` in the child `list`: to the entry of `target` that its attribute PREFIX_ID names. The
// relation is `relation`, or comes from its Nature when that is empty: "ChildOf" is "child-of".
[[nodiscard]] Result<> link_entries(LinkList& links, const XmlNode& node, std::string_view list,
                                    std::string_view element, const Catalog& target, std::string_view relation);

// Members of a category (Relationships) and of a view (Members).
[[nodiscard]] Result<> link_members(LinkList& links, const XmlNode& node, const Catalog& catalog);

// Nothing where the child is not there or has no text.
void write_child(JsonWriter& json, std::string_view name, const XmlNode& node, std::string_view child);
// A list of the texts of all children of that name.
void write_texts(JsonWriter& json, std::string_view name, const XmlNode& node, std::string_view child);
// [{"scope": [...], "impact": [...], "likelihood": ..., "note": ...}]
void write_consequences(JsonWriter& json, const XmlNode* list);

}  // namespace slipway::feeds
