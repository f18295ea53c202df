#include "scan/policy/openvex.h"

#include <algorithm>
#include <array>
#include <utility>

#include "feeds/formats/feed_time.h"
#include "feeds/formats/json_node.h"
#include "scan/letters.h"
#include "scan/text_file.h"

namespace slipway::scan {
namespace {

using feeds::JsonNode;

constexpr std::array<std::string_view, 4> kStatuses{"not_affected", "affected", "fixed", "under_investigation"};

std::optional<VexStatus> parse_status(std::string_view text) {
  const auto found = std::ranges::find(kStatuses, text);
  if (found == kStatuses.end()) return std::nullopt;
  return static_cast<VexStatus>(found - kStatuses.begin());
}

void add_name(std::string_view name, VexComponent& component) {
  if (name.empty() || std::ranges::find(component.names, name) != component.names.end()) return;
  component.names.emplace_back(name);
  if (auto purl = split_purl(name)) component.purls.push_back(std::move(*purl));
}

// A text or an object: the older versions have texts.
VexComponent read_component(const JsonNode& node) {
  VexComponent component;
  if (!node.is_object()) {
    add_name(node.text(), component);
    return component;
  }
  add_name(node["@id"].text(), component);
  for (const auto& [kind, identifier] : node["identifiers"].members()) add_name(identifier.text(), component);
  for (const auto& [kind, hash] : node["hashes"].members()) {
    if (same_letters(kind, "sha-256") || same_letters(kind, "sha256")) {
      component.digests.push_back(small_letters(hash.text()));
    }
  }
  return component;
}

std::vector<VexProduct> read_products(const JsonNode& statement) {
  std::vector<VexComponent> of_all;  // v0.0.1 has them beside the products
  for (const auto& part : statement["subcomponents"].items()) of_all.push_back(read_component(part));
  std::vector<VexProduct> products;
  for (const auto& node : statement["products"].items()) {
    VexProduct product{.self = read_component(node), .subcomponents = of_all};
    if (node.is_object()) {
      for (const auto& part : node["subcomponents"].items()) product.subcomponents.push_back(read_component(part));
    }
    products.push_back(std::move(product));
  }
  return products;
}

// A text or an object with a name and other names. An object with nothing but an address is named by its last part.
std::vector<std::string> read_vulnerability(const JsonNode& node) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (!name.empty()) names.emplace_back(name);
  };
  if (!node.is_object()) {
    add(node.text());
    return names;
  }
  add(node["name"].text());
  for (const auto& alias : node["aliases"].items()) add(alias.text());
  if (names.empty()) {
    const auto address = node["@id"].text();
    add(address.substr(address.find_last_of('/') + 1));
  }
  return names;
}

std::string read_reason(const JsonNode& statement) {
  std::string reason;
  for (const std::string_view key : {"justification", "impact_statement", "status_notes"}) {
    const auto text = statement[key].text();
    if (text.empty()) continue;
    if (!reason.empty()) reason += ": ";
    reason += text;
  }
  return reason;
}

// Reads the statements of one document.
class Reader {
 public:
  explicit Reader(std::string name) { document_.name = std::move(name); }

  [[nodiscard]] Result<VexDocument> read(const JsonNode& root);

 private:
  template <class... Args>
  [[nodiscard]] std::unexpected<Error> wrong(std::string way_out, fmt::format_string<Args...> rule, Args&&... args) {
    return fail(Error(ErrorKind::kInvalid, fmt::format("{}: statement {} {}", document_.name, number_,
                                                       fmt::format(rule, std::forward<Args>(args)...)))
                    .with_hint(std::move(way_out)));
  }
  [[nodiscard]] Result<> check_context(const JsonNode& root) const;
  [[nodiscard]] Result<std::optional<TimePoint>> read_time(const JsonNode& statement);
  [[nodiscard]] Result<VexStatement> read_statement(const JsonNode& node);

  VexDocument document_;
  std::optional<TimePoint> at_;
  std::size_t number_ = 0;  // of the statement, from 1
};

