#include "net/headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::net {
namespace {

TEST(HeadersTest, NamesAreComparedWithoutCaseAndTheFirstCounts) {
  Headers headers{{"ETag", "a"}, {"etag", "b"}};
  headers.add("X-One", "");
  EXPECT_EQ(headers.get("ETAG"), "a");
  EXPECT_EQ(headers.get("x-one"), "");
  EXPECT_EQ(headers.get("X-On"), std::nullopt);
  EXPECT_EQ(headers.count("Etag"), 2U);
  EXPECT_EQ(headers.size(), 3U);
}

TEST(HeadersTest, AFieldIsSplitAndItsValueTrimmed) {
  EXPECT_EQ(parse_field("Name: \t a b \t"), std::pair(std::string("Name"), std::string("a b")));
  EXPECT_EQ(parse_field("Name:"), std::pair(std::string("Name"), std::string()));
  EXPECT_EQ(parse_field("a:b:c"), std::pair(std::string("a"), std::string("b:c")));
}

TEST(HeadersTest, MalformedFieldsAreNone) {
  using namespace std::string_view_literals;
  for (const auto line : {"Name"sv, ": x"sv, "Na me: x"sv, "Name : x"sv, " Name: x"sv, "Name: a\rb"sv, "Name: a\0b"sv,
                          "N\x80: a"sv, ""sv, "N\0: a"sv, "Name: \x7F"sv}) {
    EXPECT_EQ(parse_field(line), std::nullopt) << line;
  }
}

}  // namespace
}  // namespace slipway::net
