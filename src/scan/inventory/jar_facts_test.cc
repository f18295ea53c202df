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

TEST(JarFactsTest, APomStatesAllThreeOrNothing) {
  EXPECT_EQ(parse_pom_properties("#x=y\r\ngroupId = g\r\nartifactId:a\r\nversion=1\r\n"), (MavenName{"g", "a", "1"}));
  EXPECT_EQ(parse_pom_properties("groupId=g\nartifactId=a\n"), std::nullopt);
  EXPECT_EQ(parse_pom_properties("groupId=g\nartifactId=a\nversion=${project.version}\n"), std::nullopt);
  EXPECT_EQ(parse_pom_properties("groupId=g g\nartifactId=a\nversion=1\n"), std::nullopt);
  EXPECT_EQ(parse_pom_properties("groupId=" + std::string(1000, 'g') + "\nartifactId=a\nversion=1\n"), std::nullopt);
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
