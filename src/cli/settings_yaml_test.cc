#include "cli/settings_yaml.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sys/testing/temp_dir.h"

namespace slipway::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(std::string_view text) {
  auto parsed = parse_settings_yaml(text, "f.yaml");
  return parsed ? "no error" : parsed.error().message();
}

TEST(SettingsYaml, GivesKeysAndValuesWithTheirPlace) {
  const auto given = parse_settings_yaml("# a comment\na: 1\n\nb: 'two words'\nc: \"\"\n", "f.yaml").value();
  ASSERT_EQ(given.size(), 3U);
  EXPECT_EQ(given[0].key, "a");
  EXPECT_EQ(given[0].value, "1");
  EXPECT_EQ(given[1].value, "two words");
  EXPECT_EQ(given[1].origin.describe(), "f.yaml:4:4");
  EXPECT_EQ(given[2].value, "");
}

TEST(SettingsYaml, AnEmptyFileSetsNothing) {
  for (const auto* text : {"", "\n", "# only a comment\n", "---\n", "---\n...\n"}) {
    const auto parsed = parse_settings_yaml(text, "f.yaml");
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message();
    EXPECT_TRUE(parsed->empty());
  }
}

TEST(SettingsYaml, RefusesAllButOneFlatMap) {
  EXPECT_THAT(refusal("- a\n- b\n"), AllOf(StartsWith("f.yaml:1:1: "), HasSubstr("not a list")));
  EXPECT_THAT(refusal("just words\n"), HasSubstr("must be a map"));
  EXPECT_THAT(refusal("a: [1, 2]\n"), AllOf(StartsWith("f.yaml:1:4: "), HasSubstr("a must be one value, not a list")));
  EXPECT_THAT(refusal("a:\n  b: 1\n"), HasSubstr("a must be one value, not a map"));
  EXPECT_THAT(refusal("a:\n"), HasSubstr("a has no value"));
  EXPECT_THAT(refusal("a: ~\n"), HasSubstr("a has no value"));
  EXPECT_THAT(refusal("? [x]\n: 1\n"), HasSubstr("a key must be a name"));
  EXPECT_THAT(refusal("a: 1\n---\nb: 2\n"), HasSubstr("only one document"));
}

TEST(SettingsYaml, RefusesAKeyThatIsSetTwice) {
  EXPECT_THAT(refusal("a: 1\nb: 2\na: 3\n"),
              AllOf(StartsWith("f.yaml:3:4: "), HasSubstr("a is set twice"), HasSubstr("line 1")));
}

TEST(SettingsYaml, RefusesAnchorsAliasesAndTags) {
  EXPECT_THAT(refusal("a: &x 1\nb: *x\n"), HasSubstr("anchors"));
  EXPECT_THAT(refusal("a: !!python/object 1\n"), HasSubstr("tags"));
  EXPECT_THAT(refusal("&r\na: 1\n"), HasSubstr("anchors"));
}

TEST(SettingsYaml, SaysWhereItIsNoYaml) {
  EXPECT_THAT(refusal("a: \"\\q\"\n"), AllOf(StartsWith("f.yaml:"), HasSubstr("not YAML")));
  EXPECT_THAT(refusal("a: 1\n\tb: 2\n"), HasSubstr("f.yaml:2"));
  EXPECT_THAT(refusal(std::string(100'000, '[')), HasSubstr("not a list"));
  EXPECT_THAT(refusal(std::string("a: 1\n") + std::string(100'000, '{')), StartsWith("f.yaml:"));
}

TEST(SettingsYaml, LimitsTheSizeOfTheFile) {
  const sys::TempDir dir;
  const auto path = dir.file("big.yaml");
  std::ofstream(path) << "a: 1\n" << std::string(kMaxSettingsFile, '#') << "\n";
  const auto read = read_settings_file(path);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message(), HasSubstr("larger than"));
}

TEST(SettingsYaml, NamesAFileThatCannotBeRead) {
  const sys::TempDir dir;
  EXPECT_EQ(read_settings_file(dir.file("none")).error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(read_settings_file(dir.path()).error().message(), HasSubstr(dir.path()));
}

}  // namespace
}  // namespace slipway::cli
