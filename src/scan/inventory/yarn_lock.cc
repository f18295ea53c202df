// yarn.lock, in the form of yarn 1 and in that of later ones. Both are written by machines, an entry a paragraph:
//
//   "@s/x@^1.0.0", "@s/x@^1.1.0":          "@s/x@npm:^1.0.0, @s/x@npm:^1.1.0":
//     version "1.1.2"                        version: 1.1.2
//     resolved "https://..."                 resolution: "@s/x@npm:1.1.2"
//
// so that lines are enough, and YAML is not needed for the second.
#include <string>
#include <utility>

#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"

namespace slipway::scan {
namespace {

bool wants(const FileInfo& file) { return file.name() == "yarn.lock" && !is_within(file.path, "node_modules"); }

std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('"')) text.remove_prefix(1);
  return text.substr(0, text.find('"'));
}

// "name" and what it was asked for as, of the first of an entry's patterns. An alias ("x@npm:real@^1") is resolved.
NameAndVersion first_pattern(std::string_view key) {
  constexpr std::string_view kNpm = "npm:";
  if (key.starts_with("? ")) key.remove_prefix(2);
  key = unquoted(key);
  auto pattern = split_at_sign(key.substr(0, key.find(", ")));
  if (pattern.version.starts_with(kNpm)) {
    const auto real = split_at_sign(pattern.version.substr(kNpm.size()));
    if (!real.version.empty()) return real;
  }
  return pattern;
}

// Folders of the project, or beside it.
bool is_local(std::string_view range) {
  return range.starts_with("workspace:") || range.starts_with("link:") || range.starts_with("portal:");
}

class Entries {
 public:
  explicit Entries(Finds& finds) : finds_(finds) {}

  void see(std::string_view line) {
    if (line.starts_with("# yarn lockfile")) is_lock_ = true;
    if (trimmed(line).empty() || line.starts_with('#') || line == ":") return;
    if (!line.starts_with(' ')) return begin(line);
    // Deeper lines are of what it needs.
    if (!line.starts_with("  ") || line.starts_with("   ")) return;
    auto rest = line.substr(2);
    auto word = take_word(rest);
    if (word.ends_with(':')) word.remove_suffix(1);
    if (word == "version") version_ = unquoted(rest);
    if (word == "resolution") pattern_ = first_pattern(rest);
  }

  void end() {
    if (!in_entry_) return;
    in_entry_ = false;
    if (is_local(pattern_.version)) return;
    add_package(finds_,
                {.type = PackageType::kNpm, .name = std::string(pattern_.name), .version = std::string(version_)});
  }

  [[nodiscard]] bool is_lock() const { return is_lock_; }

 private:
  void begin(std::string_view line) {
    end();
    if (line.starts_with("__metadata:")) {
      is_lock_ = true;
      return;
    }
    in_entry_ = true;
    version_ = {};
    pattern_ = first_pattern(line.substr(0, line.rfind(':')));
  }

  Finds& finds_;
  bool is_lock_ = false;
  bool in_entry_ = false;
  std::string_view version_{};
  NameAndVersion pattern_{};
};

Result<> read(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  auto lines = TextLines::read(content, kLargestLockFile);
  if (!lines) return fail(std::move(lines.error()));
  Entries entries(finds);
  bool first_entry = true;
  while (const auto line = lines->next()) {
    // Its mark stands before the first entry.
    if (first_entry && !line->empty() && !line->starts_with('#')) {
      first_entry = false;
      if (!entries.is_lock() && !line->starts_with("__metadata:")) break;
    }
    entries.see(*line);
  }
  entries.end();
  if (!entries.is_lock()) return fail(ErrorKind::kCorrupt, "it does not begin as a lock file of yarn does");
  return {};
}

}  // namespace

FileReader yarn_lock_reader() { return {.name = "yarn lock", .wants = wants, .read = read}; }

}  // namespace slipway::scan
