#include "base/json.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace slipway {
namespace {

struct Request {
  std::string name;
  int count = 0;
};

void to_json(Json& json, const Request& request) { json = {{"name", request.name}, {"count", request.count}}; }
void from_json(const Json& json, Request& request) {
  json.at("name").get_to(request.name);
  json.at("count").get_to(request.count);
}

std::string nested(int levels) {
  const auto n = static_cast<std::size_t>(levels);
  return std::string(n, '[') + std::string(n, ']');
}

TEST(JsonTest, ATypedValueIsReadBack) {
  const auto text = encode_json(Request{"World \n\"ж\"", 7});
  ASSERT_TRUE(text);
  const auto request = decode_json<Request>(*text);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->name, "World \n\"ж\"");
  EXPECT_EQ(request->count, 7);
}

TEST(JsonTest, WhatIsNotJsonIsCorruptAndTheErrorSaysWhere) {
  for (const std::string_view text : {"", " ", "{", "[1,]", "{\"a\":}", "nul", "1 2", "'a'", "NaN", "\"\n\"", "01"}) {
    const auto parsed = parse_json(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().kind(), ErrorKind::kCorrupt);
    EXPECT_NE(parsed.error().message().find("at byte"), std::string::npos) << parsed.error().message();
  }
}

TEST(JsonTest, DeepNestingIsReadUpToTheLimitAndRefusedBeyond) {
  EXPECT_TRUE(parse_json(nested(256)));
  for (const int levels : {258, 1'000, 1'000'000}) {
    const auto parsed = parse_json(nested(levels));
    ASSERT_FALSE(parsed) << levels;
    EXPECT_EQ(parsed.error().kind(), ErrorKind::kCorrupt);
    EXPECT_NE(parsed.error().message().find("nested"), std::string::npos) << parsed.error().message();
  }
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_FALSE(parse_json(objects));
}

TEST(JsonTest, BracketsInTextsAreNoNesting) {
  const auto parsed = parse_json("[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\\\\\"]");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->at(0).get<std::string>().size(), 2002U);
}

// Were it in proportion to its square, this would take minutes.
TEST(JsonTest, ALongListTakesTimeInProportionToItsLength) {
  std::string text = "[{}";
  for (int i = 1; i < 300'000; ++i) text += ",{}";
  const auto parsed = parse_json(text + "]");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->size(), 300'000U);
}

TEST(JsonTest, InvalidUtf8IsRefusedBothWays) {
  for (const std::string bytes : {"\xff", "\xc3", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80"}) {
    const auto parsed = parse_json("\"" + bytes + "\"");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().kind(), ErrorKind::kCorrupt);
    const auto written = write_json(Json(bytes));
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind(), ErrorKind::kInvalid);
    EXPECT_FALSE(encode_json(Request{bytes, 1}));
  }
}

TEST(JsonTest, AnotherShapeIsCorrupt) {
  for (const std::string_view text : {"{}", "[]", "null", "{\"name\":1,\"count\":2}", "{\"name\":\"x\"}"}) {
    const auto request = decode_json<Request>(text);
    ASSERT_FALSE(request) << text;
    EXPECT_EQ(request.error().kind(), ErrorKind::kCorrupt);
  }
}

TEST(JsonTest, LargeIntegersAreExact) {
  const auto parsed = decode_json<std::vector<std::int64_t>>("[9223372036854775807,-9223372036854775808]");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, (std::vector<std::int64_t>{INT64_MAX, INT64_MIN}));
}

TEST(JsonTest, TextWithNulIsReadBack) {
  const std::string text("a\0b", 3);
  EXPECT_EQ(decode_json<std::string>(encode_json(text).value()).value(), text);
}

}  // namespace
}  // namespace slipway
