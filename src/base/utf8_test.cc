#include "base/utf8.h"

#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(Utf8, CharactersOfAllLengthsAreTaken) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a\u00e9\u20ac\U0001F600"));
  EXPECT_EQ(utf8_length("\u20acx"), 3U);
  EXPECT_EQ(utf8_length(""), 0U);
}

TEST(Utf8, WhatIsCutOffOverlongASurrogateOrTooLargeIsNone) {
  for (const auto* bytes : {"\x80", "\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                            "\xF0\x80\x80\x80", "\xFF", "ok\xE2\x82"}) {
    EXPECT_FALSE(is_utf8(bytes)) << bytes;
  }
}

}  // namespace
}  // namespace slipway
