// The readers on lock files whose packages another scanner has listed; skipped where these files are not. What differs,
// differs for a reason that is told at its test: that scanner reads files together, ours each alone.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "scan/inventory/file_reader.h"
#include "scan/inventory/python_names.h"
#include "scan/testing/read_file.h"

namespace slipway::scan {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;
using ::testing::StartsWith;

using Names = std::set<std::string>;  // "name version"

std::filesystem::path data() {
  const char* given = std::getenv("SLIPWAY_DATA");
  return std::filesystem::path(given != nullptr ? given : SLIPWAY_TEST_DATA) / "trivy";
}

class LanguageGoldens : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data() / "golden")) GTEST_SKIP() << "there is no " << data();
  }

  static std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static ReadFile read(const std::string& path) {
    ReadFile seen = read_file(language_readers(), path, contents(data() / "repo-input" / path));
    EXPECT_FALSE(seen.reader.empty()) << path;
    EXPECT_FALSE(seen.error) << path << ": " << seen.error->message();
    EXPECT_THAT(seen.unread(), IsEmpty()) << path;
    return seen;
  }

  static Names ours(const std::string& path) {
    const auto packages = read(path).packages();
    EXPECT_THAT(packages, Not(IsEmpty())) << path;
    return {packages.begin(), packages.end()};
  }

  // What the golden has for `target`: all packages ("Packages": "Name", "Version"), or those with findings.
  static Names golden(const std::string& name, const std::string& target, const std::string& list) {
    const bool all = list == "Packages";
    Names names;
    const Json report = Json::parse(contents(data() / "golden" / name));
    for (const auto& result : report.at("Results")) {
      if (result.at("Target") != target || !result.contains(list)) continue;
      for (const auto& one : result.at(list)) {
        if (one.value("Relationship", "") == "root") continue;
        names.insert(one.at(all ? "Name" : "PkgName").get<std::string>() + " " +
                     one.at(all ? "Version" : "InstalledVersion").get<std::string>());
      }
    }
    EXPECT_THAT(names, Not(IsEmpty())) << name;
    return names;
  }

  static Names all_of(const std::string& name, const std::string& target) { return golden(name, target, "Packages"); }
  static Names vulnerable_of(const std::string& name, const std::string& target) {
    return golden(name, target, "Vulnerabilities");
  }
};

TEST_F(LanguageGoldens, NpmLock) {
  EXPECT_EQ(ours("npm/package-lock.json"), all_of("npm.json", "package-lock.json"));
  EXPECT_THAT(ours("npm/package-lock.json"), SizeIs(12));
}

// The golden takes licences out of node_modules.
TEST_F(LanguageGoldens, NpmInstalled) {
  Names with_licence;
  const Json report = Json::parse(contents(data() / "golden/npm-with-dev.json"));
  for (const auto& one : report.at("Results").at(0).at("Packages")) {
    if (!one.contains("Licenses")) continue;
    const auto name = one.at("Name").get<std::string>();
    const auto seen = read("npm/node_modules/" + name + "/package.json");
    ASSERT_THAT(seen.packages(), SizeIs(1));
    EXPECT_EQ(seen.packages()[0], name + " " + one.at("Version").get<std::string>());
    EXPECT_EQ(seen.found.packages[0].licence, one.at("Licenses").at(0).get<std::string>());
    with_licence.insert(name);
  }
  EXPECT_THAT(with_licence, SizeIs(6));
  EXPECT_THAT(read("pnpm/node_modules/.pnpm/lodash@4.17.4/node_modules/lodash/package.json").packages(),
              ElementsAre("lodash 4.17.4"));
}

// That promise is for development, and asap with it, stands in package.json alone.
TEST_F(LanguageGoldens, YarnLock) {
  Names wanted = all_of("yarn.json", "yarn.lock");
  EXPECT_THAT(wanted, ElementsAre("jquery 3.2.1"));
  wanted.merge(Names{"asap 2.0.6", "promise 8.0.3"});
  EXPECT_EQ(ours("yarn/yarn.lock"), wanted);
}

TEST_F(LanguageGoldens, PnpmLock) { EXPECT_EQ(ours("pnpm/pnpm-lock.yaml"), all_of("pnpm.json", "pnpm-lock.yaml")); }

