#include "archive/image.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/survey_helpers.h"
#include "archive/testing/tar_builder.h"
#include "base/digest.h"
#include "base/json.h"

namespace slipway::archive {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr std::array kCompressions{Compression::kNone, Compression::kGzip, Compression::kZstd, Compression::kXz,
                                   Compression::kBzip2};

std::vector<std::string> two_layers() {
  return {small_rootfs().file("etc/old", "old").file("etc/both", "lower").finish(),
          TarBuilder()
              .file("etc/.wh.old", "")
              .file("etc/both", "upper")
              .file("bin/new", "new")
              .hard_link("etc/link", "etc/both")
              .finish()};
}

const auto kMerged = ElementsAre(Pair("etc/both", "upper"), Pair("etc/hostname", "box\n"), Pair("usr/bin/new", "new"),
                                 Pair("usr/bin/true", "#!"));

std::string failure(const std::string& bytes, ErrorKind kind = ErrorKind::kCorrupt) {
  const auto seen = survey_bytes(bytes);
  if (seen) return "no failure";
  EXPECT_EQ(seen.error().kind(), kind) << seen.error().message();
  return seen.error().message();
}

TEST(ImageTest, APlainRootFileSystemInEveryCompression) {
  for (const Compression compression : kCompressions) {
    const std::string bytes = compress(compression, small_rootfs().finish());
    const auto seen = survey_bytes(bytes);
    ASSERT_TRUE(seen) << to_string(compression) << ": " << seen.error().message();
    EXPECT_EQ(seen->kind, ImageKind::kRootfs);
    EXPECT_EQ(seen->layers.size(), 1);
    EXPECT_EQ(seen->entries, 8);
    EXPECT_THAT(contents(bytes, *seen), ElementsAre(Pair("etc/hostname", "box\n"), Pair("usr/bin/true", "#!")));
  }
}

TEST(ImageTest, LayeredImagesOfEveryFormAndCompressionGiveTheSameTree) {
  using Form = std::string (*)(const std::vector<std::string>&);
  const std::vector<std::pair<Form, ImageKind>> forms{{&docker_image, ImageKind::kDockerSave},
                                                      {&hybrid_image, ImageKind::kDockerSave},
                                                      {&oci_image, ImageKind::kOciLayout}};
  for (const auto& [form, kind] : forms) {
    for (const Compression compression : kCompressions) {
      std::vector<std::string> layers = two_layers();
      for (std::string& layer : layers) layer = compress(compression, layer);
      const std::string inner = form(layers);
      for (const std::string& bytes : {inner, compress(compression, inner)}) {
        const auto seen = survey_bytes(bytes);
        ASSERT_TRUE(seen) << to_string(kind) << " " << to_string(compression) << ": " << seen.error().message();
        EXPECT_EQ(seen->kind, kind);
        EXPECT_EQ(seen->layers.size(), 2);
        EXPECT_EQ(seen->entries, 14);
        EXPECT_THAT(contents(bytes, *seen), kMerged);
      }
    }
  }
}

TEST(ImageTest, ATopFolderRootfsIsTheRoot) {
  TarBuilder tar;
  tar.folder("./").folder("./rootfs", 0711).folder("rootfs/etc").folder("rootfs/usr").folder("rootfs/var");
  tar.symlink("rootfs/lib", "/usr").file("rootfs/lib/x", "1").hard_link("rootfs/etc/y", "rootfs/usr/x");
  const auto seen = survey_bytes(tar.finish());
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->kind, ImageKind::kRootfsFolder);
  EXPECT_EQ(listing(seen->tree), "etc/ 0755\netc/y 0644 1\nlib -> /usr\nusr/ 0755\nusr/x = etc/y\nvar/ 0755\n");
  EXPECT_EQ(seen->tree.inode(Tree::root()).mode, 0711);
  EXPECT_EQ(finding_list(*seen), "");
  EXPECT_THAT(contents(tar.finish(), *seen), ElementsAre(Pair("etc/y", "1")));

  // Its own root is what links may not leave.
  EXPECT_THAT(failure(tar.symlink("rootfs/out", "../x").finish(), ErrorKind::kRejected), HasSubstr("symlink_escape"));
}

TEST(ImageTest, AFolderCalledRootfsBesideOthersIsOrdinary) {
  TarBuilder tar;
  tar.folder("rootfs").symlink("rootfs/up", "../etc").folder("etc");
  const auto seen = survey_bytes(tar.finish());
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->kind, ImageKind::kRootfs);
  EXPECT_EQ(listing(seen->tree), "etc/ 0755\nrootfs/ 0755\nrootfs/up -> ../etc\n");
}

