// Limits are of the image: of all that comes out of its file, whatever is packed in what.
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/survey_helpers.h"
#include "archive/testing/tar_builder.h"

namespace slipway::archive {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kNearFloor = 1'000'000;  // below kRatioFloor, from which on ratios are measured

std::string noise(std::size_t size) {
  std::mt19937 random(4711);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

// Bytes that no entry speaks of.
std::string padded_layer(int number) {
  return compress(Compression::kGzip,
                  TarBuilder().file("f" + std::to_string(number), "").finish() + std::string(kNearFloor, '\0'));
}

std::vector<std::string> padded_layers(int count) {
  std::vector<std::string> layers{small_rootfs().finish()};
  for (int i = 0; i < count; ++i) layers.push_back(padded_layer(i));
  return layers;
}

TEST(BombTest, ManyLayersBelowTheFloorAreOneBomb) {
  EXPECT_TRUE(survey_bytes(docker_image(padded_layers(1))));
  const auto seen = survey_bytes(docker_image(padded_layers(40)));
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().kind(), ErrorKind::kRejected);
  EXPECT_THAT(seen.error().message(), HasSubstr("rule max_compression_ratio"));
}

TEST(BombTest, LayersPackedWithinAPackedArchiveAreMeasuredAgainstTheFile) {
  // Each step is within the limit, and both together are not.
  const std::string layer = compress(
      Compression::kGzip, small_rootfs().file("etc/noise", noise(9'000)).finish() + std::string(kNearFloor, '\0'));
  const std::vector<std::string> layers(12, layer);
  const std::string image = docker_image(layers);
  ASSERT_LT(layers.size() * kNearFloor / image.size(), 100);
  EXPECT_TRUE(survey_bytes(image));
  for (const auto outer : {Compression::kGzip, Compression::kZstd, Compression::kXz, Compression::kBzip2}) {
    const auto seen = survey_bytes(compress(outer, image));
    ASSERT_FALSE(seen) << to_string(outer);
    EXPECT_THAT(seen.error().message(), HasSubstr("rule max_compression_ratio"));
  }
}

TEST(BombTest, TheTotalIsThatOfAllLayers) {
  Policy policy = standard_policy();
  ASSERT_TRUE(set(policy, "max_compression_ratio", "1000000"));
  ASSERT_TRUE(set(policy, "max_total_size", "1 MiB"));
  ASSERT_TRUE(set(policy, "max_files", "100"));
  EXPECT_TRUE(survey_bytes(docker_image(padded_layers(2)), policy));
  const auto seen = survey_bytes(docker_image(padded_layers(4)), policy);
  ASSERT_FALSE(seen);
  EXPECT_THAT(seen.error().message(), HasSubstr("rule max_total_size"));
}

// What passes twice through our hands, out of the archive and out of the layer, is one image still.
TEST(BombTest, AnImageWithinItsLimitsIsNotCountedTwice) {
  const std::string layer = small_rootfs().file("etc/big", noise(60'000) + std::string(4'000'000, '\0')).finish();
  const std::string image = compress(Compression::kGzip, docker_image({layer}));
  ASSERT_GT(layer.size() / image.size(), 55);
  const auto seen = survey_bytes(image);
  EXPECT_TRUE(seen) << seen.error().message();
}

// The ratio is of the whole file: what packs well may stand before what does not.
TEST(BombTest, TheOrderOfContentDoesNotMatter) {
  const std::string tar =
      small_rootfs().file("etc/a", std::string(4'000'000, '\0')).file("etc/b", noise(60'000)).finish();
  const auto seen = survey_bytes(compress(Compression::kGzip, tar));
  EXPECT_TRUE(seen) << seen.error().message();
}

}  // namespace
}  // namespace slipway::archive
