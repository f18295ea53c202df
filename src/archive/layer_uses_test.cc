// One archive may serve as several layers: each use keeps what it promises, and none costs another pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/layer_stream.h"
#include "archive/testing/survey_helpers.h"
#include "archive/testing/tar_builder.h"
#include "base/digest.h"
#include "base/json.h"

namespace slipway::archive {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string diff_id(const std::string& layer) { return "sha256:" + sha256_hex(layer); }

// docker save of `archives`, named 0.tar and so on, as layers in the order `uses`, with these diff_ids.
std::string image_of(const std::vector<std::string>& archives, const std::vector<std::size_t>& uses,
                     const std::vector<std::string>& diff_ids) {
  TarBuilder tar;
  for (std::size_t i = 0; i < archives.size(); ++i) tar.file(std::to_string(i) + ".tar", archives[i]);
  Json layers = Json::array();
  for (const std::size_t use : uses) layers.push_back(std::to_string(use) + ".tar");
  const Json config{{"rootfs", {{"type", "layers"}, {"diff_ids", diff_ids}}}};
  tar.file("config.json", config.dump());
  tar.file("manifest.json", Json::array({{{"Config", "config.json"}, {"Layers", layers}}}).dump());
  return tar.finish();
}

std::string image_of(const std::vector<std::string>& archives, const std::vector<std::size_t>& uses) {
  std::vector<std::string> diff_ids;
  for (const std::size_t use : uses) diff_ids.push_back(diff_id(archives[use]));
  return image_of(archives, uses, diff_ids);
}

TEST(LayerUsesTest, EveryUseMustKeepItsPromise) {
  const std::string layer = small_rootfs().finish();
  const std::string right = diff_id(layer);
  const std::string wrong = diff_id("something else");
  EXPECT_TRUE(survey_bytes(image_of({layer}, {0, 0}, {right, right})));
  for (const auto& ids : {std::vector{right, wrong}, std::vector{wrong, right}}) {
    const auto seen = survey_bytes(image_of({layer}, {0, 0}, ids));
    ASSERT_FALSE(seen);
    EXPECT_EQ(seen.error().kind(), ErrorKind::kCorrupt);
    EXPECT_THAT(seen.error().message(), HasSubstr("the layer unpacked has the SHA-256"));
  }
}

// The same layer over and over, with one between that keeps a name of what the next use replaces.
struct Copies {
  explicit Copies(std::size_t count) : archives{TarBuilder().file("a", "content").symlink("s", "a").finish()} {
    uses.push_back(0);
    for (std::size_t i = 1; i < count; ++i) {
      archives.push_back(TarBuilder().hard_link("keep" + std::to_string(i), "a").finish());
      uses.push_back(i);
      uses.push_back(0);
    }
  }
  std::vector<std::string> archives;
  std::vector<std::size_t> uses;
};

TEST(LayerUsesTest, EachUseGivesItsContent) {
  const Copies copies(3);
  const std::string image = image_of(copies.archives, copies.uses);
  const auto seen = survey_bytes(image);
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(passes_to_replay(*seen), 3);
  EXPECT_THAT(contents(image, *seen),
              ElementsAre(Pair("a", "content"), Pair("keep1", "content"), Pair("keep2", "content")));
}

TEST(LayerUsesTest, MoreCopiesThanPassesAreRefused) {
  const Copies most(kMostPasses);
  EXPECT_TRUE(survey_bytes(image_of(most.archives, most.uses)));
  const Copies more(kMostPasses + 1);
  const auto seen = survey_bytes(image_of(more.archives, more.uses));
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(seen.error().message(), HasSubstr("serves as 9 layers"));
}

// docker's empty layer stands dozens of times in ordinary images.
TEST(LayerUsesTest, UsesThatLeaveNothingBehindCostNothing) {
  const std::string layer = small_rootfs().finish();
  const std::string image = image_of({layer}, std::vector<std::size_t>(100, 0));
  const auto seen = survey_bytes(image);
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->layers.size(), 100);
  EXPECT_EQ(passes_to_replay(*seen), 1);
  EXPECT_THAT(contents(image, *seen), ElementsAre(Pair("etc/hostname", "box\n"), Pair("usr/bin/true", "#!")));
}

}  // namespace
}  // namespace slipway::archive
