#include "scan/inventory/rpm_header.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "archive/entry.h"
#include "scan/inventory/byte_order.h"
#include "scan/inventory/distributions.h"
#include "scan/inventory/lines.h"

namespace slipway::scan {
namespace {

constexpr std::size_t kEntrySize = 16;
constexpr std::size_t kMostEntries = 0xffff;  // rpm's own limit
constexpr std::size_t kMostFiles = 500'000;   // of one package; the largest known ones have a tenth of it

enum Type : std::uint8_t { kInt32 = 4, kText = 6, kTexts = 8, kTranslated = 9 };

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  return read_number<std::uint32_t>(bytes, at, ByteOrder::kBig);
}

// The text that a NUL ends.
Result<std::string_view> text_at(std::string_view data) {
  const std::size_t end = data.find('\0');
  if (end == std::string_view::npos) return fail(ErrorKind::kCorrupt, "a text in the header has no end");
  return data.substr(0, end);
}

// "glibc-2.34-60.el9.src.rpm": the name, and all between it and the suffix.
std::pair<std::string_view, std::string_view> split_source(std::string_view file) {
  for (const std::string_view suffix : {".src.rpm", ".nosrc.rpm"}) {
    if (!file.ends_with(suffix)) continue;
    file.remove_suffix(suffix.size());
    const std::size_t release = file.rfind('-');
    if (release == std::string_view::npos || release == 0) return {};
    const std::size_t version = file.rfind('-', release - 1);
    if (version == std::string_view::npos || version == 0) return {};
    return {file.substr(0, version), file.substr(version + 1)};
  }
  return {};
}

Result<Package> package_of(const RpmHeader& header) {
  Package package{.type = PackageType::kRpm};
  std::string_view release;
  std::string_view source;
  std::string_view version;
  std::string_view licence;
  std::string_view name;
  std::string_view architecture;
  for (const auto& [tag, text] :
       {std::pair{RpmHeader::kName, &name}, std::pair{RpmHeader::kVersion, &version},
        std::pair{RpmHeader::kRelease, &release}, std::pair{RpmHeader::kLicence, &licence},
        std::pair{RpmHeader::kArchitecture, &architecture}, std::pair{RpmHeader::kSourceRpm, &source}}) {
    const auto found = header.text(tag);
    if (!found) return fail(found.error());
    *text = *found;
  }
  for (const std::string_view word : {name, version, release, architecture, source}) {
    if (!word.empty() && !is_word(word)) return fail(ErrorKind::kCorrupt, "a field in the header is not one word");
  }
  const auto epoch = header.number(RpmHeader::kEpoch);
  if (!epoch) return fail(epoch.error());
  package.name = name;
  package.architecture = architecture;
  package.licence = plain_text(licence);
  if (version.empty()) return package;  // which it cannot be: see Finds::add()
  package.version = release.empty() ? std::string(version) : fmt::format("{}-{}", version, release);
  const auto [source_name, source_version] = split_source(source);
  set_source(package, source_name, source_version);
  if (epoch->value_or(0) != 0) package.version = fmt::format("{}:{}", **epoch, package.version);
  return package;
}

Result<> own_files(const RpmHeader& header, std::string_view package, Finds& finds) {
  const auto names = header.texts(RpmHeader::kBaseNames);
  if (!names) return fail(names.error());
  const auto folders = header.texts(RpmHeader::kFolders);
  if (!folders) return fail(folders.error());
  const auto indexes = header.numbers(RpmHeader::kFolderIndexes);
  if (!indexes) return fail(indexes.error());
  if (indexes->size() != names->size()) return fail(ErrorKind::kCorrupt, "not each file has a folder");
  std::string path;
  for (std::size_t n = 0; n < names->size(); ++n) {
    if ((*indexes)[n] >= folders->size()) return fail(ErrorKind::kCorrupt, "a file is in a folder that is not there");
    path = (*folders)[(*indexes)[n]];
    path += (*names)[n];
    finds.own(path, package);
  }
  return {};
}

}  // namespace

