#include "cli/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/suggest.h"

namespace slipway::cli {
namespace {

using testing::ElementsAre;

TEST(Printable, WritesOutWhatCouldMoveACursor) {
  EXPECT_EQ(printable("plain äöü 日本 🚀"), "plain äöü 日本 🚀");
  EXPECT_EQ(printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(printable("a\nb\tc\rd\x7f"), "a\\x0ab\\x09c\\x0dd\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u{9b}31m");  // C1: a terminal may take it for ESC [
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\u{202e}b");  // right-to-left override
  EXPECT_EQ(printable("a\xe2\x80\x8b"
                      "b"),
            "a\\u{200b}b");  // zero width space
}

TEST(Printable, WritesOutBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");                    // cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
}

TEST(ValidUtf8, KeepsWhatIsValid) {
  EXPECT_EQ(valid_utf8("a\nb ü"), "a\nb ü");
  EXPECT_EQ(valid_utf8("a\xff"), "a\\xff");
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("äöü"), 3U);
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("e\xcc\x81"), 1U);  // e and a combining accent
  EXPECT_EQ(display_width("🚀"), 2U);
}

TEST(Shorten, CutsAtColumnsNotInsideCharacters) {
  EXPECT_EQ(shorten("abcdef", 6, "…"), "abcdef");
  EXPECT_EQ(shorten("abcdef", 5, "…"), "abcd…");
  EXPECT_EQ(shorten("日本語", 4, "…"), "日…");  // a half character is not shown
  EXPECT_EQ(shorten("abcdefgh", 5, "…", Cut::kMiddle), "ab…gh");
  EXPECT_EQ(shorten("abcdef", 4, "..."), "a...");
  EXPECT_EQ(shorten("abcdef", 0, "…"), "");
  EXPECT_EQ(shorten("e\xcc\x81"
                    "e\xcc\x81"
                    "e",
                    2, "…"),
            "e\xcc\x81…");
}

TEST(Wrap, BreaksAtSpaces) {
  EXPECT_THAT(wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("a\nb", 7), ElementsAre("a", "b"));
  EXPECT_THAT(wrap("unbreakable x", 4), ElementsAre("unbreakable", "x"));
}

TEST(Nearest, FindsMisspellingsAndNothingElse) {
  const std::vector<std::string> known{"list", "show", "runs", "config"};
  EXPECT_EQ(nearest("lsit", known), "list");
  EXPECT_EQ(nearest("confg", known), "config");
  EXPECT_EQ(nearest("conf", known), "config");
  EXPECT_EQ(nearest("xyzzy", known), std::nullopt);
  EXPECT_EQ(nearest("", known), std::nullopt);
  EXPECT_EQ(nearest(std::string(1000, 'l'), known), std::nullopt);
}

TEST(EditDistance, CountsSwapsAsOne) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", "acb"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

}  // namespace
}  // namespace slipway::cli
