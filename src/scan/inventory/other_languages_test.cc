// Go, Java, Ruby, Rust and PHP.
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

TEST(GoModTest, RequiredModulesAndWhatReplacesThem) {
  const auto seen = read("app/go.mod", R"(module example.com/app // the main module

go 1.21
toolchain go1.21.3

require example.com/single v1.0.0
require (
	"example.com/quoted" v1.1.0
	example.com/indirect v2.7.1+incompatible // indirect
	example.com/forked v1.0.0
	example.com/local v1.0.0
	example.com/by-version v1.0.0
	example.com/other-version v1.0.0
)

exclude example.com/single v0.9.0
replace example.com/forked => example.com/fork v1.0.1
replace (
	example.com/local => ../local
	example.com/by-version v1.0.0 => example.com/by-version v1.0.9
	example.com/other-version v0.5.0 => example.com/never v9.9.9
)
)");
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.packages(), ElementsAre("example.com/by-version 1.0.9", "example.com/fork 1.0.1",
                                           "example.com/indirect 2.7.1+incompatible", "example.com/other-version 1.0.0",
                                           "example.com/quoted 1.1.0", "example.com/single 1.0.0"));
}

TEST(GoModTest, ABlockNeedsNoBlankBeforeIt) {
  const auto seen = read("go.mod",
                         "module x\nrequire(\n\ta v1.0.0\n\tb v1.0.0\n)\nexclude(\n\ta v0.9.0\n)\nrequire()\n"
                         "require ( )\nreplace( // of b\n\tb => c v2.0.0\n)\n");
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.unread(), IsEmpty());
  EXPECT_THAT(seen.packages(), ElementsAre("a 1.0.0", "c 2.0.0"));
}

TEST(GoModTest, ModulesInTheCacheAreNotWanted) {
  EXPECT_EQ(reader_of("app/go.mod"), "go.mod");
  EXPECT_EQ(reader_of("root/go/pkg/mod/example.com/x@v1.0.0/go.mod"), "");
  EXPECT_EQ(reader_of("app/vendor/example.com/x/go.mod"), "");
}

TEST(GoModTest, EmptyIsNothingAndWithoutAModuleItIsCorrupt) {
  EXPECT_FALSE(read("go.mod", "// keeps the folder out\n").error);
  EXPECT_EQ(read("go.mod", "require a v1\n").kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read("go.mod", "module a\nrequire (\n\tb v1.0.0\n").kind(), ErrorKind::kCorrupt) << "cut off";
}

TEST(PomTest, VersionsThatTheFileTells) {
  const auto seen = read("app/pom.xml", R"(<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>com.example</groupId><artifactId>parent</artifactId><version>7</version></parent>
  <artifactId>app</artifactId>
  <properties><base>2.9</base><jackson.version>${base}.1</jackson.version></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>g</groupId><artifactId>managed</artifactId><version>3.0</version></dependency>
    <dependency><groupId>g</groupId><artifactId>managed-test</artifactId><version>3.0</version><scope>test</scope></dependency>
    <dependency><groupId>g</groupId><artifactId>only-managed</artifactId><version>3.0</version></dependency>
  </dependencies></dependencyManagement>
  <dependencies>
    <dependency><groupId>g</groupId><artifactId>literal</artifactId><version> 1.0 </version></dependency>
    <dependency><groupId>g</groupId><artifactId>jackson</artifactId><version>${jackson.version}</version></dependency>
    <dependency><groupId>${project.groupId}</groupId><artifactId>sibling</artifactId><version>${project.version}</version></dependency>
    <dependency><groupId>g</groupId><artifactId>managed</artifactId></dependency>
    <dependency><groupId>g</groupId><artifactId>managed-test</artifactId></dependency>
    <dependency><groupId>g</groupId><artifactId>exact</artifactId><version>[1.5]</version><scope>runtime</scope></dependency>
    <dependency><groupId>g</groupId><artifactId>range</artifactId><version>[1,2)</version></dependency>
    <dependency><groupId>g</groupId><artifactId>unknown</artifactId><version>${nowhere}</version></dependency>
    <dependency><groupId>g</groupId><artifactId>of-parent</artifactId></dependency>
    <dependency><groupId>g</groupId><artifactId>junit</artifactId><version>4</version><scope>test</scope></dependency>
    <dependency><groupId>g</groupId><artifactId>servlet</artifactId><version>4</version><scope>provided</scope></dependency>
  </dependencies>
  <build><plugins><plugin><dependencies>
    <dependency><groupId>g</groupId><artifactId>of-plugin</artifactId><version>1</version></dependency>
  </dependencies></plugin></plugins></build>
</project>)");
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.packages(),
              ElementsAre("com.example:sibling 7", "g:exact 1.5", "g:jackson 2.9.1", "g:literal 1.0", "g:managed 3.0"));
}

