#include "archive/inspection_frames.h"

#include <algorithm>
#include <optional>

#include "archive/judge.h"
#include "base/json.h"

namespace slipway::archive {
namespace {

constexpr std::size_t kMostText = 4096;

std::string framed(const Json& json) {
  // Everything we put in is printable ASCII; what is not is replaced instead of thrown at us.
  const std::string body = json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  const auto length = static_cast<std::uint32_t>(body.size());
  std::string out;
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>((length >> shift) & 0xffU);
  return out + body;
}

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

std::optional<std::uint64_t> number(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
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

Result<Word> parse_inspection(const Json& json) {
  if (!json.is_object() || !json.contains("findings")) return misshapen("inspection");
  const auto kind_name = text(json, "kind");
  const auto kind = kind_name ? parse_image_kind(*kind_name) : std::nullopt;
  const auto layers = number(json, "layers");
  const auto entries = number(json, "entries");
  const auto files = number(json, "files");
  const auto total_size = number(json, "total_size");
  const auto findings_total = number(json, "findings_total");
  if (!kind || !layers || !entries || !files || !total_size || !findings_total) return misshapen("inspection");
  auto findings = parse_findings(json["findings"]);
  if (!findings) return fail(std::move(findings.error()));
  return Inspection{*kind, *layers, *entries, *files, *total_size, std::move(*findings), *findings_total};
}

Result<Word> parse_error(const Json& json) {
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

std::string order_frame(const Order& order) {
  return framed({{"policy", to_json(order.policy)},
                 {"parent", order.parent},
                 {"size", order.size},
                 {"cpu_seconds", order.cpu_seconds}});
}

std::string frame(const Progress& progress) { return framed({{"read", progress.read}}); }

std::string frame(const Inspection& inspection) {
  Json findings = Json::array();
  for (const Finding& finding : inspection.findings) {
    findings.push_back({{"rule", finding.rule}, {"entry", clean(finding.entry)}, {"detail", clean(finding.detail)}});
  }
  return framed({{"inspection",
                  {{"kind", to_string(inspection.kind)},
                   {"layers", inspection.layers},
                   {"entries", inspection.entries},
                   {"files", inspection.files},
                   {"total_size", inspection.total_size},
                   {"findings", std::move(findings)},
                   {"findings_total", inspection.findings_total}}}});
}

std::string frame(const Error& error) {
  return framed(
      {{"error",
        {{"kind", to_string(error.kind())}, {"message", clean(error.message())}, {"hint", clean(error.hint())}}}});
}

Result<Order> parse_order(std::string_view body) {
  auto json = parse_json(body);
  if (!json) return fail(std::move(json.error()));
  if (!json->is_object() || !json->contains("policy")) return fail(ErrorKind::kCorrupt, "no order");
  auto policy = policy_from_json((*json)["policy"]);
  if (!policy) return fail(std::move(policy.error()));
  const auto parent = number(*json, "parent");
  const auto size = number(*json, "size");
  const auto cpu_seconds = number(*json, "cpu_seconds");
  if (!parent || !size || !cpu_seconds) return fail(ErrorKind::kCorrupt, "no order");
  return Order{std::move(*policy), static_cast<std::int64_t>(*parent), *size, *cpu_seconds};
}

Result<Word> parse_word(std::string_view body) {
  auto json = parse_json(body);
  if (!json) return misshapen("it is not JSON");
  if (!json->is_object() || json->size() != 1) return misshapen("it is no word");
  if (const auto read = number(*json, "read")) return Progress{*read};
  if (json->contains("inspection")) return parse_inspection((*json)["inspection"]);
  if (json->contains("error")) return parse_error((*json)["error"]);
  return misshapen("it is no word that is known");
}

std::uint32_t frame_length(std::string_view text) {
  std::uint32_t length = 0;
  for (unsigned i = 0; i < kFrameHead; ++i) {
    length |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  return length;
}

}  // namespace slipway::archive
