// Where the description of a layered image is read from, and what that may cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/survey_helpers.h"
#include "archive/testing/tar_builder.h"
#include "base/digest.h"
#include "base/json.h"

namespace slipway::archive {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kIndexType = "application/vnd.oci.image.index.v1+json";
constexpr std::string_view kManifestType = "application/vnd.oci.image.manifest.v1+json";
constexpr std::size_t kLarge = 300UL << 10;  // more than what is kept in case it is needed

struct Counted {
  Result<Survey> seen;
  int passes = 0;
};

Counted count_passes(const std::string& bytes) {
  const MemoryFile file(bytes);
  Input input = file.input();
  int passes = 0;
  input.tick = [&](std::uint64_t position) -> Result<> {
    if (position == 0) ++passes;
    return {};
  };
  auto seen = survey(input, standard_policy());
  return {std::move(seen), passes};
}

Json descriptor(std::string_view type, const std::string& blob) { return Json::parse(descriptor_json(type, blob)); }

std::string index_of(const Json& manifests, std::size_t size = 0) {
  std::string text = Json{{"schemaVersion", 2}, {"manifests", manifests}}.dump();
  if (text.size() < size) text.append(size - text.size(), ' ');
  return text;
}

// An OCI layout of one image, which is found through these indexes.
std::string layout(const std::vector<std::string>& nested, const Json& top) {
  const std::vector<std::string> layers{small_rootfs().finish()};
  TarBuilder tar;
  tar.folder("blobs").folder("blobs/sha256");
  for (const std::string& blob : {layers[0], config_json(layers), manifest_json(layers)}) add_blob(tar, blob);
  for (const std::string& index : nested) add_blob(tar, index);
  tar.file("oci-layout", R"({"imageLayoutVersion":"1.0.0"})").file("index.json", index_of(top));
  return tar.finish();
}

Json image() { return descriptor(kManifestType, manifest_json({small_rootfs().finish()})); }

TEST(DescriptionTest, AnIndexThatIsNamedOftenIsReadOnce) {
  const std::string large = index_of(Json::array({image()}), kLarge);
  const Counted few = count_passes(layout({large}, Json::array({descriptor(kIndexType, large)})));
  ASSERT_TRUE(few.seen) << few.seen.error().message();
  const Counted many = count_passes(layout({large}, Json(200, descriptor(kIndexType, large))));
  ASSERT_TRUE(many.seen) << many.seen.error().message();
  EXPECT_EQ(many.passes, few.passes);
}

TEST(DescriptionTest, TooManyLargeIndexesAreRefused) {
  std::vector<std::string> nested;
  Json top = Json::array();
  for (std::size_t i = 0; i < 20; ++i) {
    nested.push_back(index_of(Json::array({image()}), kLarge + i));
    top.push_back(descriptor(kIndexType, nested.back()));
  }
  const Counted counted = count_passes(layout(nested, top));
  ASSERT_FALSE(counted.seen);
  EXPECT_EQ(counted.seen.error().kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(counted.seen.error().message(), HasSubstr("describes itself in more than 8 files"));
  EXPECT_LE(counted.passes, 10);
}

TEST(DescriptionTest, SmallLayersAreNotTakenForDescriptions) {
  std::vector<std::string> layers;
  for (int i = 0; i < 60; ++i)
    layers.push_back(TarBuilder().file("f" + std::to_string(i), std::string(200'000, 'x')).finish());
  EXPECT_EQ(count_passes(oci_image(layers)).passes, 2);
}

// A docker save archive that is described by whatever `describe` puts in.
template <class Describe>
Result<Survey> described(Describe describe) {
  const std::vector<std::string> good{small_rootfs().finish()};
  TarBuilder tar;
  tar.file("good.tar", good[0]).file("config.json", config_json(good));
  const auto manifest = [](const std::string& layer) {
    return Json::array({{{"Config", "config.json"}, {"Layers", {layer}}}}).dump();
  };
  describe(tar, manifest("good.tar"), manifest("missing.tar"));
  return survey_bytes(tar.finish());
}

TEST(DescriptionTest, TheLastManifestCounts) {
  EXPECT_TRUE(described([](TarBuilder& tar, const std::string& good, const std::string& bad) {
    tar.file("manifest.json", bad).file("manifest.json", good);
  }));
  EXPECT_FALSE(described([](TarBuilder& tar, const std::string& good, const std::string& bad) {
    tar.file("manifest.json", good).file("./manifest.json", bad);
  }));
}

TEST(DescriptionTest, AManifestByAnotherNameIsTheFileItNames) {
  EXPECT_TRUE(described([](TarBuilder& tar, const std::string& good, const std::string& bad) {
    tar.file("manifest.json", bad).file("other.json", good).hard_link("manifest.json", "other.json");
  }));
  EXPECT_FALSE(described([](TarBuilder& tar, const std::string& good, const std::string& bad) {
    tar.file("manifest.json", good).file("other", bad).hard_link("manifest.json", "other");
  }));
  // What a link was made to stays, whatever its first name is now.
  EXPECT_TRUE(described([](TarBuilder& tar, const std::string& good, const std::string& bad) {
    tar.file("other.json", good).hard_link("manifest.json", "other.json").file("other.json", bad);
  }));
}

TEST(DescriptionTest, AConfigurationByAnotherNameIsTheFileItNames) {
  EXPECT_TRUE(described([](TarBuilder& tar, const std::string& good, const std::string&) {
    const std::string config = config_json({small_rootfs().finish()});
    tar.file("config.json", "{}").file("real.json", config).symlink("config.json", "real.json");
    tar.file("manifest.json", good);
  }));
  EXPECT_FALSE(described([](TarBuilder& tar, const std::string& good, const std::string&) {
    tar.file("empty.json", "{}").symlink("config.json", "empty.json").file("manifest.json", good);
  }));
}

TEST(DescriptionTest, ARootFileSystemBesideADescriptionIsSaidToBeTakenAsSuch) {
  const std::string image = docker_image({small_rootfs().finish()});
  const std::string mixed = TarBuilder().folder("etc").folder("usr").folder("var").raw(image).open_end();
  const auto seen = survey_bytes(mixed);
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->kind, ImageKind::kRootfs);
  EXPECT_EQ(finding_list(*seen), "mixed_layout manifest.json");
  EXPECT_EQ(seen->findings[0].detail,
            "would make it a docker-save, but etc/ stands beside it: taken as a plain root file system");
  const auto strict = survey_bytes(mixed, strict_policy());
  ASSERT_FALSE(strict);
  EXPECT_EQ(strict.error().hint(), "policy_mixed_layout=allow would allow it");
}

TEST(DescriptionTest, ZstdMayBeginWithFramesThatHoldNothing) {
  const std::string tar = compress(Compression::kZstd, small_rootfs().finish());
  using namespace std::string_literals;
  for (const char first : {'\x50', '\x5f'}) {
    const std::string skippable = first + "\x2a\x4d\x18\x05\0\0\0hello"s;
    for (const std::string& bytes : {skippable + tar, skippable + skippable + tar}) {
      const auto seen = survey_bytes(bytes);
      EXPECT_TRUE(seen) << seen.error().message();
    }
    EXPECT_FALSE(survey_bytes(skippable));
    EXPECT_FALSE(survey_bytes(skippable.substr(0, 9)));
  }
}

}  // namespace
}  // namespace slipway::archive