TEST(ImageTest, ARootFileSystemMayHoldAManifest) {
  const auto seen = survey_bytes(small_rootfs().file("manifest.json", "[]").file("index.json", "{}").finish());
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->kind, ImageKind::kRootfs);
}

TEST(ImageTest, NothingIsNoImage) {
  EXPECT_THAT(failure(TarBuilder().finish()), HasSubstr("no entries"));
  EXPECT_THAT(failure(std::string(10'240, 'x')), HasSubstr("Unrecognized"));
}

TEST(ImageTest, ALayerThatServesTwiceAndAnEmptyOneAreFine) {
  const std::string layer = small_rootfs().file("a", "1").finish();
  const std::string removing = TarBuilder().file(".wh.a", "").finish();
  const std::string empty = TarBuilder().finish();
  const std::string image = oci_image({layer, empty, removing, layer, empty});
  const auto seen = survey_bytes(image);
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->layers.size(), 5);
  EXPECT_THAT(contents(image, *seen),
              ElementsAre(Pair("a", "1"), Pair("etc/hostname", "box\n"), Pair("usr/bin/true", "#!")));
}

TEST(ImageTest, LayersMayBeLinksAsInOldDockerArchives) {
  const std::string layer = small_rootfs().finish();
  TarBuilder tar;
  tar.folder("a").file("a/layer.tar", layer).folder("b").symlink("b/layer.tar", "../a/layer.tar");
  tar.file("c.json", config_json({layer, layer}));
  tar.file("manifest.json", R"([{"Config":"c.json","Layers":["a/layer.tar","b/layer.tar"]}])");
  const auto seen = survey_bytes(tar.finish());
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->layers.size(), 2);
}

TEST(ImageTest, BigLayersAreNotBigFiles) {
  Policy policy = standard_policy();
  ASSERT_TRUE(set(policy, "max_file_size", "600"));
  ASSERT_TRUE(set(policy, "max_total_size", "700"));
  EXPECT_TRUE(survey_bytes(oci_image(two_layers()), policy));
  ASSERT_TRUE(set(policy, "max_file_size", "3"));
  const auto seen = survey_bytes(oci_image(two_layers()), policy);
  ASSERT_FALSE(seen);
  EXPECT_THAT(seen.error().message(), HasSubstr("rule max_file_size"));
}

TEST(ImageTest, ALayerThatIsABombCostsItsLimit) {
  const std::string bomb =
      compress(Compression::kGzip, small_rootfs().file("x", std::string(16UL << 20, '\0')).finish());
  EXPECT_THAT(failure(TarBuilder().raw(docker_image({bomb})).open_end(), ErrorKind::kRejected),
              HasSubstr("max_compression_ratio"));
}

TEST(ImageTest, DigestsAndSizesAreChecked) {
  std::vector<std::string> layers = two_layers();
  const auto spoil = [](std::string image, std::string_view text, std::string_view other) {
    for (auto at = image.find(text); at != std::string::npos; at = image.find(text))
      image.replace(at, text.size(), other);
    return image;
  };
  // Content of the same length, so that only the digests can tell.
  EXPECT_THAT(failure(spoil(oci_image(layers), "upper", "UPPER")), HasSubstr("has the SHA-256"));
  EXPECT_THAT(failure(spoil(hybrid_image(layers), "upper", "UPPER")), HasSubstr("has the SHA-256"));
  EXPECT_THAT(failure(spoil(docker_image(layers), "upper", "UPPER")), HasSubstr("the layer unpacked has the SHA-256"));
  EXPECT_THAT(failure(spoil(oci_image(layers), "\"linux\"", "\"LINUX\"")), HasSubstr("has the SHA-256"));  // the config
}

TEST(ImageTest, RealImagesPass) {
  const char* given = std::getenv("SLIPWAY_DATA");
  const std::filesystem::path data = given != nullptr ? given : SLIPWAY_TEST_DATA;
  const auto file = data / "images" / "alpine-310.docker-save.tar.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "there is no " << file;
  std::stringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  const auto seen = survey_bytes(bytes.str());
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->kind, ImageKind::kDockerSave);
  EXPECT_EQ(seen->layers.size(), 1);
  EXPECT_EQ(finding_list(*seen), "");
  EXPECT_THAT(contents(bytes.str(), *seen)["etc/alpine-release"], HasSubstr("3.10"));
}

}  // namespace
}  // namespace slipway::archive
