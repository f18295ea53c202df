#include "objects/time_text.h"

#include <gtest/gtest.h>

namespace slipway::objects {
namespace {

constexpr TimePoint kInstant = from_micros(784'111'777'000'000);  // RFC 9110's example

TEST(TimeTextTest, ReadsTheThreeFormsOfHttp) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), kInstant);
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT"), kInstant);
  EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994"), kInstant);
}

TEST(TimeTextTest, ReadsIsoTimes) {
  EXPECT_EQ(parse_iso8601("1994-11-06T08:49:37Z"), kInstant);
  EXPECT_EQ(parse_iso8601("1994-11-06T08:49:37.000Z"), kInstant);
  EXPECT_EQ(parse_iso8601("1994-11-06T08:49:37.25Z"), kInstant + Duration(250'000));
  EXPECT_EQ(parse_iso8601("1994-11-06T08:49:37.123456789Z"), kInstant + Duration(123'456));
}

TEST(TimeTextTest, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "3", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Apr 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT!"}) {
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
  }
  for (const char* text : {"", "1994-11-06", "1994-11-06T08:49:37", "1994-13-06T08:49:37Z", "1994-02-30T08:49:37Z",
                           "1994-11-06T08:49:37.Z", "1994-11-06T08:49:37+02:00"}) {
    EXPECT_EQ(parse_iso8601(text), std::nullopt) << text;
  }
}

TEST(TimeTextTest, WritesTheTimeOfASignature) { EXPECT_EQ(to_amz_date(kInstant), "19941106T084937Z"); }

}  // namespace
}  // namespace slipway::objects
