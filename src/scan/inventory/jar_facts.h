// What a jar says of itself: the texts in META-INF, and its name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scan/package.h"

namespace slipway::scan {

// The main section of a MANIFEST.MF; lines that were folded are whole again. Names are in lower case, as their case
// does not matter.
[[nodiscard]] std::map<std::string, std::string> parse_manifest(std::string_view text);

// What Maven names a jar by. What is empty is not known.
struct MavenName {
  std::string group{};
  std::string artifact{};
  std::string version{};

  friend bool operator==(const MavenName&, const MavenName&) = default;
};

// pom.properties. Empty is what it does not state in words that Maven takes: "${project.version}".
[[nodiscard]] MavenName parse_pom_properties(std::string_view text);
// "x/commons-lang3-3.12.0.jar". None when no version can be told from it: "app.jar".
[[nodiscard]] std::optional<MavenName> parse_jar_name(std::string_view path);

struct JarFacts {
  std::string path{};  // of the jar: "app/x.jar", "app/x.jar/BOOT-INF/lib/y.jar"
  std::vector<MavenName> poms{};
  std::map<std::string, std::string> manifest{};
};

// The packages that it is, or holds merged into it:
//   - each pom.properties is one. If that does not state the version, the manifest does where it is the only one, and
//     the file's name where that is the artifact's;
//   - if none is, it is the one that its manifest tells of: version by Implementation-Version or Bundle-Version;
//     artifact by the file's name where that has a version, else by Implementation-Title or Bundle-SymbolicName; group
//     by Implementation-Vendor-Id or what Bundle-SymbolicName has besides the artifact;
//   - else the one that its file's name tells of, of no known group.
// None when nothing tells. A Bundle-License is that of the package that the jar is: the only one, or the one that its
// file is named after.
struct JarPackages {
  std::vector<Package> packages{};
  std::vector<std::string> unread{};  // what it names and is no package, and why
};
[[nodiscard]] JarPackages packages_of(const JarFacts& jar);

}  // namespace slipway::scan
