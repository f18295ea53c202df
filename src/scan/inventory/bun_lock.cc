// bun.lock: JSON with comments and with commas before closing brackets. "packages" has each package by its place, as
// node_modules would have it ("x", or "y/x" for one that only y sees):
//
//   "x": ["x@1.0.0", "", { "dependencies": { "y": "^2" } }, "sha512-..."]
//
// and "workspaces" what the project's folders ask for.
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "scan/inventory/json_members.h"
#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"
#include "scan/inventory/reachable.h"

namespace slipway::scan {
namespace {

using feeds::JsonNode;

bool wants(const FileInfo& file) { return file.name() == "bun.lock" && !is_within(file.path, "node_modules"); }

// Behind the comment that begins at `at`; `at` when none does.
std::size_t end_of_comment(std::string_view text, std::size_t at) {
  const auto begin = text.substr(at, 2);
  if (begin == "//") return std::min(text.find('\n', at), text.size());
  if (begin != "/*") return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// Puts blanks where JSON has nothing.
void make_json(std::string& text) {
  std::size_t comma = std::string::npos;  // the last thing that was seen
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = end_of_comment(text, at); end != at) {
      text.replace(at, end - at, end - at, ' ');
      at = end;
      continue;
    }
    const char c = text[at];
    if ((c == '}' || c == ']') && comma != std::string::npos) text[comma] = ' ';
    if (c == ',') {
      comma = at;
    } else if (trimmed(std::string_view(&text[at], 1)).size() == 1) {
      comma = std::string::npos;
    }
    at = c == '"' ? end_of_string(text, at) : at + 1;
  }
}

constexpr std::string_view kNeeds[] = {"dependencies", "optionalDependencies", "peerDependencies"};

class BunLock {
 public:
  explicit BunLock(Finds& finds) : finds_(finds) {}

  Result<> read(std::string_view json) {
    return each_member(json, [&](std::string_view name, std::string_view part) -> Result<> {
      is_lock_ |= name == "lockfileVersion";
      if (name == "workspaces") {
        return each_parsed_member(part, finds_, [&](auto, const JsonNode& node) { read_workspace(node); });
      }
      if (name == "packages") {
        return each_parsed_member(part, finds_,
                                  [&](std::string_view place, const JsonNode& node) { read_package(place, node); });
      }
      return {};
    });
  }

  [[nodiscard]] bool is_lock() const { return is_lock_; }

  // Without workspaces it is not known what is for development alone.
  void finish() {
    for (const auto& [place, need] : needs_) reachable_.add_need(place, nearest(place, need));
    reachable_.walk();
    for (auto& one : packages_) {
      if (reachable_.has_roots() && !reachable_.reached(one.key)) continue;
      add_package(finds_, {.type = PackageType::kNpm, .name = std::move(one.name), .version = std::move(one.version)});
    }
  }

 private:
  void read_workspace(const JsonNode& node) {
    const std::string folder(node["name"].text());
    reachable_.add_root(folder);
    for (const auto list : kNeeds) {
      for (const auto& [name, range] : node[list].members()) needs_.emplace_back(folder, name);
    }
  }

  // What has an address ("x@github:...") or a folder ("x@workspace:...") in place of a version is no package to us.
  void read_package(std::string_view place, const JsonNode& node) {
    const auto parts = node.items();
    if (parts.empty()) return note_unread(finds_, place, "it has no name and version");
    const auto [name, version] = split_at_sign(parts[0].text());
    if (version.find(':') == std::string_view::npos) {
      packages_.push_back({std::string(place), std::string(name), std::string(version)});
    }
    places_.emplace(place);
    for (const auto& part : parts) {
      if (!part.is_object()) continue;
      for (const auto list : kNeeds) {
        if (!part[list].is_object()) continue;
        for (const auto& [needed, range] : part[list].members()) needs_.emplace_back(place, needed);
      }
    }
  }

  // A need is met by the nearest place: y/x/NAME, y/NAME, NAME.
  [[nodiscard]] std::string nearest(std::string_view place, std::string_view need) const {
    constexpr int kMostLevels = 16;
    for (int level = 0; level < kMostLevels && !place.empty(); ++level) {
      std::string candidate = std::string(place) + "/" + std::string(need);
      if (places_.contains(candidate)) return candidate;
      const std::size_t slash = place.rfind('/');
      place = place.substr(0, slash == std::string_view::npos ? 0 : slash);
    }
    return std::string(need);
  }

  Finds& finds_;
  bool is_lock_ = false;
  Reachable reachable_;
  std::vector<Locked> packages_;
  std::unordered_set<std::string> places_;
  std::vector<std::pair<std::string, std::string>> needs_;  // of the package or workspace there
};

Result<> read(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  auto text = read_whole(content, kLargestLockFile);
  if (!text) return fail(std::move(text.error()));
  make_json(*text);
  BunLock lock(finds);
  auto read = lock.read(*text);
  lock.finish();
  if (!read) return read;
  if (!lock.is_lock()) return fail(ErrorKind::kCorrupt, "it has no lockfileVersion, and is no lock file");
  return {};
}

}  // namespace

FileReader bun_lock_reader() { return {.name = "bun lock", .wants = wants, .read = read}; }

}  // namespace slipway::scan
