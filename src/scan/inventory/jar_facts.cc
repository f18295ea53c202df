#include "scan/inventory/jar_facts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "archive/entry.h"

namespace slipway::scan {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\f";
  const auto begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

// A line off the front, without its end, which is "\n", "\r\n" or "\r".
std::string_view take_line(std::string_view& text) {
  const auto end = text.find_first_of("\r\n");
  const auto line = text.substr(0, end);
  if (end == std::string_view::npos) {
    text = {};
  } else {
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  return line;
}

constexpr std::size_t kLongest = 250;  // of what may be a name or a version

// Such as Maven takes for a group or an artifact.
bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
  });
}

// Of a version that nobody filled in: "${project.version}".
bool is_version(std::string_view text) { return !text.empty() && text.find_first_of("${} ") == std::string_view::npos; }

std::string value_of(const std::map<std::string, std::string>& manifest, const char* name) {
  const auto found = manifest.find(name);
  return found == manifest.end() ? std::string() : found->second;
}

// "org.apache.commons.lang3;singleton:=true" without what comes behind the semicolon.
std::string symbolic_name(const std::map<std::string, std::string>& manifest) {
  const std::string whole = value_of(manifest, "bundle-symbolicname");
  const auto name = trimmed(std::string_view(whole).substr(0, whole.find(';')));
  return is_id(name) ? std::string(name) : std::string();
}

std::string_view last_part(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

// Maven's bundle plugin makes the symbolic name of group and artifact, and takes out what they have in common:
// org.apache.commons + commons-lang3 = org.apache.commons.lang3.
std::string group_of(std::string_view symbolic, std::string_view artifact) {
  const auto dot = symbolic.rfind('.');
  if (dot == std::string_view::npos) return {};
  const auto group = symbolic.substr(0, dot);
  if (symbolic.ends_with(fmt::format(".{}", artifact))) {
    return std::string(symbolic.substr(0, symbolic.size() - artifact.size() - 1));
  }
  if (artifact == fmt::format("{}-{}", last_part(group), last_part(symbolic))) return std::string(group);
  return {};
}

constexpr std::array kVersionFields = {"implementation-version", "bundle-version"};

std::string version_by_manifest(const JarFacts& jar) {
  for (const char* field : kVersionFields) {
    if (std::string version = value_of(jar.manifest, field); is_version(version)) return version;
  }
  return {};
}

std::optional<MavenName> name_by_manifest(const JarFacts& jar) {
  MavenName name{.version = version_by_manifest(jar)};
  if (name.version.empty()) return std::nullopt;
  const std::string symbolic = symbolic_name(jar.manifest);
  const std::string title = value_of(jar.manifest, "implementation-title");
  if (auto file = parse_jar_name(jar.path)) {
    name.artifact = std::move(file->artifact);
  } else if (is_id(title)) {
    name.artifact = title;
  } else {
    name.artifact = last_part(symbolic);
  }
  if (name.artifact.empty()) return std::nullopt;
  name.group = value_of(jar.manifest, "implementation-vendor-id");
  if (!is_id(name.group)) name.group = group_of(symbolic, name.artifact);
  return name;
}

std::string shown(const MavenName& name) {
  return archive::printable(name.group.empty() ? name.artifact : fmt::format("{}:{}", name.group, name.artifact));
}

Package package_of(const MavenName& name, const std::string& path) {
  return {.type = PackageType::kMaven, .name = shown(name), .version = archive::printable(name.version), .path = path};
}

bool is_nameless(const MavenName& pom) { return pom.group.empty() || pom.artifact.empty(); }

// What its poms name. Those that do not tell which version they are of are noted.
std::vector<MavenName> names_by_poms(const JarFacts& jar, const std::optional<MavenName>& file,
                                     std::vector<std::string>& unread) {
  std::vector<MavenName> names;
  for (MavenName name : jar.poms) {
    if (is_nameless(name)) {
      unread.emplace_back("a pom.properties in it does not state its group and artifact");
      continue;
    }
    if (name.version.empty() && jar.poms.size() == 1) name.version = version_by_manifest(jar);
    if (name.version.empty() && file && file->artifact == name.artifact) name.version = file->version;
    if (name.version.empty()) {
      unread.push_back(fmt::format("{}: it does not state its version", shown(name)));
    } else {
      names.push_back(std::move(name));
    }
  }
  return names;
}

// What the jar itself is called, where its poms are only those of what was put into it. By the manifest, and only when
// that states the group.
std::optional<MavenName> name_beside_poms(const JarFacts& jar, const std::vector<MavenName>& poms) {
  auto name = name_by_manifest(jar);
  if (!name || name->group.empty()) return std::nullopt;
  const std::string title = value_of(jar.manifest, "implementation-title");
  const bool has_own = std::ranges::any_of(poms, [&](const MavenName& pom) {
    return pom.artifact == name->artifact || pom.artifact == title || pom.version == name->version;
  });
  return has_own ? std::nullopt : name;
}

bool has_unfilled_version(const JarFacts& jar) {
  return std::ranges::any_of(kVersionFields, [&](const char* field) {
    const std::string version = value_of(jar.manifest, field);
    return !version.empty() && !is_version(version);
  });
}

}  // namespace

