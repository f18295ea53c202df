#include "feeds/providers/ssg_record.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "feeds/formats/json_writer.h"
#include "feeds/providers/cwe_links.h"

namespace slipway::feeds {
namespace {

constexpr std::size_t kLongestFix = 4096;  // bytes; longer ones are only told of

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// "xccdf_NAMESPACE_TYPE_NAME", as XCCDF 1.2 wants it; without a type, as in 1.1, it is all name.
struct XccdfId {
  std::string_view type{};
  std::string_view name{};
};

XccdfId split_id(std::string_view id) {
  constexpr std::string_view kPrefix = "xccdf_";
  if (!id.starts_with(kPrefix)) return {.name = id};
  const auto type = id.find('_', kPrefix.size());
  if (type == std::string_view::npos) return {.name = id};
  const auto name = id.find('_', type + 1);
  if (name == std::string_view::npos) return {.name = id};
  return {.type = id.substr(type + 1, name - type - 1), .name = id.substr(name + 1)};
}

bool has_value_in(const XmlNode& node) {
  return std::ranges::any_of(node.children,
                             [](const XmlNode& child) { return child.name == "sub" || has_value_in(child); });
}

// Where a value is to be put in, its name is.
void name_values(XmlNode& node) {
  for (XmlNode& child : node.children) {
    if (child.name == "sub") child.text = fmt::format("({})", split_id(child.attribute("idref")).name);
    name_values(child);
  }
}

std::string readable(const XmlNode& node) {
  if (!has_value_in(node)) return node.all_text();
  XmlNode copy = node;
  name_values(copy);
  return copy.all_text();
}

std::string child_text(const XmlNode& node, std::string_view name) {
  const XmlNode* const child = node.child(name);
  return child == nullptr ? std::string() : readable(*child);
}

// A script as it stands there.
void append_script(std::string& script, const XmlNode& node) {
  if (script.size() > kLongestFix) return;
  std::size_t at = 0;
  for (const XmlNode& child : node.children) {
    script.append(node.text, at, child.place - at);
    at = child.place;
    if (child.name == "sub") script.append(fmt::format("({})", split_id(child.attribute("idref")).name));
    append_script(script, child);
  }
  script.append(node.text, at);
}

// A rule, group or profile under way, or the benchmark itself.
struct Part {
  const XmlNode& node;
  std::string product{};
  std::string parent{};  // the id that its urn has; empty: it is the benchmark
};

std::string benchmark_id(const std::string& product) { return "guide-" + product; }

Result<Part> part_of(const XmlRecord& record) {
  const XmlNode& node = record.node;
  if (node.attribute("id").empty())
    return fail(ErrorKind::kCorrupt, "a {} in line {} has no id", node.name, record.line);
  std::string_view benchmark = node.name == "Benchmark" ? node.attribute("id") : std::string_view();
  std::string_view group;
  for (const auto& container : record.within) {
    if (container->name == "Benchmark") benchmark = container->attribute("id");
    if (container->name == "Group") group = split_id(container->attribute("id")).name;
  }
  Part part{.node = node, .product = ssg_product(benchmark)};
  if (part.product.empty()) {
    return fail(ErrorKind::kCorrupt, "{} {:.100} is in no benchmark with an id", node.name, node.attribute("id"));
  }
  if (node.name == "Benchmark") return part;
  const bool in_group = !group.empty() && node.name != "Profile";
  part.parent = in_group ? fmt::format("{}/group/{}", part.product, group) : benchmark_id(part.product);
  return part;
}

void write_references(JsonWriter& json, const XmlNode& node) {
  if (node.child("reference") == nullptr) return;
  json.name("references").open('[');
  for (const XmlNode& one : node.children) {
    if (one.name != "reference") continue;
    json.open('{').filled("href", one.attribute("href")).filled("text", one.all_text()).close('}');
  }
  json.close(']');
}

void write_identifiers(JsonWriter& json, const XmlNode& node) {
  if (node.child("ident") == nullptr) return;
  json.name("identifiers").open('[');
  for (const XmlNode& one : node.children) {
    if (one.name != "ident") continue;
    json.open('{').filled("system", one.attribute("system")).filled("text", one.all_text()).close('}');
  }
  json.close(']');
}

void write_fixes(JsonWriter& json, const XmlNode& node) {
  if (node.child("fix") == nullptr) return;
  json.name("fixes").open('[');
  for (const XmlNode& one : node.children) {
    if (one.name != "fix") continue;
    std::string script;
    append_script(script, one);
    json.open('{').filled("system", one.attribute("system"));
    if (script.size() <= kLongestFix) {
      json.filled("script", script);
    } else {
      json.name("long").flag(true);
    }
    json.close('}');
  }
  json.close(']');
}

void write_warnings(JsonWriter& json, const XmlNode& node) {
  if (node.child("warning") == nullptr) return;
  json.name("warnings").open('[');
  for (const XmlNode& one : node.children) {
    if (one.name == "warning") json.value(readable(one));
  }
  json.close(']');
}

std::string body_of(const XmlNode& node) {
  JsonWriter json;
  json.open('{').member("id", node.attribute("id"));
  if (const XmlNode* const status = node.child("status")) {
    json.filled("status", status->all_text()).filled("date", status->attribute("date"));
  }
  json.filled("version", child_text(node, "version")).filled("rationale", child_text(node, "rationale"));
  write_warnings(json, node);
  write_references(json, node);
  write_identifiers(json, node);
  write_fixes(json, node);
  json.close('}');
  return json.take();
}

bool holds_cce(std::string_view system) {
  constexpr std::string_view kWanted = "cce";
  return !std::ranges::search(system, kWanted, [](char a, char b) { return (is_upper(a) ? a + 32 : a) == b; }).empty();
}

void link_rule(LinkList& links, const XmlNode& rule) {
  for (const XmlNode& one : rule.children) {
    if (one.name == "ident" && holds_cce(one.attribute("system"))) {
      const auto name = one.all_text();
      if (name.starts_with("CCE-")) links.add("identifier", "nist", "cce", name);
    }
    if (one.name == "reference" && one.attribute("href").find("800-53") != std::string_view::npos) {
      for (const auto& name : control_names(one.all_text())) links.add("control", "nist", "control", name);
    }
  }
}

// Groups may be selected, too; in XCCDF 1.1 nothing in an id says what it is of.
void link_profile(LinkList& links, const Part& part) {
  for (const XmlNode& one : part.node.children) {
    const auto selected = one.attribute("selected");
    if (one.name != "select" || (selected != "true" && selected != "1")) continue;
    const auto id = split_id(one.attribute("idref"));
    if (id.name.empty() || (!id.type.empty() && id.type != "rule")) continue;
    links.add("selects", "nist", "ssg", fmt::format("{}/rule/{}", part.product, id.name));
  }
}

Result<std::string> id_of(const Part& part, std::string_view category) {
  if (category == "benchmark") return benchmark_id(part.product);
  const auto name = split_id(part.node.attribute("id")).name;
  if (name.empty()) return fail(ErrorKind::kCorrupt, "\"{:.100}\" names no {}", part.node.attribute("id"), category);
  return fmt::format("{}/{}/{}", part.product, category, name);
}

std::string_view category_of(std::string_view element) {
  if (element == "Benchmark") return "benchmark";
  if (element == "Group") return "group";
  if (element == "Profile") return "profile";
  return element == "Rule" ? "rule" : "";
}

}  // namespace

XmlElements::Options ssg_elements() {
  return {.records = {"Rule", "Profile", "Value"}, .containers = {"Benchmark", "Group"}};
}

std::string ssg_product(std::string_view benchmark) {
  std::string product;
  for (const char c : split_id(benchmark).name) {
    if (is_upper(c)) product += static_cast<char>(c - 'A' + 'a');
    if (is_lower(c) || is_digit(c)) product += c;
  }
  return product;
}

std::vector<std::string> control_names(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at + 4 <= text.size(); ++at) {
    const bool begins = at == 0 || (!is_upper(text[at - 1]) && !is_lower(text[at - 1]) && !is_digit(text[at - 1]) &&
                                    text[at - 1] != '.' && text[at - 1] != '-');
    if (!begins || !is_upper(text[at]) || !is_upper(text[at + 1]) || text[at + 2] != '-') continue;
    std::size_t end = at + 3;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end == at + 3 || end - at > 6) continue;
    names.emplace_back(text.substr(at, end - at));
  }
  return names;
}

