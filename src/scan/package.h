// What an image holds: packages, the distribution that some of them are of, and what could not be read. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::scan {

// By whose rules a package is named and versioned. The names (to_string) are the types of package URLs ("pkg:deb/..."),
// and are on disk with stored inventories.
enum class PackageType : std::uint8_t {
  kDeb,
  kApk,
  kRpm,
  kNpm,
  kPypi,
  kGolang,
  kMaven,
  kGem,
  kCargo,
  kComposer,
  kOther,  // only in an SBOM: nothing is known against it
};

[[nodiscard]] std::string_view to_string(PackageType type);  // "deb", "golang", ...
[[nodiscard]] std::optional<PackageType> parse_package_type(std::string_view text);
// Those of a distribution: what it says of them counts for more than what their makers say.
[[nodiscard]] bool is_of_distribution(PackageType type);

// As /etc/os-release has it.
struct Distribution {
  std::string id{};        // "debian", "alpine", "rhel"; lower case
  std::string version{};   // VERSION_ID: "12", "3.18.4"; empty: a rolling one, or none is stated
  std::string codename{};  // "bookworm"
  std::string name{};      // PRETTY_NAME

  friend bool operator==(const Distribution&, const Distribution&) = default;
};

struct Package {
  PackageType type = PackageType::kOther;
  std::string name{};            // as its ecosystem spells it: "libssl1.1", "@babel/core", "org.apache.tomcat:tomcat"
  std::string version{};         // whole: "1:2.3-4", "1.1.1d-r0", "v1.2.3" for Go without the v
  std::string source{};          // of distributions: the source package; empty: it has the same name
  std::string source_version{};  // empty: the same
  std::string architecture{};
  std::string licence{};  // as stated, SPDX or not
  std::string path{};     // the file that tells of it, or that it is in: "app/x.jar/BOOT-INF/lib/y.jar"
  std::uint32_t layer = 0;
  std::string owner{};  // of a language's package that came with one of the distribution's: that one's name

  friend bool operator==(const Package&, const Package&) = default;
};

// A file that should have told of packages and could not be read, or not to its end.
struct Unread {
  std::string path{};
  std::string reason{};

  friend bool operator==(const Unread&, const Unread&) = default;
};

struct Layer {
  std::string digest{};   // "sha256:..." of the layer as it stands in the image; empty where nothing states it
  std::string diff_id{};  // unpacked

  friend bool operator==(const Layer&, const Layer&) = default;
};

struct Inventory {
  std::optional<Distribution> distribution{};
  std::vector<Package> packages{};  // by type, name, version, path
  std::vector<Unread> unread{};
  std::vector<Layer> layers{};

  // Else there may be packages that are not listed: never say "clean" then.
  [[nodiscard]] bool complete() const { return unread.empty(); }

  friend bool operator==(const Inventory&, const Inventory&) = default;
};

}  // namespace slipway::scan
