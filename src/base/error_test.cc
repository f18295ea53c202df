#include "base/error.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace slipway {
namespace {

constexpr auto kLastKind = static_cast<int>(ErrorKind::kInternal);

TEST(ErrorKindTest, EachHasANameOfItsOwnThatIsReadBack) {
  std::set<std::string_view> names;
  for (int i = 0; i <= kLastKind; ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    const auto name = to_string(kind);
    EXPECT_TRUE(names.insert(name).second) << name << " is the name of two kinds";
    EXPECT_EQ(parse_error_kind(name), kind);
  }
}

// They are on disk with failed runs.
TEST(ErrorKindTest, NamesDoNotChange) {
  EXPECT_EQ(to_string(ErrorKind::kInvalid), "invalid");
  EXPECT_EQ(to_string(ErrorKind::kAlreadyRunning), "already-running");
  EXPECT_EQ(to_string(ErrorKind::kNoSpace), "no-space");
  EXPECT_EQ(to_string(ErrorKind::kParked), "parked");
  EXPECT_EQ(to_string(ErrorKind::kInternal), "internal");
}

TEST(ErrorKindTest, OtherNamesAreNotKinds) {
  for (const std::string_view name : {"", "Invalid", "kInvalid", "no space", "internal "}) {
    EXPECT_EQ(parse_error_kind(name), std::nullopt) << name;
  }
}

TEST(ErrorTest, FailMakesAnyResult) {
  const Result<int> number = fail(ErrorKind::kNotFound, "no blob {}", 7);
  ASSERT_FALSE(number);
  EXPECT_EQ(number.error(), Error(ErrorKind::kNotFound, "no blob 7"));
  const Result<> nothing = fail(number.error());
  EXPECT_EQ(nothing.error(), number.error());
}

TEST(ErrorTest, DuringPutsTheCallerInFrontAndKeepsKindAndHint) {
  const Error cause = Error(ErrorKind::kNoSpace, "disk full").with_hint("free some space");
  const Result<int> outer = cause.during("write {}", "a.db");
  const Result<std::string> outermost = outer.error().during("commit");
  ASSERT_FALSE(outermost);
  EXPECT_EQ(outermost.error().kind(), ErrorKind::kNoSpace);
  EXPECT_EQ(outermost.error().message(), "commit: write a.db: disk full");
  EXPECT_EQ(outermost.error().hint(), "free some space");
}

TEST(ErrorTest, TextThatLooksLikeAFormatIsLeftAlone) {
  const Result<> outer = Error(ErrorKind::kIo, "{} {0} %s").during("read {}", "{}");
  EXPECT_EQ(outer.error().message(), "read {}: {} {0} %s");
}

TEST(ErrorTest, DescribeAddsTheHintWhenThereIsOne) {
  EXPECT_EQ(Error(ErrorKind::kIo, "bad disk").describe(), "bad disk");
  EXPECT_EQ(Error(ErrorKind::kIo, "bad disk").with_hint("replace it").describe(), "bad disk (replace it)");
}

}  // namespace
}  // namespace slipway