std::map<std::string, std::string> parse_manifest(std::string_view text) {
  std::map<std::string, std::string> out;
  std::string* value = nullptr;
  while (!text.empty()) {
    const auto line = take_line(text);
    if (line.empty()) break;  // the sections of single files follow
    if (line.starts_with(' ')) {
      if (value != nullptr) value->append(line.substr(1));
      continue;
    }
    const auto colon = line.find(':');
    value = nullptr;
    if (colon == std::string_view::npos) continue;
    value = &out[lower(line.substr(0, colon))];
    *value = line.substr(colon + 1);
  }
  for (auto& [name, each] : out) each = std::string(trimmed(each));
  return out;
}

MavenName parse_pom_properties(std::string_view text) {
  MavenName name;
  while (!text.empty()) {
    auto line = trimmed(take_line(text));
    if (line.starts_with('#') || line.starts_with('!')) continue;
    const auto equals = line.find_first_of("=:");
    if (equals == std::string_view::npos) continue;
    const auto key = trimmed(line.substr(0, equals));
    const auto value = trimmed(line.substr(equals + 1));
    if (key == "groupId") name.group = value;
    if (key == "artifactId") name.artifact = value;
    if (key == "version") name.version = value;
  }
  if (!is_id(name.group)) name.group.clear();
  if (!is_id(name.artifact)) name.artifact.clear();
  if (!is_version(name.version)) name.version.clear();
  return name;
}

std::optional<MavenName> parse_jar_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  name = name.substr(0, name.rfind('.'));
  // The version begins with the first number behind a hyphen: log4j-1.2-api-2.17.0 has it behind the last such.
  std::size_t split = std::string_view::npos;
  for (auto at = name.find('-'); at != std::string_view::npos; at = name.find('-', at + 1)) {
    const bool number = at + 1 < name.size() && std::isdigit(static_cast<unsigned char>(name[at + 1])) != 0;
    const bool goes_on = split != std::string_view::npos && name.find('.', at) == std::string_view::npos;
    if (number && !goes_on) split = at;
  }
  if (split == std::string_view::npos || split == 0 || !is_id(name)) return std::nullopt;
  return MavenName{.artifact = std::string(name.substr(0, split)), .version = std::string(name.substr(split + 1))};
}

JarPackages packages_of(const JarFacts& jar) {
  JarPackages out;
  const auto file = parse_jar_name(jar.path);
  std::vector<MavenName> names = names_by_poms(jar, file, out.unread);
  if (names.empty()) {
    auto name = name_by_manifest(jar);
    if (!name) name = file;
    if (name) names.push_back(*name);
    const bool only_nameless = jar.poms.size() == 1 && is_nameless(jar.poms.front());
    if (name && only_nameless) out.unread.clear();
    if (!name && out.unread.empty() && has_unfilled_version(jar)) {
      out.unread.emplace_back("it does not state its version");
    }
  } else if (const auto own = name_beside_poms(jar, names)) {
    names.push_back(*own);
  }
  const std::string licence = archive::printable(value_of(jar.manifest, "bundle-license"));
  for (const MavenName& name : names) {
    out.packages.push_back(package_of(name, jar.path));
    if (names.size() == 1 || (file && file->artifact == name.artifact)) out.packages.back().licence = licence;
  }
  return out;
}

}  // namespace slipway::scan
