#include "feeds/formats/json_elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/memory_source.h"

namespace slipway::feeds {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// "list:text", "name=text" for members, "whole text"; an error last.
std::vector<std::string> cut(std::string_view json, JsonElements::Options options, std::size_t piece) {
  archive::MemorySource source(std::string(json), piece);
  JsonElements elements(source, std::move(options));
  std::vector<std::string> found;
  for (;;) {
    const auto next = elements.next();
    if (!next) {
      found.push_back("failed: " + next.error().message());
      return found;
    }
    if (!*next) return found;
    const auto& element = **next;
    switch (element.kind) {
      case JsonElement::Kind::kItem: found.push_back(fmt::format("{}:{}", element.name, element.text)); break;
      case JsonElement::Kind::kMember: found.push_back(fmt::format("{}={}", element.name, element.text)); break;
      case JsonElement::Kind::kWhole: found.push_back(fmt::format("whole {}", element.text)); break;
    }
  }
}

// In pieces of one byte, of a few, and whole: always the same.
std::vector<std::string> cut(std::string_view json, const JsonElements::Options& options = {.lists = {"items"}}) {
  auto whole = cut(json, options, json.size() + 1);
  EXPECT_EQ(cut(json, options, 1), whole) << json;
  EXPECT_EQ(cut(json, options, 7), whole) << json;
  return whole;
}

TEST(JsonElementsTest, ItemsOfAListWithinADocument) {
  EXPECT_THAT(cut(R"({"n": 2, "items": [{"a": "]"}, [1, 2] , "x\"]", 3, null], "z": {}})"),
              ElementsAre(R"(items:{"a": "]"})", "items:[1, 2]", R"(items:"x\"]")", "items:3", "items:null"));
  EXPECT_THAT(cut(R"({"items": []})"), ElementsAre());
}

TEST(JsonElementsTest, ItemsOfADocumentThatIsAList) {
  EXPECT_THAT(cut(R"([{"a":1},{"b":2}])"), ElementsAre(R"(:{"a":1})", R"(:{"b":2})"));
}

TEST(JsonElementsTest, MembersWhereTheyAreWanted) {
  EXPECT_THAT(cut(R"({"zlib": {"a": [1]}, "openssl" : {} })", {.members = true}),
              ElementsAre(R"(zlib={"a": [1]})", "openssl={}"));
}

TEST(JsonElementsTest, ADocumentWithoutAListIsOneElement) {
  EXPECT_THAT(cut(R"( {"id": "CVE-1", "items": {"not": "a list"}} )"),
              ElementsAre(R"(whole {"id": "CVE-1", "items": {"not": "a list"}})"));
}

TEST(JsonElementsTest, SmallMembersBesideTheListAreKept) {
  archive::MemorySource source(R"({"total": 7, "items": [1], "name": "x"})", 100);
  JsonElements elements(source, {.lists = {"items"}});
  ASSERT_TRUE(elements.next());
  EXPECT_EQ(elements.header("total"), "7");
  EXPECT_EQ(elements.header("name"), "") << "it has not come by yet";
  ASSERT_TRUE(elements.next());
  EXPECT_EQ(elements.header("name"), "\"x\"");
}

TEST(JsonElementsTest, AByteOrderMarkIsPassedOver) { EXPECT_THAT(cut("\xEF\xBB\xBF[1]"), ElementsAre(":1")); }

TEST(JsonElementsTest, BrokenDocumentsAreRefusedWhereTheyBreak) {
  const auto last = [](std::string_view json) { return cut(json).back(); };
  EXPECT_THAT(last(""), HasSubstr("empty"));
  EXPECT_THAT(last("<!DOCTYPE html><html>"), HasSubstr("begins with '<'"));
  EXPECT_THAT(last("nonsense"), HasSubstr("neither '{' nor '['"));
  EXPECT_THAT(last(R"({"items": [1, 2)"), HasSubstr("ends early"));
  EXPECT_THAT(last(R"({"items": [1 2]})"), HasSubstr("byte 13: ',' is expected"));
  EXPECT_THAT(last(R"({"items": [{"a": [}]})"), HasSubstr("'}' closes what is not open"));
  EXPECT_THAT(last(R"({"items": [1],})"), HasSubstr("a name in quotes is expected"));
  EXPECT_THAT(last(R"({"items" [1]})"), HasSubstr("':' is expected"));
  EXPECT_THAT(last(R"({"a": "never ends)"), HasSubstr("ends within a string"));
  EXPECT_THAT(last(R"({"a": "\)"), HasSubstr("ends within a string"));
  EXPECT_THAT(last(R"({"items": [1]} x)"), HasSubstr("follows the end"));
  EXPECT_THAT(last(R"({"items": [1,]})"), HasSubstr("a value is expected"));
  EXPECT_THAT(last(std::string_view("[1,\0]", 5)), HasSubstr("a zero byte"));
}

TEST(JsonElementsTest, DeepAndHugeElementsAreRefused) {
  const std::string deep(2000, '[');
  EXPECT_THAT(cut("[" + deep).back(), HasSubstr("nested too deeply"));
  const std::string huge = "[\"" + std::string(5000, 'x') + "\"]";
  EXPECT_THAT(cut(huge, {.largest = 1000}, 100).back(), HasSubstr("larger than 1000 bytes"));
  EXPECT_THAT(cut("[" + std::string(5000, ' ') + "1]", {.largest = 1000}, 100), ElementsAre(":1"));
}

}  // namespace
}  // namespace slipway::feeds
