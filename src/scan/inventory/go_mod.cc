// go.mod: what it requires, with what replaces it. The module itself is no package. Below Go 1.17 it does not list what
// is needed indirectly.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"

namespace slipway::scan {
namespace {

// Those of other modules lie in the cache and in vendor/.
bool wants(const FileInfo& file) {
  return file.name() == "go.mod" && !is_within(file.path, "pkg/mod") && !is_within(file.path, "vendor");
}

std::string_view take_token(std::string_view& line) {
  auto word = take_word(line);
  for (const char quote : {'"', '`'}) {
    if (word.size() >= 2 && word.front() == quote && word.back() == quote) word = word.substr(1, word.size() - 2);
  }
  return word;
}

// Parentheses are words of their own: "require(".
std::string_view take_verb(std::string_view& line) {
  const std::size_t end = std::min(line.find_first_of(" \t("), line.size());
  const auto verb = line.substr(0, end);
  line = trimmed(line.substr(end));
  return verb;
}

// Between parentheses on one line.
bool is_empty_block(std::string_view text) {
  return text.size() >= 2 && text.front() == '(' && trimmed(text.substr(1)) == ")";
}

std::string without_v(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  return std::string(version);
}

struct Module {
  std::string_view path{};
  std::string_view version{};
};

struct Replacement {
  Module old{};  // without a version: any
  Module by{};   // without a version: a folder
};

class GoMod {
 public:
  void see(std::string_view line) {
    line = trimmed(line.substr(0, line.find("//")));
    if (line.empty()) return;
    if (!block_.empty()) {
      if (line == ")") {
        block_ = {};
      } else {
        statement(block_, line);
      }
      return;
    }
    auto rest = line;
    const auto verb = take_verb(rest);
    empty_ = false;
    if (rest == "(") {
      block_ = verb;
    } else if (!is_empty_block(rest)) {
      statement(verb, rest);
    }
  }

  // An empty go.mod is a way to keep a folder out of a module.
  [[nodiscard]] bool is_go_mod() const { return empty_ || has_module_; }
  [[nodiscard]] bool is_whole() const { return block_.empty(); }

  void add_to(Finds& finds) const {
    for (const auto& required : required_) {
      const Module module = replaced(required);
      if (module.path.empty()) continue;
      add_package(
          finds,
          {.type = PackageType::kGolang, .name = std::string(module.path), .version = without_v(module.version)});
    }
  }

 private:
  void statement(std::string_view verb, std::string_view line) {
    has_module_ |= verb == "module";
    if (verb == "require") required_.push_back(take_module(line));
    if (verb != "replace") return;
    const std::size_t arrow = line.find("=>");
    if (arrow == std::string_view::npos) return;
    auto old = line.substr(0, arrow);
    auto by = line.substr(arrow + 2);
    replacements_.push_back({.old = take_module(old), .by = take_module(by)});
  }

  static Module take_module(std::string_view& line) {
    const auto path = take_token(line);
    return {.path = path, .version = take_token(line)};
  }

  // One that names the version goes before one that does not. Nothing: a folder, of which no version is known.
  [[nodiscard]] Module replaced(const Module& module) const {
    const Replacement* by = nullptr;
    for (const auto& one : replacements_) {
      if (one.old.path != module.path) continue;
      if (one.old.version == module.version) return of_version(one.by);
      if (one.old.version.empty()) by = &one;
    }
    return by == nullptr ? module : of_version(by->by);
  }
  static Module of_version(const Module& by) { return by.version.empty() ? Module{} : by; }

  std::string_view block_{};  // "require" between "require (" and ")"
  bool empty_ = true;
  bool has_module_ = false;
  std::vector<Module> required_;
  std::vector<Replacement> replacements_;
};

Result<> read(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  auto lines = TextLines::read(content, kLargestManifest);
  if (!lines) return fail(std::move(lines.error()));
  GoMod mod;
  while (const auto line = lines->next()) mod.see(*line);
  if (!mod.is_go_mod()) return fail(ErrorKind::kCorrupt, "it does not say which module it is of");
  mod.add_to(finds);
  if (!mod.is_whole()) return fail(ErrorKind::kCorrupt, "it ends within a block");
  return {};
}

}  // namespace

FileReader go_mod_reader() { return {.name = "go.mod", .wants = wants, .read = read}; }

}  // namespace slipway::scan
