#include "archive/inspection_frames.h"

#include <algorithm>
#include <optional>

#include "archive/judge.h"
#include "base/json.h"

namespace slipway::archive {
namespace {

constexpr std::size_t kMostText = 4096;

std::unexpected<Error> misshapen(std::string_view what) {
  return fail(ErrorKind::kCorrupt, "the archive reader's answer is malformed: {}", what);
}

// Bytes from a hostile process end in logs and on terminals.
std::optional<std::string> text(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  const auto& value = found->get_ref<const std::string&>();
  const auto clean = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (value.size() > kMostText || !std::ranges::all_of(value, clean)) return std::nullopt;
  return value;
}

Result<std::vector<Finding>> parse_findings(const Json& list) {
  if (!list.is_array() || list.size() > Judge::kMostFindings) return misshapen("findings");
  std::vector<Finding> findings;
  for (const Json& item : list) {
    if (!item.is_object()) return misshapen("a finding");
    auto rule = text(item, "rule");
    auto entry = text(item, "entry");
    auto detail = text(item, "detail");
    if (!rule || !entry || !detail) return misshapen("a finding");
    findings.push_back({std::move(*rule), std::move(*entry), std::move(*detail)});
  }
  return findings;
}

Result<Error> parse_error(const Json& json) {
  if (!json.is_object()) return misshapen("error");
  const auto kind_name = text(json, "kind");
  auto message = text(json, "message");
  auto hint = text(json, "hint");
  const auto kind = kind_name ? parse_error_kind(*kind_name) : std::nullopt;
  if (!kind || !message || !hint) return misshapen("error");
  return Error(*kind, std::move(*message)).with_hint(std::move(*hint));
}

// Errors carry names of ours only; still, nothing else than printable ASCII leaves.
std::string clean(std::string_view raw) {
  std::string out(raw.substr(0, kMostText));
  std::ranges::replace_if(out, [](char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return out;
}

}  // namespace

std::string json_frame(const Json& json) {
  // Everything we put in is printable ASCII; what is not is replaced instead of thrown at us.
  const std::string body = json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  const auto length = static_cast<std::uint32_t>(body.size());
  std::string out;
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>((length >> shift) & 0xffU);
  return out + body;
}

std::optional<std::uint64_t> number_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

Json order_to_json(const Order& order) {
  return {{"policy", to_json(order.policy)},
          {"parent", order.parent},
          {"size", order.size},
          {"cpu_seconds", order.cpu_seconds}};
}

std::string order_frame(const Order& order) { return json_frame(order_to_json(order)); }

std::string frame(const Progress& progress) { return json_frame({{"read", progress.read}}); }

std::string frame(const Inspection& inspection) {
  Json findings = Json::array();
  for (const Finding& finding : inspection.findings) {
    findings.push_back({{"rule", finding.rule}, {"entry", clean(finding.entry)}, {"detail", clean(finding.detail)}});
  }
  return json_frame({{"inspection",
                      {{"kind", to_string(inspection.kind)},
                       {"layers", inspection.layers},
                       {"entries", inspection.entries},
                       {"files", inspection.files},
                       {"total_size", inspection.total_size},
                       {"findings", std::move(findings)},
                       {"findings_total", inspection.findings_total}}}});
}

std::string frame(const Error& error) {
  return json_frame(
      {{"error",
        {{"kind", to_string(error.kind())}, {"message", clean(error.message())}, {"hint", clean(error.hint())}}}});
}

Result<Order> order_from_json(const Json& json) {
  if (!json.is_object() || !json.contains("policy")) return fail(ErrorKind::kCorrupt, "no order");
  auto policy = policy_from_json(json["policy"]);
  if (!policy) return fail(std::move(policy.error()));
  const auto parent = number_in(json, "parent");
  const auto size = number_in(json, "size");
  const auto cpu_seconds = number_in(json, "cpu_seconds");
  if (!parent || !size || !cpu_seconds) return fail(ErrorKind::kCorrupt, "no order");
  return Order{std::move(*policy), static_cast<std::int64_t>(*parent), *size, *cpu_seconds};
}

Result<Order> parse_order(std::string_view body) {
  auto json = parse_json(body);
  if (!json) return fail(std::move(json.error()));
  return order_from_json(*json);
}

Result<AnyWord> parse_any_word(std::string_view body) {
  auto json = parse_json(body);
  if (!json) return misshapen("it is not JSON");
  if (!json->is_object() || json->size() != 1) return misshapen("it is no word");
  if (const auto read = number_in(*json, "read")) return Progress{*read};
  if (!json->contains("error")) return std::move(*json);
  auto error = parse_error((*json)["error"]);
  if (!error) return fail(std::move(error.error()));
  return std::move(*error);
}

Result<Inspection> inspection_from_json(const Json& json) {
  if (!json.is_object() || !json.contains("findings")) return misshapen("inspection");
  const auto kind_name = text(json, "kind");
  const auto kind = kind_name ? parse_image_kind(*kind_name) : std::nullopt;
  const auto layers = number_in(json, "layers");
  const auto entries = number_in(json, "entries");
  const auto files = number_in(json, "files");
  const auto total_size = number_in(json, "total_size");
  const auto findings_total = number_in(json, "findings_total");
  if (!kind || !layers || !entries || !files || !total_size || !findings_total) return misshapen("inspection");
  auto findings = parse_findings(json["findings"]);
  if (!findings) return fail(std::move(findings.error()));
  return Inspection{*kind, *layers, *entries, *files, *total_size, std::move(*findings), *findings_total};
}

Result<Word> parse_word(std::string_view body) {
  auto word = parse_any_word(body);
  if (!word) return fail(std::move(word.error()));
  if (const auto* progress = std::get_if<Progress>(&*word)) return *progress;
  if (auto* error = std::get_if<Error>(&*word)) return std::move(*error);
  const Json& json = std::get<Json>(*word);
  if (!json.contains("inspection")) return misshapen("it is no word that is known");
  auto inspection = inspection_from_json(json["inspection"]);
  if (!inspection) return fail(std::move(inspection.error()));
  return std::move(*inspection);
}

std::uint32_t frame_length(std::string_view text) {
  std::uint32_t length = 0;
  for (unsigned i = 0; i < kFrameHead; ++i) {
    length |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  return length;
}

}  // namespace slipway::archive
