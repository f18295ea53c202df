// What an installed Python package says of itself: *.dist-info/METADATA, *.egg-info/PKG-INFO, EGG-INFO/PKG-INFO of an
// unpacked egg, and the plain file *.egg-info. All have the form of a mail's head; the body is a description.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"
#include "scan/inventory/python_names.h"

namespace slipway::scan {
namespace {

bool wants(const FileInfo& file) {
  const auto name = file.name();
  if (name == "METADATA") return file.path.ends_with(".dist-info/METADATA");
  if (name == "PKG-INFO") {
    return file.path.ends_with(".egg-info/PKG-INFO") || file.path.ends_with("EGG-INFO/PKG-INFO");
  }
  return name.ends_with(".egg-info");
}

// Up to the empty line: descriptions may be longer than what is read of such a file.
Result<std::string> read_head(archive::ByteSource& content) {
  std::string head;
  for (;;) {
    const auto piece = content.next();
    if (!piece) return fail(piece.error());
    if (piece->empty()) return head;
    const std::size_t from = head.size() < 3 ? 0 : head.size() - 3;
    head.append(reinterpret_cast<const char*>(piece->data()), piece->size());
    const std::size_t end = std::min(head.find("\n\n", from), head.find("\n\r\n", from));
    if (end < kLargestManifest) {
      head.resize(end + 1);
      return head;
    }
    if (head.size() > kLargestManifest) {
      return fail(ErrorKind::kRejected, "its head has more than {} bytes, which is all that is read of it",
                  kLargestManifest);
    }
  }
}

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

struct Head {
  std::string_view name{};
  std::string_view version{};
  std::string_view expression{};  // SPDX
  std::string_view licence{};     // anything, also its whole text
  bool licence_goes_on = false;   // on the next line
  std::string classified{};       // "MIT License"
};

void take_classifier(std::string_view value, Head& head) {
  constexpr std::string_view kLicence = "License ::";
  if (!value.starts_with(kLicence)) return;
  const auto name = trimmed(value.substr(value.rfind("::") + 2));
  if (name != "OSI Approved") head.classified += (head.classified.empty() ? "" : " AND ") + std::string(name);
}

// The first of a name counts.
void take_field(std::string_view name, std::string_view value, Head& head) {
  const auto take = [&](std::string_view wanted, std::string_view& to) {
    if (same_word(name, wanted) && to.empty()) to = value;
  };
  take("Name", head.name);
  take("Version", head.version);
  take("License-Expression", head.expression);
  take("License", head.licence);
  if (same_word(name, "Classifier")) take_classifier(value, head);
}

std::string licence_of(const Head& head) {
  if (!head.expression.empty()) return std::string(head.expression);
  const bool says_nothing = head.licence.empty() || head.licence == "UNKNOWN";
  if ((says_nothing || head.licence_goes_on) && !head.classified.empty()) return head.classified;
  return says_nothing ? std::string() : std::string(head.licence);
}

Result<> read(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  auto text = read_head(content);
  if (!text) return fail(std::move(text.error()));
  TextLines lines{std::string(without_mark(*text))};
  Head head;
  bool in_licence = false;
  while (const auto line = lines.next()) {
    if (line->empty()) break;
    if (line->starts_with(' ') || line->starts_with('\t')) {
      head.licence_goes_on |= in_licence;
      continue;
    }
    const std::size_t colon = line->find(':');
    if (colon == std::string_view::npos) continue;
    const auto name = line->substr(0, colon);
    in_licence = same_word(name, "License");
    take_field(name, trimmed(line->substr(colon + 1)), head);
  }
  if (head.name.empty()) return fail(ErrorKind::kCorrupt, "it does not name a package");
  if (head.version.empty()) return fail(ErrorKind::kCorrupt, "it has no version");
  Package package = python_package(head.name, head.version);
  package.licence = licence_of(head);
  add_package(finds, std::move(package));
  return {};
}

}  // namespace

FileReader python_metadata_reader() { return {.name = "python", .wants = wants, .read = read}; }

}  // namespace slipway::scan
