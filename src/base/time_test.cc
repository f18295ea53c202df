#include "base/time.h"

#include <gtest/gtest.h>

namespace slipway {
namespace {

using namespace std::chrono_literals;

TEST(LaterTest, ForEverIsTheLastInstantAndNotThePast) {
  const TimePoint now = from_micros(1'700'000'000'000'000);
  EXPECT_EQ(later(now, Duration::max()), TimePoint::max());
  EXPECT_EQ(later(TimePoint::max(), Duration{1}), TimePoint::max());
  EXPECT_EQ(later(now, Duration{5}), now + Duration{5});
  EXPECT_EQ(later(now, Duration{-5}), now - Duration{5});
}

TEST(TimeTest, MicrosAreReadBack) {
  for (const std::int64_t micros : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1'700'000'000'123'456}}) {
    EXPECT_EQ(to_micros(from_micros(micros)), micros);
  }
}

TEST(TimeTest, Iso8601IsUtcWithMicroseconds) {
  EXPECT_EQ(to_iso8601(from_micros(0)), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(to_iso8601(from_micros(1'794'775'284'000'123)), "2026-11-15T20:41:24.000123Z");
  EXPECT_EQ(to_iso8601(from_micros(951'782'400'000'000)), "2000-02-29T00:00:00.000000Z");
}

TEST(TimeTest, Iso8601OfATimeBefore1970CountsTheFractionForward) {
  EXPECT_EQ(to_iso8601(from_micros(-1)), "1969-12-31T23:59:59.999999Z");
}

TEST(TimeTest, Iso8601SortsLikeTime) {
  EXPECT_LT(to_iso8601(from_micros(999'999)), to_iso8601(from_micros(1'000'000)));
}

TEST(TimeTest, Iso8601OfTheLimitsIsStillText) {
  EXPECT_FALSE(to_iso8601(TimePoint::max()).empty());
  EXPECT_FALSE(to_iso8601(TimePoint::min() + 1s).empty());
}

TEST(TimeTest, LengthsAreShortAndForPeople) {
  EXPECT_EQ(to_human(0us), "0µs");
  EXPECT_EQ(to_human(850us), "850µs");
  EXPECT_EQ(to_human(12'300us), "12.3ms");
  EXPECT_EQ(to_human(4'200ms), "4.2s");
  EXPECT_EQ(to_human(187s), "3m07s");
  EXPECT_EQ(to_human(2h), "120m00s");
}

}  // namespace
}  // namespace slipway
