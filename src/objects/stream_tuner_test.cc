#include "objects/stream_tuner.h"

#include <gtest/gtest.h>

namespace slipway::objects {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMiB = 1 << 20;

class StreamTunerTest : public ::testing::Test {
 protected:
  // `mib` more are there after `length`.
  void measure(std::uint64_t mib, Duration length = milliseconds(500)) {
    done_ += mib * kMiB;
    now_ += length;
    tuner_.observe(done_, now_);
  }

  TimePoint now_ = from_micros(1'700'000'000'000'000);
  std::uint64_t done_ = 0;
  StreamTuner tuner_{DownloadTuning{}};
};

TEST_F(StreamTunerTest, BeginsWithFourStreamsAndTheSmallestParts) {
  EXPECT_EQ(tuner_.streams(), 4);
  EXPECT_EQ(tuner_.part_size(), 8 * kMiB);
}

TEST_F(StreamTunerTest, AddsStreamsWhileTheRateGrowsUpToTheMost) {
  measure(0);
  measure(10);
  EXPECT_EQ(tuner_.streams(), 4);
  measure(12);
  EXPECT_EQ(tuner_.streams(), 5);
  measure(12);
  measure(12);
  EXPECT_EQ(tuner_.streams(), 5);
  for (std::uint64_t rate = 14; rate < 100; rate += 10) measure(rate);
  EXPECT_EQ(tuner_.streams(), 8);
}

TEST_F(StreamTunerTest, ShortMeasurementsDoNotCount) {
  measure(0);
  measure(10);
  for (int i = 0; i < 4; ++i) measure(30, milliseconds(100));
  EXPECT_EQ(tuner_.streams(), 4);
}

TEST_F(StreamTunerTest, PartsAreTwoSecondsOfAStreamWithinBounds) {
  measure(0);
  measure(10);  // 20 MiB/s over four streams
  EXPECT_EQ(tuner_.part_size(), 10 * kMiB);
  measure(1);
  EXPECT_EQ(tuner_.part_size(), 8 * kMiB);
  measure(10'000);
  EXPECT_EQ(tuner_.part_size(), 64 * kMiB);
}

TEST_F(StreamTunerTest, AClockSetBackStartsAFreshMeasurement) {
  measure(0);
  measure(10);
  now_ -= std::chrono::hours(1);
  measure(10);
  measure(10);
  EXPECT_EQ(tuner_.streams(), 4);
}

}  // namespace
}  // namespace slipway::objects
