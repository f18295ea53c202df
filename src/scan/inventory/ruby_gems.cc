// Ruby: specifications/*.gemspec of installed gems, as RubyGems writes them, and Gemfile.lock.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"

namespace slipway::scan {
namespace {

bool wants_gemspec(const FileInfo& file) {
  if (!file.name().ends_with(".gemspec")) return false;
  auto folder = file.path.substr(0, file.path.size() - file.name().size());
  constexpr std::string_view kDefault = "/default/";  // of gems that came with Ruby
  if (folder.ends_with(kDefault)) folder.remove_suffix(kDefault.size() - 1);
  return folder.ends_with("/specifications/") || folder == "specifications/";
}

// "rake-13.0.6", "nokogiri-1.13.0-x86_64-linux"
bool has_version(std::string_view folder) {
  for (auto at = folder.find('-'); at != folder.npos; at = folder.find('-', at + 1)) {
    if (at + 1 < folder.size() && folder[at + 1] >= '0' && folder[at + 1] <= '9') return true;
  }
  return false;
}

// "gems/rake-13.0.6/", and of gems that came from Git "bundler/gems/rails-abcdef012345/". A folder of that name may as
// well be a project's.
bool is_in_installed_gem(std::string_view path) {
  if (is_within(path, "bundler/gems")) return true;
  constexpr std::string_view kGems = "gems/";
  for (auto at = path.find(kGems); at != path.npos; at = path.find(kGems, at + 1)) {
    if (at != 0 && path[at - 1] != '/') continue;
    const auto rest = path.substr(at + kGems.size());
    const auto folder = rest.substr(0, rest.find('/'));
    if (folder.size() < rest.size() && has_version(folder)) return true;
  }
  return false;
}

// Those within an installed gem tell of its makers' machine.
bool wants_lock(const FileInfo& file) {
  const auto name = file.name();
  return (name == "Gemfile.lock" || name == "gems.locked") && !is_in_installed_gem(file.path);
}

// Texts in quotes. What escapes there are in Ruby's does not occur in names.
std::vector<std::string_view> quoted(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t at = text.find_first_of("\"'"); at != std::string_view::npos; at = text.find_first_of("\"'", at)) {
    const std::size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos) break;
    all.push_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return all;
}

struct Gemspec {
  std::string name{};
  std::string version{};
  std::string licence{};
};

// # stub: NAME VERSION PLATFORM FOLDERS
bool take_stub(std::string_view line, Gemspec& spec) {
  constexpr std::string_view kStub = "# stub: ";
  if (!line.starts_with(kStub)) return false;
  line.remove_prefix(kStub.size());
  spec.name = take_word(line);
  spec.version = take_word(line);
  return true;
}

// s.name = "x".freeze
void take_assignment(std::string_view line, Gemspec& spec) {
  line = trimmed(line);
  const std::size_t dot = line.find('.');
  const std::size_t equals = line.find('=');
  if (dot == std::string_view::npos || equals == std::string_view::npos || equals < dot) return;
  const auto field = trimmed(line.substr(dot + 1, equals - dot - 1));
  if (field != "name" && field != "version" && field != "license" && field != "licenses") return;
  const auto values = quoted(line.substr(equals + 1));
  if (values.empty()) return;
  if (field == "name" && spec.name.empty()) spec.name = values.front();
  if (field == "version" && spec.version.empty()) spec.version = values.front();
  if (!field.starts_with("license")) return;
  spec.licence.clear();
  for (const auto one : values) spec.licence += (spec.licence.empty() ? "" : " OR ") + std::string(one);
}

Result<> read_gemspec(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  auto lines = TextLines::read(content, kLargestManifest);
  if (!lines) return fail(std::move(lines.error()));
  Gemspec spec;
  while (const auto line = lines->next()) {
    if (!take_stub(*line, spec)) take_assignment(*line, spec);
  }
  if (spec.name.empty() || spec.version.empty()) {
    return fail(ErrorKind::kCorrupt, "it does not state a name and a version as text");
  }
  add_package(finds, {.type = PackageType::kGem, .name = spec.name, .version = spec.version, .licence = spec.licence});
  return {};
}

// "    name (1.2.3-x86_64-linux)": a gem's version has no '-', the platform stands behind it.
void read_locked(std::string_view line, Finds& finds) {
  const auto name = take_word(line);
  const auto version = trimmed(line);
  if (!version.starts_with('(') || !version.ends_with(')')) return note_unread(finds, name, "it has no version");
  const auto inner = version.substr(1, version.size() - 2);
  add_package(
      finds,
      {.type = PackageType::kGem, .name = std::string(name), .version = std::string(inner.substr(0, inner.find('-')))});
}

// Sections begin at the first column. GEM and GIT have what is installed from elsewhere, PATH the project's own.
Result<> read_lock(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  auto lines = TextLines::read(content, kLargestLockFile);
  if (!lines) return fail(std::move(lines.error()));
  bool is_lock = false;
  bool in_section = false;
  bool in_specs = false;
  while (const auto line = lines->next()) {
    if (line->empty()) continue;
    if (!line->starts_with(' ')) {
      in_section = *line == "GEM" || *line == "GIT";
      in_specs = false;
      is_lock |= in_section || *line == "PATH" || *line == "DEPENDENCIES";
      continue;
    }
    if (*line == "  specs:") in_specs = in_section;
    const bool is_gem = line->starts_with("    ") && !line->starts_with("     ");
    if (in_specs && is_gem) read_locked(*line, finds);
  }
  if (!is_lock) return fail(ErrorKind::kCorrupt, "it has no sections of gems, and is no lock file");
  return {};
}

}  // namespace

FileReader gemspec_reader() { return {.name = "gem", .wants = wants_gemspec, .read = read_gemspec}; }
FileReader gem_lock_reader() { return {.name = "bundler lock", .wants = wants_lock, .read = read_lock}; }

}  // namespace slipway::scan
