// Pipfile.lock, poetry.lock, uv.lock and pylock.toml.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scan/inventory/json_members.h"
#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"
#include "scan/inventory/python_names.h"
#include "scan/inventory/reachable.h"
#include "scan/inventory/toml_tables.h"

namespace slipway::scan {
namespace {

using feeds::JsonNode;

bool is_projects(const FileInfo& file) {
  return !is_within(file.path, "site-packages") && !is_within(file.path, "dist-packages");
}

bool wants_pipfile(const FileInfo& file) { return file.name() == "Pipfile.lock" && is_projects(file); }
bool wants_poetry(const FileInfo& file) { return file.name() == "poetry.lock" && is_projects(file); }
bool wants_uv(const FileInfo& file) { return file.name() == "uv.lock" && is_projects(file); }

bool wants_pylock(const FileInfo& file) {
  const auto name = file.name();
  return name.starts_with("pylock.") && name.ends_with(".toml") &&
         name.size() >= std::string_view("pylock.toml").size() && is_projects(file);
}

// What is taken from a folder or a repository has no version there.
void read_pipfile_entry(std::string_view name, const JsonNode& node, Finds& finds) {
  auto version = node["version"].text();
  if (!version.starts_with("==")) return;
  version.remove_prefix(2);
  add_package(finds, python_package(name, version));
}

Result<> read_pipfile(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  bool is_lock = false;
  auto read = each_member(content, [&](std::string_view name, std::string_view json) -> Result<> {
    is_lock |= name == "_meta" || name == "default";
    if (name != "default") return {};
    return each_parsed_member(
        json, finds, [&](std::string_view one, const JsonNode& node) { read_pipfile_entry(one, node, finds); });
  });
  if (!read) return read;
  if (!is_lock) return fail(ErrorKind::kCorrupt, "it has no default packages, and is no lock file");
  return {};
}

// Older poetries have a category, later ones groups; those in between neither.
bool is_of_main_group(const JsonNode& table) {
  if (table["category"].text() == "dev") return false;
  const auto groups = table["groups"].items();
  if (groups.empty()) return true;
  for (const auto& group : groups) {
    if (group.text() == "main") return true;
  }
  return false;
}

Result<> read_poetry(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  bool is_lock = false;
  auto read = each_toml_table(content, "package", finds, [&](const JsonNode& table, bool in_list) {
    is_lock |= in_list || table["package"].is_list();
    if (in_list && is_of_main_group(table)) {
      add_package(finds, python_package(table["name"].text(), table["version"].text()));
    }
  });
  if (!read) return read;
  if (!is_lock) return fail(ErrorKind::kCorrupt, "it has no packages, and is no lock file");
  return {};
}

// uv.lock lists the project itself, too, with a folder for its source, and what it needs.
class UvLock {
 public:
  explicit UvLock(Finds& finds) : finds_(finds) {}

  void see(const JsonNode& table, bool in_list) {
    is_lock_ |= in_list || table["requires-python"].is_text();
    if (!in_list) return;
    const std::string name = normalised_python_name(table["name"].text());
    const JsonNode source = table["source"];
    const bool is_own = source["virtual"] || source["editable"];
    if (is_own) needs_.add_root(name);
    read_needs(name, table["dependencies"]);
    for (const auto& [extra, list] : table["optional-dependencies"].members()) read_needs(name, list);
    // What is made of a folder may have its version worked out while it is built.
    if (is_own || source["directory"]) return;
    packages_.push_back({.name = name, .version = std::string(table["version"].text())});
  }

  [[nodiscard]] bool is_lock() const { return is_lock_; }

  void finish() {
    needs_.walk();
    for (const auto& one : packages_) {
      if (!needs_.has_roots() || needs_.reached(one.name)) add_package(finds_, python_package(one.name, one.version));
    }
  }

 private:
  void read_needs(std::string_view name, const JsonNode& list) {
    for (const auto& need : list.items()) needs_.add_need(name, normalised_python_name(need["name"].text()));
  }

  Finds& finds_;
  bool is_lock_ = false;
  Reachable needs_;
  std::vector<Locked> packages_;
};

Result<> read_uv(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  UvLock lock(finds);
  auto read = each_toml_table(content, "package", finds,
                              [&](const JsonNode& table, bool in_list) { lock.see(table, in_list); });
  lock.finish();
  if (!read) return read;
  if (!lock.is_lock()) return fail(ErrorKind::kCorrupt, "it has no packages, and is no lock file");
  return {};
}

Result<> read_pylock(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  bool is_lock = false;
  auto read = each_toml_table(content, "packages", finds, [&](const JsonNode& table, bool in_list) {
    is_lock |= in_list || table["lock-version"];
    // Folders and repositories need not have a version.
    if (!in_list || table["directory"] || (table["vcs"] && !table["version"])) return;
    add_package(finds, python_package(table["name"].text(), table["version"].text()));
  });
  if (!read) return read;
  if (!is_lock) return fail(ErrorKind::kCorrupt, "it has no lock-version, and is no lock file");
  return {};
}

}  // namespace

FileReader pipfile_lock_reader() { return {.name = "pipenv lock", .wants = wants_pipfile, .read = read_pipfile}; }
FileReader poetry_lock_reader() { return {.name = "poetry lock", .wants = wants_poetry, .read = read_poetry}; }
FileReader uv_lock_reader() { return {.name = "uv lock", .wants = wants_uv, .read = read_uv}; }
FileReader pylock_reader() { return {.name = "pylock", .wants = wants_pylock, .read = read_pylock}; }

}  // namespace slipway::scan
