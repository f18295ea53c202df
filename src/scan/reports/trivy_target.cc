#include "scan/reports/trivy_target.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "scan/reports/distribution_names.h"
#include "scan/reports/report_json.h"

namespace slipway::scan {
namespace {

struct LockFile {
  PackageType of;
  std::string_view name;  // what the file's name ends with
  std::string_view type;
};

constexpr std::array kLockFiles{
    LockFile{PackageType::kNpm, "package-lock.json", "npm"},
    LockFile{PackageType::kNpm, "npm-shrinkwrap.json", "npm"},
    LockFile{PackageType::kNpm, "yarn.lock", "yarn"},
    LockFile{PackageType::kNpm, "pnpm-lock.yaml", "pnpm"},
    LockFile{PackageType::kNpm, "bun.lock", "bun"},
    LockFile{PackageType::kPypi, "poetry.lock", "poetry"},
    LockFile{PackageType::kPypi, "Pipfile.lock", "pipenv"},
    LockFile{PackageType::kPypi, "uv.lock", "uv"},
    LockFile{PackageType::kPypi, ".txt", "pip"},
    LockFile{PackageType::kGolang, "go.mod", "gomod"},
    LockFile{PackageType::kGolang, "go.sum", "gomod"},
    LockFile{PackageType::kMaven, "pom.xml", "pom"},
    LockFile{PackageType::kMaven, "gradle.lockfile", "gradle"},
    LockFile{PackageType::kGem, "Gemfile.lock", "bundler"},
    LockFile{PackageType::kGem, "gems.locked", "bundler"},
    LockFile{PackageType::kCargo, "Cargo.lock", "cargo"},
    LockFile{PackageType::kComposer, "composer.lock", "composer"},
    LockFile{PackageType::kComposer, "installed.json", "composer-vendor"},
};

// What is listed of an installed package, whose file is its own.
struct Installed {
  PackageType of;
  std::string_view type;
  std::string_view target;  // of all of them together; empty: each file is one
};

constexpr std::array kInstalled{
    Installed{PackageType::kNpm, "node-pkg", "Node.js"},
    Installed{PackageType::kPypi, "python-pkg", "Python"},
    Installed{PackageType::kMaven, "jar", "Java"},
    Installed{PackageType::kGem, "gemspec", "Ruby"},
    Installed{PackageType::kGolang, "gobinary", ""},
    Installed{PackageType::kCargo, "rustbinary", ""},
    Installed{PackageType::kComposer, "composer-vendor", ""},
};

std::string of_distribution(const Report& report) {
  const auto& distribution = report.inventory.distribution;
  if (!distribution) return std::string(artifact_name(report));
  const auto family = family_of(distribution->id);
  const auto& version = distribution->version;
  return fmt::format("{} ({}{}{})", artifact_name(report), family, version.empty() ? "" : " ", version);
}

}  // namespace

TrivyTarget trivy_target(const Report& report, const Package& package) {
  if (is_of_distribution(package.type)) {
    const auto& distribution = report.inventory.distribution;
    return {.type = std::string(distribution ? family_of(distribution->id) : to_string(package.type)),
            .target = of_distribution(report)};
  }
  const std::string own_target = package.path.empty() ? std::string(artifact_name(report)) : package.path;
  for (const auto& lock : kLockFiles) {
    if (package.type != lock.of || !package.path.ends_with(lock.name)) continue;
    return {.of_language = true, .type = std::string(lock.type), .target = own_target};
  }
  const auto* const installed = std::ranges::find(kInstalled, package.type, &Installed::of);
  if (installed == kInstalled.end()) return {.of_language = true, .type = "other", .target = own_target};
  return {.of_language = true,
          .type = std::string(installed->type),
          .target = installed->target.empty() ? own_target : std::string(installed->target),
          .gathers_files = !installed->target.empty()};
}

}  // namespace slipway::scan
