// pnpm-lock.yaml. A package's key tells its name and version:
//
//   form 5   /x/1.0.0, /@s/x/1.0.0_peers      form 6   /x@1.0.0, /@s/x@1.0.0(peers)      form 9   x@1.0.0, @s/x@1.0.0
//
// In forms 5 and 6, those of another registry have its address before that: registry.example.com/x/1.0.0. Those from
// elsewhere than a registry have an address for a key, and fields for their name and version. Forms 5 and 6
// say of each package whether it is for development alone; with form 9 that follows from "importers" (what the
// project's folders ask for) and "snapshots" (what packages need).
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "feeds/formats/yaml_json.h"
#include "scan/inventory/json_members.h"
#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"
#include "scan/inventory/reachable.h"

namespace slipway::scan {
namespace {

using feeds::JsonNode;

bool wants(const FileInfo& file) { return file.name() == "pnpm-lock.yaml" && !is_within(file.path, "node_modules"); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_peers(std::string_view id) { return id.substr(0, id.find('(')); }

NameAndVersion split_key(std::string_view key) {
  key = without_peers(key);
  const bool is_old = key.starts_with('/');
  if (is_old) key.remove_prefix(1);
  const auto at_sign = split_at_sign(key);
  // Else the '@' is in the peers of form 5: "@s/x/1.0.0_react@17".
  const bool is_name = std::ranges::count(at_sign.name, '/') == (at_sign.name.starts_with('@') ? 1 : 0);
  if (is_name && !at_sign.version.empty() && is_digit(at_sign.version.front())) return at_sign;
  const std::size_t slash = key.rfind('/');
  if (!is_old || slash == std::string_view::npos) return {};
  const auto version = key.substr(slash + 1);
  return {.name = key.substr(0, slash), .version = version.substr(0, version.find('_'))};
}

// A folder of the project's own has no version.
bool is_folder(std::string_view key) {
  return key.find("file:") != std::string_view::npos || key.find("link:") != std::string_view::npos;
}

// Of a key that begins with a registry's address.
NameAndVersion split_foreign_key(std::string_view key) {
  const std::size_t slash = std::min(key.find('/'), key.size());
  const bool has_host = key.substr(0, slash).find_first_of(".+") != std::string_view::npos;
  if (!has_host || is_folder(key) || key.find("://") != std::string_view::npos) return {};
  const auto split = split_key(key.substr(slash));
  // Else it is the hash of a commit.
  const bool is_version =
      !split.version.empty() && is_digit(split.version.front()) && split.version.find('.') != std::string_view::npos;
  return is_version ? split : NameAndVersion{};
}

// The key in "snapshots" of a package that is asked for as `name`, and for which `version` was chosen. An alias has the
// whole key there.
std::string snapshot_key(std::string_view name, std::string_view version) {
  if (without_peers(version).find('@', 1) != std::string_view::npos) return std::string(version);
  return std::string(name) + "@" + std::string(version);
}

class PnpmLock {
 public:
  explicit PnpmLock(Finds& finds) : finds_(finds) {}

  Result<> read(std::string_view json) {
    return each_member(json, [&](std::string_view name, std::string_view part) -> Result<> {
      is_lock_ |= name == "lockfileVersion";
      if (part == "null") return {};
      if (name == "packages") return each(part, &PnpmLock::read_package);
      if (name == "snapshots") return each(part, &PnpmLock::read_snapshot);
      if (name == "importers") return each(part, &PnpmLock::read_importer);
      return {};
    });
  }

  [[nodiscard]] bool is_lock() const { return is_lock_; }

  void finish() {
    needs_.walk();
    for (auto& one : packages_) {
      if (has_snapshots_ && !needs_.reached(one.key)) continue;
      add_package(finds_, {.type = PackageType::kNpm, .name = std::move(one.name), .version = std::move(one.version)});
    }
  }

 private:
  Result<> each(std::string_view part, void (PnpmLock::*see)(std::string_view, const JsonNode&)) {
    return each_parsed_member(part, finds_,
                              [&](std::string_view name, const JsonNode& node) { (this->*see)(name, node); });
  }

  void read_package(std::string_view key, const JsonNode& node) {
    if (node["dev"].flag()) return;
    auto [name, version] = split_key(key);
    if (name.empty()) name = node["name"].text();
    if (version.empty()) version = node["version"].text();
    if (const auto foreign = split_foreign_key(key); version.empty() && !foreign.version.empty()) {
      name = foreign.name;
      version = foreign.version;
    }
    if (name.empty()) name = split_at_sign(key).name;  // form 9: "x@https://..."
    if (version.empty() && is_folder(key)) return;
    if (version.empty()) return note_unread(finds_, key, "its version is not told");
    packages_.push_back({std::string(without_peers(key)), std::string(name), std::string(version)});
  }

  // What it needs is needed by the package itself, whatever its peers are.
  void read_snapshot(std::string_view key, const JsonNode& node) {
    has_snapshots_ = true;
    needs_.add_need(key, without_peers(key));
    for (const auto* const list : {"dependencies", "optionalDependencies"}) {
      for (const auto& [name, version] : node[list].members()) {
        needs_.add_need(key, snapshot_key(name, version.text()));
      }
    }
  }

  void read_importer(std::string_view, const JsonNode& node) {
    for (const auto* const list : {"dependencies", "optionalDependencies"}) {
      for (const auto& [name, chosen] : node[list].members()) {
        if (chosen.is_object()) needs_.add_root(snapshot_key(name, chosen["version"].text()));
      }
    }
  }

  Finds& finds_;
  bool is_lock_ = false;
  bool has_snapshots_ = false;
  Reachable needs_;
  std::vector<Locked> packages_;
};

// YAML's documents: later pnpms put one about themselves before the project's.
std::vector<std::string_view> documents_of(std::string_view text) {
  constexpr std::string_view kMark = "\n---";
  std::vector<std::string_view> documents;
  for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark)) {
    if (!trimmed(text.substr(0, at)).empty()) documents.push_back(text.substr(0, at));
    text.remove_prefix(at + kMark.size());
  }
  documents.push_back(text);
  return documents;
}

// The text is given up before what was made of it is read.
Result<std::vector<std::string>> read_documents(archive::ByteSource& content) {
  const auto text = read_whole(content, kLargestYaml);
  if (!text) return fail(text.error());
  std::vector<std::string> all;
  for (const auto one : documents_of(without_mark(*text))) {
    auto json = feeds::yaml_to_json(one);
    if (!json) return fail(readable(json.error()));
    all.push_back(std::move(*json));
  }
  return all;
}

Result<> read(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  const auto documents = read_documents(content);
  if (!documents) return fail(documents.error());
  for (const auto& json : *documents) {
    PnpmLock lock(finds);
    auto read = lock.read(json);
    lock.finish();
    if (!read) return read;
    if (!lock.is_lock()) return fail(ErrorKind::kCorrupt, "it has no lockfileVersion, and is no lock file");
  }
  return {};
}

}  // namespace

FileReader pnpm_lock_reader() { return {.name = "pnpm lock", .wants = wants, .read = read}; }

}  // namespace slipway::scan
