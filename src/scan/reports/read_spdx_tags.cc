#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "scan/reports/sbom_readers.h"
#include "scan/reports/spdx_document.h"

namespace slipway::scan {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// The first word, which is cut off.
std::string_view cut_word(std::string_view& text) {
  text = trimmed(text);
  const auto word = text.substr(0, text.find(' '));
  text = trimmed(text.substr(word.size()));
  return word;
}

struct Line {
  std::string_view tag{};
  std::string_view value{};
};

// Tags and values one by one: comments and lines that are none are left out, "<text>" may span lines.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  std::optional<Line> next() {
    while (!rest_.empty()) {
      const auto line = rest_.substr(0, rest_.find('\n'));
      const auto colon = line.find(':');
      const bool is_tag = colon != std::string_view::npos && !trimmed(line).starts_with('#');
      if (is_tag && trimmed(line.substr(colon + 1)).starts_with("<text>")) return spanning(colon);
      rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
      if (is_tag) return Line{trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1))};
    }
    return std::nullopt;
  }

  // The tag of a "<text>" that is never closed: it reaches to the end, and hides what is there.
  [[nodiscard]] const std::optional<std::string_view>& unclosed() const { return unclosed_; }

 private:
  Line spanning(std::size_t colon) {
    constexpr std::string_view kOpen = "<text>";
    constexpr std::string_view kClose = "</text>";
    const auto tag = trimmed(rest_.substr(0, colon));
    const auto begin = rest_.find(kOpen) + kOpen.size();
    const auto end = std::min(rest_.find(kClose, begin), rest_.size());
    if (end == rest_.size()) unclosed_ = tag;
    const auto value = rest_.substr(begin, end - begin);
    rest_.remove_prefix(std::min(end + kClose.size(), rest_.size()));
    return {tag, value};
  }

  std::string_view rest_;
  std::optional<std::string_view> unclosed_{};
};

// What the next lines are about.
class TagReader {
 public:
  void take(const Line& line) {
    if (line.tag == "SPDXVersion") document_.version = line.value;
    if (line.tag == "PackageName") begin_package(line.value);
    if (line.tag == "FileName" || line.tag == "SnippetSPDXID" || line.tag == "LicenseID") in_package_ = false;
    if (line.tag == "Relationship") relate(line.value);
    take_licence(line);
    take_annotation(line);
    if (in_package_) take_package(line);
  }

  SpdxDocument& document() { return document_; }

 private:
  void begin_package(std::string_view name) {
    document_.packages.emplace_back().name = name;
    in_package_ = true;
  }

  void take_package(const Line& line) {
    SpdxPackage& package = document_.packages.back();
    if (line.tag == "SPDXID" && package.id.empty()) {
      package.id = line.value;
      places_.try_emplace(package.id, document_.packages.size() - 1);
    }
    if (line.tag == "PackageVersion") package.version = line.value;
    if (line.tag == "PackageLicenseDeclared") package.declared = line.value;
    if (line.tag == "PackageLicenseConcluded") package.concluded = line.value;
    if (line.tag == "PackageSourceInfo") package.source_info = line.value;
    if (line.tag == "PrimaryPackagePurpose") package.purpose = line.value;
    if (line.tag == "PackageAttributionText") package.notes.emplace_back(line.value);
    if (line.tag != "ExternalRef") return;
    auto rest = line.value;
    cut_word(rest);
    if (cut_word(rest) == "purl" && package.url.empty()) package.url = cut_word(rest);
  }

  void take_licence(const Line& line) {
    if (line.tag == "LicenseID") licence_ = line.value;
    if (licence_.empty()) return;
    if (line.tag == "ExtractedText") document_.licences.try_emplace(licence_, line.value);
    if (line.tag == "LicenseName" && line.value != "NOASSERTION") document_.licences[licence_] = line.value;
  }

  // An annotation: who, when, what, and last of which element.
  void take_annotation(const Line& line) {
    if (line.tag == "Annotator") comment_.clear();
    if (line.tag == "AnnotationComment") comment_ = line.value;
    if (line.tag != "SPDXREF" || comment_.empty()) return;
    if (const auto found = places_.find(line.value); found != places_.end()) {
      document_.packages[found->second].notes.push_back(comment_);
    }
  }

  void relate(std::string_view text) {
    SpdxRelationship relationship;
    relationship.from = cut_word(text);
    relationship.how = cut_word(text);
    relationship.to = cut_word(text);
    document_.relationships.push_back(std::move(relationship));
  }

  SpdxDocument document_{};
  std::map<std::string, std::size_t, std::less<>> places_{};  // of packages, by their ids
  bool in_package_ = false;
  std::string licence_{};
  std::string comment_{};
};

}  // namespace

Result<Inventory> read_spdx_tags(std::string_view text) {
  if (!is_utf8(text)) return fail(ErrorKind::kCorrupt, "an SPDX document is not UTF-8");
  Lines lines(text);
  TagReader reader;
  while (const auto line = lines.next()) reader.take(*line);
  if (const auto tag = lines.unclosed()) {
    const auto before = text.substr(0, static_cast<std::size_t>(tag->begin() - text.begin()));
    const auto line = 1 + std::ranges::count(before, '\n');
    return fail(ErrorKind::kCorrupt, "line {} of an SPDX document: the <text> of {:.40} is never closed", line, *tag);
  }
  return inventory_of(reader.document());
}

}  // namespace slipway::scan
