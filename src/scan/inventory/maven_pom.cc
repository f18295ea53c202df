// pom.xml: its own direct dependencies, as far as the file itself tells their versions: literally, by a property, or by
// its dependencyManagement. What a parent or an imported BOM says is not here. Those for tests, and those that are
// provided by where it runs, are left out.
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "feeds/formats/xml_elements.h"
#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"

namespace slipway::scan {
namespace {

using feeds::XmlNode;

bool wants(const FileInfo& file) { return file.name() == "pom.xml"; }

std::string_view text_of(const XmlNode& node, std::string_view child) {
  const XmlNode* found = node.child(child);
  return found == nullptr ? std::string_view() : trimmed(found->text);
}

class Pom {
 public:
  explicit Pom(const XmlNode& project) : project_(project) {
    read_properties();
    if (const auto* management = project.child("dependencyManagement")) {
      for_each_dependency(*management, [&](const XmlNode& one) {
        managed_.try_emplace(coordinate(one),
                             Managed{.version = text_of(one, "version"), .scope = text_of(one, "scope")});
      });
    }
  }

  void add_to(Finds& finds) const {
    for_each_dependency(project_, [&](const XmlNode& one) {
      const std::string name = coordinate(one);
      const auto managed = managed_.find(name);
      auto version = text_of(one, "version");
      auto scope = text_of(one, "scope");
      if (managed != managed_.end()) {
        if (version.empty()) version = managed->second.version;
        if (scope.empty()) scope = managed->second.scope;
      }
      if (!scope.empty() && scope != "compile" && scope != "runtime") return;
      const std::string exact = exact_version(version);
      if (name.empty() || exact.empty()) return;
      add_package(finds, {.type = PackageType::kMaven, .name = name, .version = exact});
    });
  }

 private:
  struct Managed {
    std::string_view version{};
    std::string_view scope{};
  };

  template <class See>
  static void for_each_dependency(const XmlNode& within, See see) {
    const XmlNode* list = within.child("dependencies");
    if (list == nullptr) return;
    for (const auto& one : list->children) {
      if (one.name == "dependency") see(one);
    }
  }

  void read_properties() {
    const XmlNode* parent = project_.child("parent");
    for (const auto* const name : {"groupId", "version", "artifactId"}) {
      auto own = text_of(project_, name);
      const auto inherited = parent == nullptr ? std::string_view() : text_of(*parent, name);
      if (own.empty()) own = inherited;
      for (const auto* const prefix : {"project.", "pom.", ""}) properties_[std::string(prefix) + name] = own;
      properties_[std::string("project.parent.") + name] = inherited;
      properties_[std::string("parent.") + name] = inherited;
    }
    const XmlNode* stated = project_.child("properties");
    if (stated == nullptr) return;
    for (const auto& one : stated->children) properties_[one.name] = trimmed(one.text);
  }

  // Empty when there is a property in it that is not known.
  [[nodiscard]] std::string resolved(std::string_view text, int depth = 0) const {
    constexpr int kDeepest = 8;
    constexpr std::size_t kLongest = 256;  // so that properties made of each other do not grow without end
    std::string result;
    for (std::size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${")) {
      const std::size_t end = text.find('}', at);
      if (end == std::string_view::npos || depth == kDeepest) return {};
      const auto property = properties_.find(text.substr(at + 2, end - at - 2));
      if (property == properties_.end()) return {};
      const std::string value = resolved(property->second, depth + 1);
      if (value.empty() || result.size() + value.size() > kLongest) return {};
      result += text.substr(0, at);
      result += value;
      text.remove_prefix(end + 1);
    }
    result += text;
    return result;
  }

  // "group:artifact"; empty when one of them is not known.
  [[nodiscard]] std::string coordinate(const XmlNode& dependency) const {
    const std::string group = resolved(text_of(dependency, "groupId"));
    const std::string artifact = resolved(text_of(dependency, "artifactId"));
    return group.empty() || artifact.empty() ? std::string() : group + ":" + artifact;
  }

  // "[1.0]" is 1.0 and nothing else; other ranges, and LATEST, are no versions.
  [[nodiscard]] std::string exact_version(std::string_view text) const {
    std::string version = resolved(text);
    if (version.starts_with('[') && version.ends_with(']')) version = version.substr(1, version.size() - 2);
    const bool is_range = version.find_first_of("[](),") != std::string::npos;
    return is_range || version == "LATEST" || version == "RELEASE" ? std::string() : version;
  }

  const XmlNode& project_;
  std::map<std::string, std::string_view, std::less<>> properties_;
  std::map<std::string, Managed, std::less<>> managed_;
};

Result<> read(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  archive::TapSource limited(content, at_most(kLargestPom));
  feeds::XmlElements elements(limited, {.records = {"project"}, .containers = {}});
  const auto project = elements.next();
  if (!project) return fail(project.error());
  if (!*project || elements.root().name != "project") {
    return fail(ErrorKind::kCorrupt, "its root is not a project of Maven");
  }
  Pom((*project)->node).add_to(finds);
  if (const auto rest = elements.next(); !rest) return fail(rest.error());
  return {};
}

}  // namespace

FileReader pom_reader() { return {.name = "maven", .wants = wants, .read = read}; }

}  // namespace slipway::scan
