#include "cli/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

using std::chrono::milliseconds;

TEST(ParseSize, TakesBytesAndUnitsOfBothBases) {
  EXPECT_EQ(parse_size("0").value(), 0U);
  EXPECT_EQ(parse_size("512").value(), 512U);
  EXPECT_EQ(parse_size("512B").value(), 512U);
  EXPECT_EQ(parse_size("10GiB").value(), 10ULL << 30);
  EXPECT_EQ(parse_size("10G").value(), 10ULL << 30);
  EXPECT_EQ(parse_size("10 gib").value(), 10ULL << 30);
  EXPECT_EQ(parse_size("10GB").value(), 10'000'000'000U);
  EXPECT_EQ(parse_size("1.5GB").value(), 1'500'000'000U);
  EXPECT_EQ(parse_size("1.5KiB").value(), 1536U);
  EXPECT_EQ(parse_size("0.3K").value(), 307U);  // 307.2
  EXPECT_EQ(parse_size("9223372036854775807").value(), 9223372036854775807U);
  EXPECT_EQ(parse_size("8191P").value(), 8191ULL << 50);
}

TEST(ParseSize, RefusesWhatIsNoSize) {
  for (const auto* text : {"", " ", "-1", "+1", "1.5", "1.5B", "1.", ".5G", "GiB", "10X", "10GiBs", "10 G B", "0x10",
                           "1e3", "1,000", "1.0000000001G", " 10"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(ParseSize, RefusesOverflowInsteadOfWrapping) {
  for (const auto* text :
       {"9223372036854775808", "18446744073709551616", "8192P", "99999999999999999999999G", "9.9999P0"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(ParseCount, TakesDigitsOnly) {
  EXPECT_EQ(parse_count("100000").value(), 100000U);
  for (const auto* text : {"", "-5", "5 ", "1k", "9223372036854775808", "99999999999999999999"}) {
    EXPECT_FALSE(parse_count(text)) << text;
  }
}

TEST(ParseDuration, TakesSecondsAndUnits) {
  EXPECT_EQ(parse_duration("30").value(), milliseconds(30'000));
  EXPECT_EQ(parse_duration("500ms").value(), milliseconds(500));
  EXPECT_EQ(parse_duration("5 min").value(), milliseconds(300'000));
  EXPECT_EQ(parse_duration("1h30m").value(), milliseconds(5'400'000));
  EXPECT_EQ(parse_duration("5m0s").value(), milliseconds(300'000));
  EXPECT_EQ(parse_duration("2d").value(), milliseconds(172'800'000));
}

TEST(ParseDuration, RefusesWhatIsNone) {
  for (const auto* text : {"", "-1s", "1.5s", "m", "5x", "1h30", "99999999999999999999s", "400000d"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(ParseBool, TakesTheUsualWords) {
  for (const auto* text : {"true", "YES", "on", "1"}) EXPECT_TRUE(parse_bool(text).value()) << text;
  for (const auto* text : {"false", "No", "off", "0"}) EXPECT_FALSE(parse_bool(text).value()) << text;
  for (const auto* text : {"", "2", "t", "maybe"}) EXPECT_FALSE(parse_bool(text).has_value()) << text;
}

}  // namespace
}  // namespace slipway::cli