Result<> Reader::check_context(const JsonNode& root) const {
  constexpr std::string_view kNamespace = "https://openvex.dev/ns";
  constexpr std::array<std::string_view, 3> kKnown{"/v0.0.", "/v0.1.", "/v0.2."};
  auto context = root.is_object() && root["@context"].is_text() ? root["@context"].text() : std::string_view{};
  if (!context.starts_with(kNamespace)) {
    return fail(Error(ErrorKind::kUnsupported, fmt::format("{} is not an OpenVEX document", document_.name))
                    .with_hint("its @context is https://openvex.dev/ns/v0.2.0; of CSAF and CycloneDX no VEX is read"));
  }
  context.remove_prefix(kNamespace.size());
  if (context.empty() || context == "/" ||
      std::ranges::any_of(kKnown, [&](std::string_view known) { return context.starts_with(known); })) {
    return {};
  }
  return fail(Error(ErrorKind::kUnsupported,
                    fmt::format("{} is of an OpenVEX version that is not known: {}", document_.name, context))
                  .with_hint("versions v0.0.1 to v0.2.0 are read"));
}

Result<std::optional<TimePoint>> Reader::read_time(const JsonNode& statement) {
  for (const std::string_view key : {"last_updated", "timestamp"}) {
    const auto text = statement[key].text();
    if (text.empty()) continue;
    const auto time = feeds::parse_feed_time(text);
    if (!time) return wrong("write it as in 2025-06-30T12:00:00Z", "has a {} that is no time", key);
    return time;
  }
  return at_;
}

Result<VexStatement> Reader::read_statement(const JsonNode& node) {
  VexStatement statement{.vulnerabilities = read_vulnerability(node["vulnerability"]), .products = read_products(node)};
  if (statement.vulnerabilities.empty()) return wrong("give it vulnerability.name", "names no vulnerability");
  const auto status = parse_status(node["status"].text());
  if (!status) return wrong(fmt::format("one of {}", fmt::join(kStatuses, ", ")), "has no status that is known");
  statement.status = *status;
  statement.reason = read_reason(node);
  if (*status == VexStatus::kNotAffected && node["justification"].text().empty() &&
      node["impact_statement"].text().empty()) {
    return wrong("give it a justification or an impact_statement", "says not_affected and does not say why");
  }
  auto at = read_time(node);
  if (!at) return fail(std::move(at.error()));
  statement.at = *at;
  if (statement.products.empty()) {
    document_.warnings.push_back(
        fmt::format("{}: statement {} names no product: it has no effect", document_.name, number_));
  }
  return statement;
}

Result<VexDocument> Reader::read(const JsonNode& root) {
  if (auto known = check_context(root); !known) return fail(std::move(known.error()));
  if (const auto stated = root["timestamp"].text(); !stated.empty()) {
    at_ = feeds::parse_feed_time(stated);
    if (!at_) {
      return fail(Error(ErrorKind::kInvalid, fmt::format("{} has a timestamp that is no time", document_.name))
                      .with_hint("write it as in 2025-06-30T12:00:00Z"));
    }
  }
  for (const auto& node : root["statements"].items()) {
    if (++number_ > kMostVexStatements) {
      return fail(ErrorKind::kInvalid, "{} has more than {} statements", document_.name, kMostVexStatements);
    }
    auto statement = read_statement(node);
    if (!statement) return fail(std::move(statement.error()));
    document_.statements.push_back(std::move(*statement));
  }
  return std::move(document_);
}

}  // namespace

std::string_view to_string(VexStatus status) {
  const auto at = static_cast<std::size_t>(std::to_underlying(status));
  return at < kStatuses.size() ? kStatuses[at] : kStatuses[1];
}

Result<VexDocument> parse_openvex(std::string_view json, std::string name) {
  if (json.size() > kMostVexBytes) return fail(ErrorKind::kInvalid, "{} is larger than {} bytes", name, kMostVexBytes);
  feeds::JsonDocument document;
  const auto root = document.parse(json);
  if (!root) return root.error().during("read {}", name);
  auto read = Reader(name).read(*root);
  // A text where there should be a list is the cause of whatever the reader found missing.
  if (document.fault() && (read || read.error().kind() == ErrorKind::kInvalid)) {
    return document.fault()->during("read {}", name);
  }
  return read;
}

Result<VexDocument> load_openvex(const std::filesystem::path& file) {
  auto text = read_text_file(file, kMostVexBytes);
  if (!text) return fail(std::move(text.error()));
  return parse_openvex(*text, file.string());
}

}  // namespace slipway::scan
