#include <algorithm>
#include <span>
#include <string>

#include "archive/decompress.h"
#include "base/digest.h"
#include "scan/reports/formats.h"
#include "scan/reports/json_fields.h"
#include "scan/reports/sbom_readers.h"

namespace slipway::scan {
namespace {

constexpr int kMostEnvelopes = 4;  // one in another: DSSE, in-toto, what cosign wraps around
// A value takes 50 bytes of memory and more, and "[]," is a short text. SBOMs have 20 bytes of text and more to each
// value: the largest that are taken have fewer.
constexpr std::size_t kMostValues = 16'000'000;

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// The first line that is neither empty nor a comment.
std::string_view first_tag(std::string_view text) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && line[begin] != '#') return line.substr(begin);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

// Base64 in either alphabet, with padding or without it: makers of envelopes differ.
std::optional<DigestBytes> decode_payload(std::string text) {
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  while (text.ends_with('=')) text.pop_back();
  while (text.size() % 4 != 0) text += '=';
  return from_base64(text);
}

// How many values there are, or a few more: each but the first is in a list or an object, or follows a comma there.
std::size_t values_in(std::string_view text) {
  std::size_t values = 1;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{' || c == ',') {
      ++values;
    }
  }
  return values;
}

Result<Json> parse_bounded(std::string_view text) {
  if (values_in(text) > kMostValues) {
    return fail(ErrorKind::kRejected, "it has more than {} values, as no list of packages has", kMostValues);
  }
  return parse_json(text);
}

struct First {
  Json document{};
  bool is_followed = false;
};

// A line of JSON may be followed by others, each an envelope of its own.
Result<First> parse_first(std::string_view text) {
  auto whole = parse_bounded(text);
  if (whole) return First{std::move(*whole)};
  const auto line = text.substr(0, text.find('\n'));
  if (line.size() == text.size()) return fail(std::move(whole.error()));
  auto first = parse_bounded(line);
  if (!first) return fail(std::move(whole.error()));
  return First{std::move(*first), /*is_followed=*/true};
}

Result<Json> open_envelope(const Json& envelope) {
  const auto bytes = decode_payload(text_field(envelope, "payload"));
  if (!bytes) return fail(ErrorKind::kCorrupt, "the payload of an envelope is not base64");
  return parse_bounded({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
}

// What a statement says of its subject. cosign has put it one level deeper, as a text even.
Result<Json> open_statement(const Json& statement) {
  const Json& predicate = field(statement, "predicate");
  const Json& data = field(predicate, "Data");
  if (data.is_string()) return parse_bounded(data.get_ref<const std::string&>());
  return data.is_object() ? data : predicate;
}

bool is_statement(const Json& document) {
  return text_field(document, "_type").contains("in-toto.io/Statement") && document.contains("predicate");
}

Result<Inventory> read_document(Result<Json> document) {
  for (int opened = 0; opened < kMostEnvelopes; ++opened) {
    if (text_field(*document, "bomFormat") == "CycloneDX") return read_cyclonedx(*document);
    if (!text_field(*document, "spdxVersion").empty()) return read_spdx(*document);
    if (!text_field(*document, "payload").empty()) {
      document = open_envelope(*document);
    } else if (is_statement(*document)) {
      document = open_statement(*document);
    } else {
      break;
    }
    if (!document) return document.error().during("open the envelope of an SBOM");
  }
  if (document->is_object() && text_field(*document, "@context").contains("spdx.org")) {
    return fail(ErrorKind::kUnsupported, "SPDX 3 is not known: SPDX 2 is");
  }
  return fail(ErrorKind::kCorrupt, "neither CycloneDX nor SPDX");
}

}  // namespace

Result<Inventory> read_sbom(std::string_view text) {
  text = without_mark(text);
  if (first_tag(text).starts_with("SPDXVersion:")) return read_spdx_tags(text);
  if (text.starts_with('<')) return fail(ErrorKind::kUnsupported, "an SBOM as XML is not read: JSON is");
  auto first = parse_first(text);
  if (!first) return first.error().during("read an SBOM");
  auto inventory = read_document(std::move(first->document));
  if (inventory && first->is_followed) {
    inventory->unread.push_back({"what follows the first line", "of several documents only the first is read"});
  }
  return inventory;
}

bool looks_like_sbom(std::string_view beginning) {
  // Of an archive whose first file is called like the first lines of an SBOM.
  const bool is_archive = archive::is_tar(std::as_bytes(std::span(beginning)));
  if (is_archive || beginning.find('\0') != beginning.npos) return false;
  const auto text = without_mark(beginning);
  return text.starts_with('{') || first_tag(text).starts_with("SPDXVersion:");
}

}  // namespace slipway::scan