TEST(PomTest, PropertiesThatGrowOrGoInCirclesAreUnknown) {
  std::string properties = "<a>${b}</a><b>${a}</b><p0>xxxxxxxxxxxxxxxx</p0>";
  for (int i = 1; i < 40; ++i) properties += fmt::format("<p{}>${{p{}}}${{p{}}}</p{}>", i, i - 1, i - 1, i);
  const auto seen = read("pom.xml", "<project><properties>" + properties + R"(</properties><dependencies>
    <dependency><groupId>g</groupId><artifactId>a</artifactId><version>${a}</version></dependency>
    <dependency><groupId>g</groupId><artifactId>p</artifactId><version>${p39}</version></dependency>
    <dependency><groupId>g</groupId><artifactId>b</artifactId><version>${</version></dependency>
    <dependency><groupId>g</groupId><artifactId>c</artifactId><version>1</version></dependency>
    </dependencies></project>)");
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.packages(), ElementsAre("g:c 1"));
}

TEST(PomTest, WhatIsNoProjectIsCorrupt) {
  EXPECT_EQ(read("pom.xml", "<settings/>").kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read("pom.xml", "<a><project/></a>").kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read("pom.xml", "<project><dependencies>").kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read("pom.xml", "<!DOCTYPE x [<!ENTITY a 'b'>]><project>&a;</project>").kind(), ErrorKind::kCorrupt);
}

TEST(GradleLockTest, ALineIsAPackage) {
  const auto seen = read("gradle.lockfile",
                         "# This is a Gradle generated file\n"
                         "com.example:a:1.0=compileClasspath,runtimeClasspath\n"
                         "com.example:t:2.0=testCompileClasspath, testRuntimeClasspath\n"
                         "com.example:both:3.0=runtimeClasspath,testRuntimeClasspath\n"
                         "empty=annotationProcessor\n");
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.packages(), ElementsAre("com.example:a 1.0", "com.example:both 3.0"));
  EXPECT_EQ(read("gradle.lockfile", "x\n").kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read("gradle.lockfile", "a:b=x\n").kind(), ErrorKind::kCorrupt);
}

TEST(GemspecTest, OnlyThoseInSpecificationsAreWanted) {
  EXPECT_EQ(reader_of("usr/local/lib/ruby/gems/3.0.0/specifications/rake-13.0.6.gemspec"), "gem");
  EXPECT_EQ(reader_of("usr/local/lib/ruby/gems/3.0.0/specifications/default/json-2.5.1.gemspec"), "gem");
  EXPECT_EQ(reader_of("usr/local/lib/ruby/gems/3.0.0/gems/rake-13.0.6/rake.gemspec"), "");
  EXPECT_EQ(reader_of("app/app.gemspec"), "");
}

TEST(GemspecTest, StubOrAssignments) {
  const auto stub = read("a/specifications/nokogiri-1.13.0-x86_64-linux.gemspec",
                         "# -*- encoding: utf-8 -*-\n# stub: nokogiri 1.13.0 x86_64-linux lib\n\n"
                         "Gem::Specification.new do |s|\n  s.name = \"nokogiri\".freeze\n  s.version = \"1.13.0\"\n"
                         "  s.licenses = [\"MIT\".freeze, \"Ruby\".freeze]\n"
                         "  s.add_runtime_dependency(%q<racc>.freeze, [\"~> 1.4\"])\nend\n");
  ASSERT_THAT(stub.packages(), ElementsAre("nokogiri 1.13.0"));
  EXPECT_EQ(stub.found.packages[0].licence, "MIT OR Ruby");
  EXPECT_THAT(read("a/specifications/x.gemspec",
                   "Gem::Specification.new do |s|\r\n  s.name = 'x'\r\n  s.version = Gem::Version.new(\"1.0\")\r\nend")
                  .packages(),
              ElementsAre("x 1.0"));
  EXPECT_EQ(read("a/specifications/x.gemspec", "s.name = NAME\ns.version = X::VERSION\n").kind(), ErrorKind::kCorrupt);
}

TEST(GemLockTest, WhatComesFromElsewhere) {
  const auto seen = read("app/Gemfile.lock", R"(PATH
  remote: .
  specs:
    own (0.1.0)
      rack (~> 2)

GIT
  remote: https://r.example/x.git
  revision: 0123
  specs:
    from-git (1.0.0)

GEM
  remote: https://r.example/
  specs:
    nokogiri (1.13.0-x86_64-linux)
      racc (~> 1.4)
    racc (1.6.0)

PLATFORMS
  x86_64-linux

DEPENDENCIES
  rack (~> 2)

BUNDLED WITH
   2.3.5
)");
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.unread(), IsEmpty());
  EXPECT_THAT(seen.packages(), ElementsAre("from-git 1.0.0", "nokogiri 1.13.0", "racc 1.6.0"));
  EXPECT_EQ(read("Gemfile.lock", "source 'x'\n").kind(), ErrorKind::kCorrupt);
}

