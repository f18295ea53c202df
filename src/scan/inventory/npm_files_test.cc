#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scan/inventory/file_reader.h"
#include "scan/testing/read_file.h"

namespace slipway::scan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ReadFile read(std::string_view path, std::string text) { return read_file(language_readers(), path, std::move(text)); }

std::string reader_of(std::string_view path) { return read(path, "").reader; }

ReadFile read_package(std::string text) { return read("app/node_modules/x/package.json", std::move(text)); }

TEST(NpmPackageTest, OnlyAPackagesOwnFileInNodeModulesIsWanted) {
  EXPECT_EQ(reader_of("node_modules/x/package.json"), "npm");
  EXPECT_EQ(reader_of("usr/lib/node_modules/npm/package.json"), "npm");
  EXPECT_EQ(reader_of("app/node_modules/@s/x/package.json"), "npm");
  EXPECT_EQ(reader_of("app/node_modules/x/node_modules/y/package.json"), "npm");
  EXPECT_EQ(reader_of("app/node_modules/.pnpm/y@1.0.0/node_modules/y/package.json"), "npm");
  EXPECT_EQ(reader_of("app/node_modules/.store/y-npm-1.0.0-c0ffee/package/package.json"), "npm");

  EXPECT_EQ(reader_of("app/package.json"), "") << "the project's own";
  EXPECT_EQ(reader_of("app/node_modules/.store/y-npm-1.0.0-c0ffee/package/lib/package.json"), "");
  EXPECT_EQ(reader_of("package.json"), "");
  EXPECT_EQ(reader_of("app/node_modules/package.json"), "");
  EXPECT_EQ(reader_of("app/node_modules/x/dist/esm/package.json"), "");
  EXPECT_EQ(reader_of("app/node_modules/x/lib/package.json"), "");
  EXPECT_EQ(reader_of("app/node_modules/@s/package.json"), "");
  EXPECT_EQ(reader_of("app/node_modules/@s/x/lib/package.json"), "");
  EXPECT_EQ(reader_of("app/node_modules/.cache/package.json"), "");
  EXPECT_EQ(reader_of("app/old_node_modules/x/package.json"), "");
  EXPECT_EQ(reader_of("app/node_modules/x/package.json5"), "");
}

TEST(NpmPackageTest, NameVersionAndLicence) {
  const auto seen = read_package(R"({"name": "@s/x", "version": "1.2.3-rc.1", "license": "MIT"})");
  ASSERT_EQ(seen.found.packages.size(), 1U);
  const Package& package = seen.found.packages[0];
  EXPECT_EQ(package.type, PackageType::kNpm);
  EXPECT_EQ(package.name, "@s/x");
  EXPECT_EQ(package.version, "1.2.3-rc.1");
  EXPECT_EQ(package.licence, "MIT");
  EXPECT_EQ(package.path, "app/node_modules/x/package.json");
}

TEST(NpmPackageTest, AllShapesOfALicence) {
  const auto licence = [](const std::string& members) {
    const auto seen = read_package(R"({"name": "x", "version": "1", )" + members + "}");
    return seen.found.packages.empty() ? "no package" : seen.found.packages[0].licence;
  };
  EXPECT_EQ(licence(R"("license": {"type": "MIT", "url": "u"})"), "MIT");
  EXPECT_EQ(licence(R"("licenses": [{"type": "MIT"}, {"type": "Apache-2.0"}])"), "MIT OR Apache-2.0");
  EXPECT_EQ(licence(R"("license": ["MIT", "ISC"])"), "MIT OR ISC");
  EXPECT_EQ(licence(R"("license": 7)"), "") << "what is no licence is none, and the package stays";
  EXPECT_EQ(licence(R"("license": {"type": {}}, "licenses": "ISC")"), "ISC");
}

TEST(NpmPackageTest, WithoutAVersionItIsAMarkerAndNoError) {
  for (const auto* const text : {R"({"type": "module"})", R"({})", R"({"name": "x", "private": true})",
                                 R"({"name": "x", "version": null})", R"({"name": "x", "version": ""})"}) {
    const auto seen = read_package(text);
    EXPECT_FALSE(seen.error) << text;
    EXPECT_TRUE(seen.found.complete()) << text;
    EXPECT_THAT(seen.packages(), IsEmpty()) << text;
  }
}

TEST(NpmPackageTest, WithoutANameItIsThatOfItsFolder) {
  EXPECT_THAT(read_package(R"({"version": "1.0.0"})").packages(), ElementsAre("x 1.0.0"));
  EXPECT_THAT(read("a/node_modules/@s/x/package.json", R"({"version": "1.0.0"})").packages(),
              ElementsAre("@s/x 1.0.0"));
}