Result<std::vector<Record>> read_ssg(const XmlRecord& record) {
  const auto category = category_of(record.node.name);
  if (category.empty()) return std::vector<Record>();
  const auto part = part_of(record);
  if (!part) return fail(part.error());
  const auto id = id_of(*part, category);
  if (!id) return fail(id.error());
  auto urn = Urn::make("nist", "ssg", *id);
  if (!urn) return fail(ErrorKind::kCorrupt, "{} {:.100}: {}", record.node.name, *id, urn.error().message());
  LinkList links;
  if (!part->parent.empty() && !links.add("part-of", "nist", "ssg", part->parent)) {
    return fail(ErrorKind::kCorrupt, "{} {:.100} is in \"{:.100}\", which cannot be a name", record.node.name, *id,
                part->parent);
  }
  if (category == "rule") link_rule(links, part->node);
  if (category == "profile") link_profile(links, *part);
  Record made{.urn = std::move(*urn),
              .title = child_text(record.node, "title"),
              .description = child_text(record.node, "description"),
              .links = links.take(),
              .details = Ssg{.category = std::string(category),
                             .severity = std::string(record.node.attribute("severity")),
                             .body = body_of(record.node)}};
  if (const XmlNode* const status = record.node.child("status"); status != nullptr && category != "benchmark") {
    if (status->all_text() == "deprecated") made.standing = Standing::kDeprecated;
  }
  std::vector<Record> one;
  one.push_back(std::move(made));
  return one;
}

}  // namespace slipway::feeds