TEST(GemLockTest, ThoseWithinInstalledGemsAreNotWanted) {
  EXPECT_EQ(reader_of("app/Gemfile.lock"), "bundler lock");
  EXPECT_EQ(reader_of("srv/gems/app/Gemfile.lock"), "bundler lock");
  EXPECT_EQ(reader_of("srv/gems/my-app/gems.locked"), "bundler lock");
  EXPECT_EQ(reader_of("srv/gems/Gemfile.lock"), "bundler lock");
  EXPECT_EQ(reader_of("usr/lib/ruby/gems/3.0.0/gems/rake-13.0.6/Gemfile.lock"), "");
  EXPECT_EQ(reader_of("app/vendor/bundle/ruby/3.0.0/gems/nokogiri-1.13.0-x86_64-linux/test/Gemfile.lock"), "");
  EXPECT_EQ(reader_of("usr/local/bundle/bundler/gems/rails-abcdef012345/Gemfile.lock"), "");
}

TEST(GemLockTest, AGemWithoutAVersionIsUnread) {
  const auto seen = read("Gemfile.lock", "GEM\n  specs:\n    a (1.0)\n    b (1.");
  EXPECT_THAT(seen.packages(), ElementsAre("a 1.0"));
  EXPECT_THAT(seen.unread(), ElementsAre(HasSubstr("b: it has no version")));
}

TEST(CargoLockTest, AllForms) {
  EXPECT_THAT(read("Cargo.lock",
                   "[root]\nname = \"app\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n"
                   "source = \"registry+x\"\n\n[metadata]\n\"checksum a 1.0.0\" = \"x\"\n")
                  .packages(),
              ElementsAre("a 1.0.0"));
  EXPECT_THAT(read("Cargo.lock",
                   "version = 4\n\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\ndependencies = [\n \"a\",\n]\n\n"
                   "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+x\"\n")
                  .packages(),
              ElementsAre("a 1.0.0", "app 0.1.0"));
  EXPECT_EQ(reader_of("root/.cargo/registry/src/index/a-1.0.0/Cargo.lock"), "");
}

TEST(CargoLockTest, ABadEntryIsUnreadAndTheOthersAreNot) {
  const auto seen =
      read("Cargo.lock", "[[package]]\nname = 1\nversion = \"1\"\n[[package]]\nname = \"a\"\nversion = \"1\"\n");
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.packages(), ElementsAre("a 1"));
  EXPECT_THAT(seen.unread(), ElementsAre("a package without a name", HasSubstr("\"name\" must be a text")));
}

TEST(ComposerTest, LockedWithoutDev) {
  const auto seen = read("app/composer.lock", R"({"_readme": ["x"], "content-hash": "0", "packages": [
      {"name": "guzzlehttp/guzzle", "version": "7.4.4", "license": ["MIT", "ISC"]}],
    "packages-dev": [{"name": "phpunit/phpunit", "version": "9"}]})");
  ASSERT_THAT(seen.packages(), ElementsAre("guzzlehttp/guzzle 7.4.4"));
  EXPECT_EQ(seen.found.packages[0].licence, "MIT OR ISC");
  EXPECT_EQ(read("composer.lock", R"({"a": 1})").kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(reader_of("app/vendor/a/b/composer.lock"), "");
}

TEST(ComposerTest, InstalledOfBothShapes) {
  constexpr std::string_view kPackage = R"([{"name": "a/b", "version": "v1.0"}])";
  EXPECT_THAT(read("app/vendor/composer/installed.json", std::string(kPackage)).packages(), ElementsAre("a/b v1.0"));
  EXPECT_THAT(read("app/vendor/composer/installed.json", fmt::format(R"({{"packages": {}, "dev": true}})", kPackage))
                  .packages(),
              ElementsAre("a/b v1.0"));
  EXPECT_EQ(reader_of("app/installed.json"), "");
}

TEST(ComposerTest, ABadEntryIsUnreadAndTheOthersAreNot) {
  const auto seen = read("composer.lock", R"({"packages": [7, {"name": "a/b"}, {"name": "c/d", "version": "1"}]})");
  EXPECT_THAT(seen.packages(), ElementsAre("c/d 1"));
  EXPECT_EQ(seen.unread().size(), 3U);
}

}  // namespace
}  // namespace slipway::scan