Result<RpmHeader> RpmHeader::parse(std::string_view bytes) {
  constexpr std::size_t kBegin = 8;
  if (bytes.size() < kBegin) return fail(ErrorKind::kCorrupt, "the header is cut off");
  const std::uint64_t entries = number_at(bytes, 0);
  const std::uint64_t data = number_at(bytes, 4);
  if (entries == 0 || entries > kMostEntries || kBegin + entries * kEntrySize + data != bytes.size()) {
    return fail(ErrorKind::kCorrupt, "the header is not as long as it says");
  }
  return RpmHeader(bytes.substr(kBegin, entries * kEntrySize), bytes.substr(kBegin + entries * kEntrySize));
}

// The last one of several: what was added to the header later stands behind it, and counts.
Result<std::optional<RpmHeader::Entry>> RpmHeader::find(Tag tag) const {
  for (std::size_t at = entries_.size(); at > 0;) {
    at -= kEntrySize;
    if (number_at(entries_, at) != tag) continue;
    const std::uint32_t offset = number_at(entries_, at + 8);
    const std::uint32_t count = number_at(entries_, at + 12);
    if (offset >= data_.size() || count == 0) {
      return fail(ErrorKind::kCorrupt, "tag {} of the header reaches beyond its data", static_cast<std::uint32_t>(tag));
    }
    return Entry{.type = number_at(entries_, at + 4), .count = count, .data = data_.substr(offset)};
  }
  return std::nullopt;
}

Result<std::string_view> RpmHeader::text(Tag tag) const {
  const auto entry = find(tag);
  if (!entry) return fail(entry.error());
  if (!*entry) return std::string_view();
  if ((*entry)->type != kText && (*entry)->type != kTranslated) {
    return fail(ErrorKind::kCorrupt, "tag {} of the header is no text", static_cast<std::uint32_t>(tag));
  }
  return text_at((*entry)->data);
}

Result<std::vector<std::string_view>> RpmHeader::texts(Tag tag) const {
  const auto entry = find(tag);
  if (!entry) return fail(entry.error());
  std::vector<std::string_view> all;
  if (!*entry) return all;
  if ((*entry)->type != kTexts || (*entry)->count > kMostFiles) {
    return fail(ErrorKind::kCorrupt, "tag {} of the header is no list of texts, or too long",
                static_cast<std::uint32_t>(tag));
  }
  std::string_view rest = (*entry)->data;
  for (std::uint32_t n = 0; n < (*entry)->count; ++n) {
    const auto text = text_at(rest);
    if (!text) return fail(text.error());
    all.push_back(*text);
    rest.remove_prefix(text->size() + 1);
  }
  return all;
}

Result<std::optional<std::uint32_t>> RpmHeader::number(Tag tag) const {
  const auto all = numbers(tag);
  if (!all) return fail(all.error());
  if (all->empty()) return std::nullopt;
  return all->front();
}

Result<std::vector<std::uint32_t>> RpmHeader::numbers(Tag tag) const {
  const auto entry = find(tag);
  if (!entry) return fail(entry.error());
  std::vector<std::uint32_t> all;
  if (!*entry) return all;
  const auto& [type, count, data] = **entry;
  if (type != kInt32 || count > kMostFiles || data.size() / sizeof(std::uint32_t) < count) {
    return fail(ErrorKind::kCorrupt, "tag {} of the header is no list of numbers, or too long",
                static_cast<std::uint32_t>(tag));
  }
  for (std::uint32_t n = 0; n < count; ++n) all.push_back(number_at(data, n * sizeof(std::uint32_t)));
  return all;
}

void add_rpm_package(std::string_view header, Finds& finds) {
  const auto tags = RpmHeader::parse(header);
  if (!tags) return finds.unread("a package: " + tags.error().message());
  const auto name = tags->text(RpmHeader::kName);
  if (name && *name == "gpg-pubkey") return;
  const std::string shown = name && !name->empty() ? "package " + archive::printable(*name) : "a package";
  auto package = package_of(*tags);
  if (!package) return finds.unread(shown + ": " + package.error().message());
  finds.add(std::move(*package));
  if (auto owned = own_files(*tags, *name, finds); !owned) {
    finds.unread(fmt::format("files of {}: {}", shown, owned.error().message()));
  }
}

}  // namespace slipway::scan
