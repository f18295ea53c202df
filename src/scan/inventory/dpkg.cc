#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "archive/entry.h"
#include "scan/inventory/distributions.h"
#include "scan/inventory/lines.h"

namespace slipway::scan {
namespace {

constexpr std::string_view kStatus = "var/lib/dpkg/status";
constexpr std::string_view kParts = "var/lib/dpkg/status.d/";
constexpr std::string_view kInfo = "var/lib/dpkg/info/";
constexpr std::string_view kSums = ".md5sums";
constexpr std::string_view kList = ".list";

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// States in which all files of the package are there, and of the version that is stated: what is left to do is to run
// its scripts or those of others. Of one that is half-installed it is not known which files are.
bool is_there(std::string_view state) {
  constexpr std::array<std::string_view, 5> kThere{"installed", "triggers-pending", "triggers-awaited", "unpacked",
                                                   "half-configured"};
  return std::ranges::find(kThere, state) != kThere.end();
}

// What is kept of a paragraph, whatever its length.
class Paragraph {
 public:
  // `part`: of status.d, where there need be no Status.
  explicit Paragraph(bool part) : part_(part) {}

  void take(std::string_view line) {
    any_ = true;
    broken_ = broken_ || line.find('\0') != std::string_view::npos;
    const std::size_t colon = line.find(':');
    if (line.starts_with(' ') || line.starts_with('\t')) return;  // goes on with a field that is not needed
    if (colon == std::string_view::npos) {
      broken_ = true;
      return;
    }
    for (auto& [name, value] : fields_) {
      if (value.empty() && same_name(name, line.substr(0, colon))) value = trimmed(line.substr(colon + 1));
    }
  }

  // At its end: into a package, or a note of what is wrong. Ready for the next one.
  void finish(Finds& finds) {
    const Paragraph done = std::exchange(*this, Paragraph(part_));
    if (done.any_) done.tell(finds);
  }

 private:
  enum Field : std::uint8_t { kPackage, kState, kVersion, kArchitecture, kSource };

  const std::string& field(Field which) const { return fields_[which].second; }

  void tell(Finds& finds) const {
    const std::string& name = field(kPackage);
    const std::string shown = name.empty() ? "a package without a name" : "package " + archive::printable(name);
    if (broken_) return finds.unread(shown + ": a line of it is no field");
    if (name.empty()) return finds.unread(shown);
    const std::string& status = field(kState);
    if (status.empty() && !part_) return finds.unread(shown + " has no status");
    const std::string_view state =
        status.empty() ? "installed" : std::string_view(status).substr(status.rfind(' ') + 1);
    if (state == "not-installed" || state == "config-files") return;
    if (!is_there(state)) return finds.unread(fmt::format("{} is {}", shown, archive::printable(state)));
    if (field(kVersion).empty()) return finds.unread(shown + " has no version");
    add(finds, shown);
  }

  void add(Finds& finds, const std::string& shown) const {
    Package package{.type = PackageType::kDeb,
                    .name = field(kPackage),
                    .version = field(kVersion),
                    .architecture = field(kArchitecture)};
    // "gcc-12 (12.2.0-14)"; without the second word where it has the same version.
    const std::string_view source = field(kSource);
    const std::string_view source_name = trimmed(source.substr(0, source.find('(')));
    std::string_view version = source.substr(std::min(source.find('('), source.size()));
    if (version.starts_with('(') && version.ends_with(')')) version = trimmed(version.substr(1, version.size() - 2));
    for (const std::string_view word : {std::string_view(package.name), std::string_view(package.version),
                                        std::string_view(package.architecture), source_name, version}) {
      if (!word.empty() && !is_word(word)) return finds.unread(shown + ": a field of it is not one word");
    }
    set_source(package, source_name, version);
    finds.add(std::move(package));
  }

  bool part_;
  bool any_ = false;
  bool broken_ = false;
  std::array<std::pair<std::string_view, std::string>, 5> fields_{
      {{"Package", ""}, {"Status", ""}, {"Version", ""}, {"Architecture", ""}, {"Source", ""}}};
};

bool is_list(const FileInfo& file) { return file.path.starts_with(kInfo) && file.path.ends_with(kList); }

}  // namespace

bool wants_dpkg_status(const FileInfo& file) {
  return file.path == kStatus || (file.path.starts_with(kParts) && !file.path.ends_with(kSums));
}

Result<> read_dpkg_status(const FileInfo& file, archive::ByteSource& content, Finds& finds) {
  Paragraph paragraph(file.path != kStatus);
  Lines lines(content);
  for (;;) {
    const auto line = lines.next();
    if (!line) return fail(line.error());
    if (!*line || trimmed(**line).empty()) paragraph.finish(finds);
    if (!*line) return {};
    if (!trimmed(**line).empty()) paragraph.take(**line);
  }
}

bool wants_dpkg_files(const FileInfo& file) {
  return is_list(file) || (file.path.starts_with(kParts) && file.path.ends_with(kSums));
}

Result<> read_dpkg_files(const FileInfo& file, archive::ByteSource& content, Finds& finds) {
  const bool list = is_list(file);
  std::string_view package = file.name();
  package.remove_suffix(list ? kList.size() : kSums.size());
  package = package.substr(0, package.find(':'));
  Lines lines(content);
  for (;;) {
    const auto line = lines.next();
    if (!line) return fail(line.error());
    if (!*line) return {};
    // Of a list, a path; of sums, "SUM  PATH".
    const std::size_t begin = list ? 0 : std::min((*line)->find("  "), (*line)->size());
    const std::string_view path = (*line)->substr(begin + (!list && begin < (*line)->size() ? 2 : 0));
    if (path.size() > 1 && path != "/.") finds.own(path, package);
  }
}

}  // namespace slipway::scan