TEST(NpmPackageTest, AVersionOrNameOfAnotherTypeIsCorrupt) {
  EXPECT_EQ(read_package(R"({"name": "x", "version": 1})").kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read_package(R"({"name": ["x"], "version": "1"})").kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read_package(R"(["name", "x"])").kind(), ErrorKind::kCorrupt);
}

TEST(NpmLockTest, FormOneIsATree) {
  const auto seen = read("app/package-lock.json", R"({"name": "app", "version": "1.0.0", "lockfileVersion": 1,
    "dependencies": {
      "a": {"version": "1.0.0", "requires": {"b": "^1"}, "dependencies": {"b": {"version": "1.5.0"},
                                                                         "t": {"version": "0.1.0", "dev": true}}},
      "b": {"version": "2.0.0"},
      "d": {"version": "3.0.0", "dev": true},
      "alias": {"version": "npm:@s/real@4.0.0"},
      "folder": {"version": "file:../folder"},
      "repository": {"version": "github:user/repository#0123abc"}}})");
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.unread(), IsEmpty());
  EXPECT_THAT(seen.packages(), ElementsAre("@s/real 4.0.0", "a 1.0.0", "b 1.5.0", "b 2.0.0"));
}

TEST(NpmLockTest, FormsTwoAndThreeHavePackagesByTheirFolders) {
  const auto seen = read("app/package-lock.json", R"({"name": "app", "lockfileVersion": 3, "requires": true,
    "packages": {
      "": {"name": "app", "version": "1.0.0", "dependencies": {"a": "^1"}},
      "packages/own": {"name": "own", "version": "0.0.1"},
      "node_modules/own": {"resolved": "packages/own", "link": true},
      "node_modules/a": {"version": "1.0.0", "license": "MIT"},
      "node_modules/a/node_modules/@s/b": {"version": "2.0.0"},
      "packages/own/node_modules/c": {"version": "3.0.0"},
      "node_modules/alias": {"name": "real", "version": "4.0.0"},
      "node_modules/d": {"version": "5.0.0", "dev": true},
      "node_modules/o": {"version": "6.0.0", "optional": true}},
    "dependencies": {"ignored": {"version": "9.0.0"}}})");
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.unread(), IsEmpty());
  EXPECT_THAT(seen.packages(), ElementsAre("@s/b 2.0.0", "a 1.0.0", "c 3.0.0", "o 6.0.0", "real 4.0.0"));
  EXPECT_EQ(seen.found.packages[1].licence, "MIT");
}

TEST(NpmLockTest, InFormTwoThePackagesCountWhateverTheOrder) {
  EXPECT_THAT(read("npm-shrinkwrap.json", R"({"lockfileVersion": 2, "dependencies": {"old": {"version": "1.0.0"}},
                      "packages": {"node_modules/new": {"version": "2.0.0"}}})")
                  .packages(),
              ElementsAre("new 2.0.0"));
}

TEST(NpmLockTest, EscapesInNamesAreUndone) {
  EXPECT_THAT(read("package-lock.json", R"({"packages": {"node_modules\/\u0061": {"version": "1.0.0"}}})").packages(),
              ElementsAre("a 1.0.0"));
}

TEST(NpmLockTest, ABadEntryIsUnreadAndTheOthersAreNot) {
  const auto seen = read("package-lock.json", R"({"lockfileVersion": 3, "packages": {
      "node_modules/a": {"version": 1}, "node_modules/b": "x", "node_modules/c": {"version": "1.0.0", "dev": "no"},
      "node_modules/d": {}, "node_modules/e": {"version": "2.0.0"}}})");
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.packages(), ElementsAre("c 1.0.0", "e 2.0.0"));
  EXPECT_THAT(seen.unread(), ElementsAre("package a has no version", HasSubstr("\"version\" must be a text"),
                                         "package b has no version", HasSubstr("must be an object"),
                                         HasSubstr("\"dev\" must be"), "package d has no version"));
}

TEST(NpmLockTest, WithoutDependenciesItIsALockFileStill) {
  EXPECT_FALSE(read("package-lock.json", R"({"name": "app", "lockfileVersion": 1})").error);
  EXPECT_EQ(read("package-lock.json", R"({"name": "app"})").kind(), ErrorKind::kCorrupt);
}

TEST(NpmLockTest, LockFilesThatCameWithAPackageAreNotWanted) {
  for (const auto* const name :
       {"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock"}) {
    EXPECT_NE(reader_of(std::string("app/") + name), "") << name;
    EXPECT_EQ(reader_of(std::string("app/node_modules/x/") + name), "") << name;
  }
}

}  // namespace
}  // namespace slipway::scan