// Our names are normalised.
TEST_F(LanguageGoldens, PipRequirements) {
  Names wanted;
  for (const auto& one : all_of("pip.json", "requirements.txt")) {
    const std::size_t space = one.find(' ');
    wanted.insert(normalised_python_name(one.substr(0, space)) + one.substr(space));
  }
  EXPECT_THAT(wanted, SizeIs(7));
  EXPECT_EQ(ours("pip/requirements.txt"), wanted);
}

TEST_F(LanguageGoldens, PoetryLock) { EXPECT_EQ(ours("poetry/poetry.lock"), all_of("poetry.json", "poetry.lock")); }

// Versions are ours without the v. The third of the golden's files needs go.sum, which is not read: what it lists need
// not be used.
TEST_F(LanguageGoldens, GoMod) {
  for (const auto* const target : {"go.mod", "submod/go.mod"}) {
    const Names found = ours(std::string("gomod/") + target);
    for (const auto& one : vulnerable_of("gomod.json", target)) {
      const std::size_t space = one.find(" v");
      ASSERT_NE(space, std::string::npos) << one;
      EXPECT_TRUE(found.contains(one.substr(0, space) + " " + one.substr(space + 2))) << one;
    }
  }
  EXPECT_THAT(ours("gomod/go.mod"), SizeIs(18));
  EXPECT_THAT(ours("gomod/submod2/go.mod"), ElementsAre("github.com/davecgh/go-spew 1.1.0"));
}

// That winapi is for development stands in Cargo.toml alone. The project itself is the golden's root.
TEST_F(LanguageGoldens, CargoLock) {
  Names found = ours("cargo/Cargo.lock");
  EXPECT_EQ(found.erase("app 0.1.0"), 1U);
  for (const auto& one : all_of("cargo.lock.json", "Cargo.lock")) EXPECT_EQ(found.erase(one), 1U) << one;
  EXPECT_THAT(found, AllOf(SizeIs(3), Each(StartsWith("winapi"))));
}

TEST_F(LanguageGoldens, CargoLockOfTheFirstForm) {
  EXPECT_THAT(ours("trivy-ci-test/Cargo.lock"), IsSupersetOf(vulnerable_of("test-repo.json", "Cargo.lock")));
  const auto text = contents(data() / "repo-input/trivy-ci-test/Cargo.lock");
  std::size_t tables = 0;
  for (std::size_t at = text.find("[[package]]"); at != std::string::npos; at = text.find("[[package]]", at + 1))
    ++tables;
  EXPECT_THAT(ours("trivy-ci-test/Cargo.lock"), SizeIs(tables));
}

TEST_F(LanguageGoldens, Pom) { EXPECT_EQ(ours("pom/pom.xml"), vulnerable_of("pom.json", "pom.xml")); }

TEST_F(LanguageGoldens, ComposerLock) {
  EXPECT_THAT(ours("composer/composer.lock"), IsSupersetOf(all_of("composer.lock.json", "composer.lock")));
}

// Of these there are no goldens.
TEST_F(LanguageGoldens, Others) {
  EXPECT_EQ(ours("bun/bun.lock"), (Names{"jquery 3.3.1", "typescript 5.8.3"}));
  EXPECT_EQ(ours("uv/uv.lock"), (Names{"click 8.1.3", "colorama 0.4.6", "werkzeug 0.11.1"}));
  EXPECT_EQ(ours("pylock/pylock.toml"), (Names{"click 8.1.3", "colorama 0.4.6", "werkzeug 0.11.1"}));
  EXPECT_EQ(ours("pipenv/Pipfile.lock"), (Names{"werkzeug 0.11.1"}));
  EXPECT_EQ(ours("gradle/gradle.lockfile"), (Names{"com.fasterxml.jackson.core:jackson-databind 2.9.1"}));
  const auto pipfile = Json::parse(contents(data() / "repo-input/trivy-ci-test/Pipfile.lock"));
  const auto locked =
      std::ranges::count_if(pipfile.at("default"), [](const Json& one) { return one.contains("version"); });
  EXPECT_THAT(ours("trivy-ci-test/Pipfile.lock"), SizeIs(locked));
  EXPECT_EQ(locked, 54);
  const auto installed = Json::parse(contents(data() / "repo-input/composer-vendor/installed.json"));
  const auto seen = read_file(language_readers(), "vendor/composer/installed.json",
                              contents(data() / "repo-input/composer-vendor/installed.json"));
  EXPECT_THAT(seen.packages(), SizeIs(installed.at("packages").size()));
}

}  // namespace
}  // namespace slipway::scan
