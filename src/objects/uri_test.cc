#include "objects/uri.h"

#include <gtest/gtest.h>

#include "objects/object_source.h"

namespace slipway::objects {
namespace {

TEST(UriTest, EncodesEverythingButTheUnreserved) {
  EXPECT_EQ(percent_encode("AZaz09-._~", Slash::kEncode), "AZaz09-._~");
  EXPECT_EQ(percent_encode("a/b c+%*'\x7f\xc3\xa9", Slash::kKeep), "a/b%20c%2B%25%2A%27%7F%C3%A9");
  EXPECT_EQ(percent_encode("a/b", Slash::kEncode), "a%2Fb");
}

TEST(UriTest, DecodesWhatItEncodes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(percent_decode(percent_encode(all, Slash::kEncode), Plus::kIsSpace), all);
  EXPECT_EQ(percent_decode("a+b%2b%20", Plus::kIsSpace), "a b+ ");
  EXPECT_EQ(percent_decode("a+b", Plus::kAsItIs), "a+b");
}

TEST(UriTest, RefusesHalfAnEscape) {
  EXPECT_EQ(percent_decode("%", Plus::kAsItIs), std::nullopt);
  EXPECT_EQ(percent_decode("abc%4", Plus::kAsItIs), std::nullopt);
  EXPECT_EQ(percent_decode("%4g", Plus::kAsItIs), std::nullopt);
  EXPECT_EQ(percent_decode("%41", Plus::kAsItIs), "A");
}

TEST(UriTest, QuotesForPeople) {
  EXPECT_EQ(shown("a\nb"), "\"a\\x0ab\"");
  EXPECT_LT(shown(std::string(5000, 'x')).size(), 300U);
}

TEST(KeyTest, TakesOrdinaryKeys) {
  for (const char* key : {"a", "images/debian 12.tar", "a+b%2F", "\xc3\xa9/\xe4\xb8\x96", "..a/b..", "a/...", "-"}) {
    EXPECT_TRUE(check_key(key)) << key;
  }
  EXPECT_TRUE(check_key(std::string(1024, 'k')));
}

TEST(KeyTest, RefusesWhatCouldLeaveTheFolderOrTheLine) {
  for (const char* key :
       {"", "/a", "a//b", "a/", "..", "../a", "a/../b", "a/..", "./a", "a/./b", "a\nb", "a\x7f", "/"}) {
    const auto checked = check_key(key);
    ASSERT_FALSE(checked) << key;
    EXPECT_EQ(checked.error().kind(), ErrorKind::kInvalid) << key;
  }
  EXPECT_FALSE(check_key(std::string_view("a\0b", 3)));
  EXPECT_FALSE(check_key(std::string(1025, 'k')));
}

}  // namespace
}  // namespace slipway::objects
