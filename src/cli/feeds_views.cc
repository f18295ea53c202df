#include "cli/feeds_views.h"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "base/json.h"
#include "cli/text.h"

namespace slipway::cli {
namespace {

constexpr std::size_t kAffectedShown = 20;

OrderedJson score_json(const std::optional<double>& score) {
  return score ? OrderedJson(*score) : OrderedJson(nullptr);
}

// A body is JSON that was checked when it was stored; what is none all the same is shown as text.
OrderedJson body_json(const std::string& body) {
  if (body.empty()) return nullptr;
  if (!parse_json(body)) return json_text(body);  // it bounds the nesting
  auto parsed = OrderedJson::parse(body, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? json_text(body) : parsed;
}

OrderedJson affected_json(const feeds::Affected& one) {
  return {{"ecosystem", json_text(one.ecosystem)}, {"package", json_text(one.package)},
          {"status", json_filled(one.status)},     {"fixed", json_filled(one.fixed)},
          {"urgency", json_filled(one.urgency)},   {"ranges", body_json(one.ranges)}};
}

// Adds the columns that its kind has.
struct DetailsJson {
  OrderedJson& json;

  void operator()(const feeds::Cve& it) const {
    json["published_at"] = json_time(it.published);
    json["modified_at"] = json_time(it.modified);
    json["score"] = score_json(it.score);
    json["vector"] = json_filled(it.vector);
    json["body"] = body_json(it.body);
  }
  void operator()(const feeds::Advisory& it) const {
    json["published_at"] = json_time(it.published);
    json["modified_at"] = json_time(it.modified);
    json["score"] = score_json(it.score);
    json["vector"] = json_filled(it.vector);
    json["affected"] = OrderedJson::array();
    for (const auto& one : it.affected) json["affected"].push_back(affected_json(one));
    json["body"] = body_json(it.body);
  }
  void operator()(const feeds::Asvs& it) const {
    json["category"] = json_filled(it.category);
    json["level"] = it.level;
    json["body"] = body_json(it.body);
  }
  void operator()(const feeds::Cce& it) const {
    json["platform"] = json_filled(it.platform);
    json["body"] = body_json(it.body);
  }
  template <class Other>
  void operator()(const Other& it) const {
    json["category"] = json_filled(it.category);
    if constexpr (requires { it.severity; }) json["severity"] = json_filled(it.severity);
    json["body"] = body_json(it.body);
  }
};

// Controls and guidelines are names that others share: no provider tells of them.
std::string title_of(const feeds::Named& named) {
  const bool only_a_name = named.kind == "control" || named.kind == "guideline";
  std::string title = named.known ? printable(named.title) : only_a_name ? "" : "(not known)";
  const auto standing = standing_word(named);
  return standing.empty() ? title : fmt::format("[{}] {}", standing, title);
}

std::string plural(std::string_view role, std::int64_t count) {
  if (count == 1) return std::string(role);
  if (role.ends_with("ss")) return std::string(role) + "es";
  if (role.ends_with('y')) return std::string(role.substr(0, role.size() - 1)) + "ies";
  return std::string(role) + "s";
}

class TreeWriter {
 public:
  explicit TreeWriter(const TreeLook& look) : look_(look) {}

  void write_below(const feeds::ChainNode& node, const std::string& margin) {
    auto left = node.below.size() + node.more.size();
    for (std::size_t i = 0; i < node.below.size(); ++i) {
      const auto& below = node.below[i];
      const bool last = --left == 0;
      write_node(below, margin + branch(last));
      write_below(below, margin + trunk(last));
    }
    for (const auto& [role, count] : node.more) {
      const bool last = --left == 0;
      add(margin + branch(last), fmt::format("... and {} more {}", count, plural(role, count)), Style::kDim);
    }
  }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  [[nodiscard]] std::string branch(bool last) const {
    if (!look_.unicode) return last ? "`- " : "|- ";
    return last ? "└─ " : "├─ ";
  }
  [[nodiscard]] std::string trunk(bool last) const {
    if (last) return "   ";
    return look_.unicode ? "│  " : "|  ";
  }

  void write_node(const feeds::ChainNode& node, const std::string& margin) {
    const auto role = node.role + " ";
    const auto name = printable(node.what.name);
    auto rest = node.repeated ? std::string("(see above)") : title_of(node.what);
    if (!rest.empty()) rest = "  " + rest;
    const auto line = fitting(margin + role + name + rest);
    if (!look_.color || !line.starts_with(margin + role + name)) {
      lines_.push_back(line);
      return;
    }
    const bool live = node.what.is_live();
    lines_.push_back(paint(margin + role, Style::kDim, look_.color) +
                     paint(name, live ? Style::kCyan : Style::kYellow, look_.color) +
                     line.substr((margin + role + name).size()));
  }
  void add(const std::string& margin, const std::string& text, Style style) {
    lines_.push_back(paint(fitting(margin + text), style, look_.color));
  }
  [[nodiscard]] std::string fitting(const std::string& line) const {
    return look_.columns == 0 ? line : shorten(line, look_.columns, look_.unicode ? "…" : "...");
  }

  const TreeLook& look_;
  std::vector<std::string> lines_;
};

// Adds what its kind has for people.
struct DetailsFacts {
  Facts& facts;
  const Output& output;

  void add(const char* name, std::string value) const {
    if (!value.empty()) facts.emplace_back(name, std::move(value));
  }
  void rated(const std::optional<double>& score, const std::string& vector) const {
    if (score) add("score", fmt::format("{:.1f}{}", *score, vector.empty() ? "" : "  " + vector));
    if (!score) add("vector", vector);
  }
  void dated(const std::optional<TimePoint>& published, const std::optional<TimePoint>& modified) const {
    if (published) add("published", output.time(published));
    if (modified) add("modified", output.time(modified));
  }

  void operator()(const feeds::Cve& it) const {
    rated(it.score, it.vector);
    dated(it.published, it.modified);
  }
  void operator()(const feeds::Advisory& it) const {
    rated(it.score, it.vector);
    dated(it.published, it.modified);
    for (std::size_t i = 0; i < std::min(it.affected.size(), kAffectedShown); ++i) {
      const auto& one = it.affected[i];
      add(i == 0 ? "affected" : " ", fmt::format("{} {}  {}{}", one.ecosystem, one.package, one.status,
                                                 one.fixed.empty() ? "" : fmt::format(", fixed in {}", one.fixed)));
    }
    if (it.affected.size() > kAffectedShown) {
      add(" ", fmt::format("... and {} more", it.affected.size() - kAffectedShown));
    }
  }
  void operator()(const feeds::Asvs& it) const {
    add("category", it.category);
    if (it.level > 0) add("level", std::to_string(it.level));
  }
  void operator()(const feeds::Cce& it) const { add("platform", it.platform); }
  template <class Other>
  void operator()(const Other& it) const {
    add("category", it.category);
    if constexpr (requires { it.severity; }) add("severity", it.severity);
  }
};

}  // namespace

std::string standing_word(const feeds::Named& named) {
  if (named.gone_since) return "gone";
  return named.standing == feeds::Standing::kLive ? "" : std::string(feeds::to_string(named.standing));
}

OrderedJson named_json(const feeds::Named& named) {
  return {{"urn", json_text(named.urn)},
          {"kind", json_text(named.kind)},
          {"name", json_text(named.name)},
          {"known", named.known},
          {"title", json_filled(named.title)},
          {"standing", named.known ? OrderedJson(feeds::to_string(named.standing)) : OrderedJson(nullptr)},
          {"gone_since", json_time(named.gone_since)}};
}

OrderedJson entry_json(const feeds::Entry& entry) {
  auto json = named_json(entry.what);
  json["title"] = json_filled(entry.title);
  json["description"] = json_filled(entry.description);
  json["provider"] = json_filled(entry.provider);
  json["processed_at"] = json_time(entry.what.known ? std::optional(entry.processed_at) : std::nullopt);
  if (entry.details) std::visit(DetailsJson{json}, *entry.details);
  json["links"] = OrderedJson::array();
  for (const auto& group : entry.links) {
    auto some = OrderedJson::array();
    for (const auto& other : group.some) some.push_back(named_json(other));
    json["links"].push_back({{"relation", json_text(group.relation)},
                             {"inward", group.inward},
                             {"count", group.count},
                             {"others", std::move(some)}});
  }
  return json;
}

OrderedJson chain_json(const feeds::ChainNode& node) {
  auto json = named_json(node.what);
  json["role"] = json_filled(node.role);
  json["repeated"] = node.repeated;
  json["below"] = OrderedJson::array();
  for (const auto& below : node.below) json["below"].push_back(chain_json(below));
  json["more"] = OrderedJson::object();
  for (const auto& [role, count] : node.more) json["more"][role] = count;
  return json;
}

std::vector<std::string> tree_lines(const feeds::ChainNode& root, const TreeLook& look) {
  TreeWriter writer(look);
  writer.write_below(root, "");
  return writer.take();
}

Facts facts_of(const feeds::Entry& entry, const Output& output) {
  Facts facts{{"urn", entry.what.urn}};
  if (!entry.what.known) facts.emplace_back("known", "no: others link to it");
  if (const auto standing = standing_word(entry.what); !standing.empty()) facts.emplace_back("standing", standing);
  if (entry.what.gone_since) facts.emplace_back("gone since", output.time(entry.what.gone_since));
  if (entry.details) std::visit(DetailsFacts{facts, output}, *entry.details);
  if (entry.what.known) facts.emplace_back("provider", entry.provider);
  for (const auto& group : entry.links) {
    std::vector<std::string> names;
    for (const auto& other : group.some) names.push_back(other.name);
    const auto left = group.count - static_cast<std::int64_t>(names.size());
    facts.emplace_back((group.inward ? "< " : "> ") + group.relation,
                       fmt::format("{}{}", fmt::join(names, ", "), left > 0 ? fmt::format(", ... {} more", left) : ""));
  }
  return facts;
}

}  // namespace slipway::cli
