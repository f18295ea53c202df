#include "feeds/formats/yaml_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::feeds {
namespace {

using ::testing::HasSubstr;

std::string converted(std::string_view yaml) {
  auto json = yaml_to_json(yaml);
  return json ? *json : "failed: " + json.error().message();
}

TEST(YamlJsonTest, MapsListsAndScalars) {
  EXPECT_EQ(converted("a: 1\nb: [x, 'y z']\nc:\n  d: true\n  e: ~\n"),
            R"({"a":1,"b":["x","y z"],"c":{"d":true,"e":null}})");
}

TEST(YamlJsonTest, VersionsStayTexts) {
  EXPECT_EQ(converted("- 1.10\n- 1e3\n- 0123\n- '1'\n- 0x1f\n"), R"(["1.10","1e3","0123","1","0x1f"])");
}

TEST(YamlJsonTest, KeysAreTextsWhateverTheyLookLike) {
  EXPECT_EQ(converted("\"0\": [a]\n1.2-r3: [b]\ntrue: c\n"), R"({"0":["a"],"1.2-r3":["b"],"true":"c"})");
}

TEST(YamlJsonTest, EscapedBlanksAndNextLinesAreCharacters) {
  EXPECT_EQ(converted("a: \"x\\_y\\Nz\""), "{\"a\":\"x\xC2\xA0y\xC2\x85z\"}");
  EXPECT_EQ(converted("a: \xC3\xA0\xE2\x85\xA0"), "{\"a\":\"\xC3\xA0\xE2\x85\xA0\"}") << "these are characters already";
}

TEST(YamlJsonTest, AliasesAreRefused) {
  EXPECT_THAT(converted("a: &x [1, 2]\nb: [*x, *x]\n"), HasSubstr("an alias at line 2"));
}

TEST(YamlJsonTest, DeepNestingIsRefused) {
  EXPECT_THAT(converted(std::string(200, '[') + std::string(200, ']')), HasSubstr("failed"));
  EXPECT_THAT(converted(std::string(100'000, '[')), HasSubstr("failed"));
}

TEST(YamlJsonTest, WhatIsNoYamlIsRefusedWithItsLine) {
  EXPECT_THAT(converted("a: b\n c: d: e\n"), HasSubstr("line 2"));
  EXPECT_THAT(converted("? [a]\n: b\n"), HasSubstr("a key that is not a scalar"));
  EXPECT_THAT(converted(""), HasSubstr("no YAML document"));
}

}  // namespace
}  // namespace slipway::feeds
