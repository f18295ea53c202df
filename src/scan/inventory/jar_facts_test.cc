#include "scan/inventory/jar_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::scan {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(JarFactsTest, FoldedLinesOfAManifestAreJoined) {
  for (const std::string_view end : {"\n", "\r\n", "\r"}) {
    std::string text;
    for (const auto* line :
         {"Manifest-Version: 1.0", "Bundle-License: https://example.com/a-lo", " ng-licence", "no colon",
          " folded onto nothing", "Empty:", "", "Name: a/B.class", "Bundle-License: other"}) {
      text.append(line).append(end);
    }
    EXPECT_THAT(parse_manifest(text), ElementsAre(Pair("bundle-license", "https://example.com/a-long-licence"),
                                                  Pair("empty", ""), Pair("manifest-version", "1.0")));
  }
}

TEST(JarFactsTest, WhatAPomDoesNotStateIsEmpty) {
  EXPECT_EQ(parse_pom_properties("#x=y\r\ngroupId = g\r\nartifactId:a\r\nversion=1\r\n"), (MavenName{"g", "a", "1"}));
  EXPECT_EQ(parse_pom_properties("groupId=g\nartifactId=a\n"), (MavenName{"g", "a", ""}));
  EXPECT_EQ(parse_pom_properties("groupId=g\nartifactId=a\nversion=${project.version}\n"), (MavenName{"g", "a", ""}));
  EXPECT_EQ(parse_pom_properties("groupId=g g\nartifactId=a\nversion=1\n"), (MavenName{"", "a", "1"}));
  EXPECT_EQ(parse_pom_properties("groupId=" + std::string(1000, 'g') + "\nartifactId=a\nversion=1\n"),
            (MavenName{"", "a", "1"}));
}

std::vector<std::string> told_by(const JarFacts& jar) {
  auto [packages, lines] = packages_of(jar);
  for (const Package& package : packages) lines.push_back(package.name + " " + package.version);
  return lines;
}

TEST(JarFactsTest, APomWithoutAVersionHasThatOfTheJarWhereThatIsTheSame) {
  const MavenName unfilled{.group = "g", .artifact = "a"};
  const MavenName other{.group = "g", .artifact = "other", .version = "1"};
  const std::map<std::string, std::string> manifest{{"implementation-version", "2"}};
  EXPECT_THAT(told_by({.path = "x.jar", .poms = {unfilled}, .manifest = manifest}), ElementsAre("g:a 2"));
  EXPECT_THAT(told_by({.path = "a-3.jar", .poms = {unfilled}}), ElementsAre("g:a 3"));
  EXPECT_THAT(told_by({.path = "a-3.jar", .poms = {unfilled, other}}), ElementsAre("g:a 3", "g:other 1"));
  EXPECT_THAT(told_by({.path = "x.jar", .poms = {unfilled, other}, .manifest = manifest}),
              ElementsAre("g:a: it does not state its version", "g:other 1"));
  EXPECT_THAT(told_by({.path = "x-3.jar", .poms = {unfilled}}),
              ElementsAre("g:a: it does not state its version", "x 3"));
}

TEST(JarFactsTest, AJarThatHasOnlyThePomsOfOthersIsNamedByItsManifest) {
  const std::map<std::string, std::string> manifest{
      {"implementation-title", "own"}, {"implementation-version", "1.2"}, {"implementation-vendor-id", "org.acme"}};
  const MavenName other{.group = "g", .artifact = "other", .version = "1"};
  EXPECT_THAT(told_by({.path = "own-1.2.jar", .poms = {other}, .manifest = manifest}),
              ElementsAre("g:other 1", "org.acme:own 1.2"));
  const MavenName own{.group = "org.acme.x", .artifact = "own", .version = "1.2.0"};
  EXPECT_THAT(told_by({.path = "own-1.2.jar", .poms = {other, own}, .manifest = manifest}),
              ElementsAre("g:other 1", "org.acme.x:own 1.2.0"));
  const MavenName renamed{.group = "g", .artifact = "a", .version = "1.2"};
  EXPECT_THAT(told_by({.path = "own.jar", .poms = {renamed}, .manifest = manifest}), ElementsAre("g:a 1.2"));
}

TEST(JarFactsTest, APomWithoutANameIsNotedUnlessItsJarTellsWhatItIs) {
  EXPECT_THAT(told_by({.path = "x-3.jar", .poms = {MavenName{}}}), ElementsAre("x 3"));
  EXPECT_THAT(told_by({.path = "x.jar", .poms = {MavenName{}}}),
              ElementsAre("a pom.properties in it does not state its group and artifact"));
}

TEST(JarFactsTest, VersionsInNamesOfFiles) {
  const auto parts = [](std::string_view path) {
    const auto name = parse_jar_name(path);
    return name ? name->artifact + " " + name->version : std::string();
  };
  EXPECT_EQ(parts("a/b/guava-31.1-jre.jar"), "guava 31.1-jre");
  EXPECT_EQ(parts("commons-lang3-3.12.0.jar"), "commons-lang3 3.12.0");
  EXPECT_EQ(parts("log4j-1.2-api-2.17.0.jar"), "log4j-1.2-api 2.17.0");
  EXPECT_EQ(parts("x-1.0-20230101.jar"), "x 1.0-20230101");
  EXPECT_EQ(parts("app.jar"), "");
  EXPECT_EQ(parts("-1.0.jar"), "");
  EXPECT_EQ(parts("my app-1.0.jar"), "");
  EXPECT_EQ(parts(""), "");
}

}  // namespace
}  // namespace slipway::scan
