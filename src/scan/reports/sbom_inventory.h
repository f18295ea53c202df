// What an SBOM lists, gathered component by component, whatever its form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scan/package.h"
#include "scan/reports/package_url.h"
#include "scan/reports/sbom_properties.h"

namespace slipway::scan {

// What is said of one component. Nothing of it is trusted.
struct SbomComponent {
  std::string ref{};    // its name within the document
  std::string group{};  // what stands before the name in some ecosystems
  std::string name{};
  std::string version{};
  std::string url{};  // a package URL
  std::string licence{};
  std::string source{};                // "openssl 1:1.0.2k-16.el7": the source package and its version
  std::vector<Property> properties{};  // ours by their names, Trivy's with or without their prefix
};

// One document, one thread.
class SbomInventory {
 public:
  // It counts as a package, or is noted as unread.
  void add(const SbomComponent& component);
  // What the document is about: a package only where its URL is of a type that is known.
  void add_artifact(const SbomComponent& component);
  // The first that is told counts, and a second, different one is noted. Packages' URLs count for less: the first of
  // them only where nothing else tells. Packages of another distribution are left out, and noted.
  void set_distribution(Distribution distribution);
  // Of the artifact: its layers, and what was not read when the document was made.
  void describe(const std::vector<Property>& properties);
  void unread(std::string path, std::string reason);
  // The document itself says that nothing is missing in it. Else one without any package is noted as unread: its maker
  // may have understood nothing.
  void set_complete() { complete_ = true; }

  // A lock file: what depends on it, directly or not, was found there unless it says otherwise.
  void add_file(std::string ref, std::string_view path);
  void add_edge(std::string from, std::string to);

  // Sorted, each package once. Nothing is left here.
  [[nodiscard]] Inventory take();

 private:
  void apply(const SbomComponent& component, Package& package);
  void apply_ours(const Property& property, Package& package);
  void apply_trivys(std::string_view name, const std::string& value, Package& package);
  std::uint32_t layer_of(const std::string& diff_id);
  void spread_paths();
  void leave_out_others();

  // Packages whose URLs say the same of their distribution.
  struct Told {
    PackageUrl url{};  // of one of them
    std::vector<std::size_t> packages{};
  };

  Inventory found_{};
  std::optional<Distribution> from_urls_{};
  std::map<std::string, Told> told_{};
  bool complete_ = false;
  bool overfull_ = false;
  std::size_t unnoted_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> layers_{};
  std::map<std::string, std::size_t, std::less<>> refs_{};  // to packages
  std::vector<std::pair<std::string, std::string>> files_{};
  std::multimap<std::string, std::string, std::less<>> edges_{};
};

}  // namespace slipway::scan
