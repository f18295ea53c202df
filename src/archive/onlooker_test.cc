// What one sees who looks on while an image is surveyed.
#include <array>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/image.h"
#include "archive/testing/survey_helpers.h"
#include "archive/testing/tar_builder.h"

namespace slipway::archive {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// Reads all that it is shown.
class Watcher : public Onlooker {
 public:
  void begin_again() override { seen.clear(); }
  [[nodiscard]] Result<> file(Origin place, std::string_view path, const Entry& entry, ByteSource& content) override {
    if (path == refused) return fail(ErrorKind::kCancelled, "enough");
    std::string text = fmt::format("{}: ", place.layer);
    for (;;) {
      const auto piece = content.next();
      if (!piece) return fail(piece.error());
      if (piece->empty()) break;
      text.append(reinterpret_cast<const char*>(piece->data()), piece->size());
    }
    EXPECT_EQ(text.size(), entry.size + 3);
    seen.emplace(path, text);
    return {};
  }

  std::multimap<std::string, std::string> seen;
  std::string refused;
};

Result<Survey> survey_watched(const std::string& bytes, Watcher& watcher) {
  const MemoryFile file(bytes);
  return survey(file.input(), standard_policy(), &watcher);
}

constexpr std::array kCompressions{Compression::kNone, Compression::kGzip, Compression::kZstd};

TEST(OnlookerTest, IsShownTheFilesOfAPlainImageAndTheTreeIsTheSame) {
  for (const auto compression : kCompressions) {
    const auto bytes = compress(compression, small_rootfs().file("./etc/x", "content").finish());
    Watcher watcher;
    const auto seen = survey_watched(bytes, watcher);
    ASSERT_TRUE(seen) << seen.error().message();
    EXPECT_EQ(listing(seen->tree), listing(survey_bytes(bytes)->tree));
    EXPECT_THAT(watcher.seen, ElementsAre(Pair("etc/hostname", "0: box\n"), Pair("etc/x", "0: content"),
                                          Pair("usr/bin/true", "0: #!")));
  }
}

TEST(OnlookerTest, NamesAreBelowTheRootOfAFolderImage) {
  Watcher watcher;
  const auto bytes =
      TarBuilder().folder("rootfs").file("rootfs/etc/x", "1").file("rootfs/manifest.json", "{}").finish();
  ASSERT_TRUE(survey_watched(bytes, watcher));
  EXPECT_THAT(watcher.seen, ElementsAre(Pair("etc/x", "0: 1"), Pair("manifest.json", "0: {}")));
}

TEST(OnlookerTest, AFolderThatOnlyLookedLikeTheRootIsBegunAgain) {
  Watcher watcher;
  ASSERT_TRUE(survey_watched(TarBuilder().file("rootfs/a", "1").file("etc/b", "2").finish(), watcher));
  EXPECT_THAT(watcher.seen, ElementsAre(Pair("etc/b", "0: 2"), Pair("rootfs/a", "0: 1")));
}

TEST(OnlookerTest, OfALayeredImageTheLayersFilesAreShownReplacedOnesToo) {
  for (const auto compression : kCompressions) {
    const auto lower = small_rootfs().file("etc/both", "lower").finish();
    const auto upper = TarBuilder().file("etc/both", "upper").file("etc/.wh.hostname", "").finish();
    Watcher watcher;
    const auto seen =
        survey_watched(docker_image({compress(compression, lower), compress(compression, upper)}), watcher);
    ASSERT_TRUE(seen) << seen.error().message();
    EXPECT_THAT(watcher.seen,
                ::testing::UnorderedElementsAre(Pair("etc/.wh.hostname", "1: "), Pair("etc/both", "0: lower"),
                                                Pair("etc/both", "1: upper"), Pair("etc/hostname", "0: box\n"),
                                                Pair("usr/bin/true", "0: #!")));
  }
}

TEST(OnlookerTest, AnArchiveThatServesAsSeveralLayersIsShownOnce) {
  const auto twice = TarBuilder().file("a", "content").finish();
  Watcher watcher;
  const auto seen = survey_watched(oci_image({small_rootfs().finish(), twice, twice}), watcher);
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(watcher.seen.count("a"), 1U);
  EXPECT_EQ(watcher.seen.find("a")->second, "1: content");
  EXPECT_THAT(seen->lowest_uses(), ElementsAre(0, 1, 1));
}

TEST(OnlookerTest, ItsErrorEndsTheSurvey) {
  Watcher watcher;
  watcher.refused = "etc/x";
  const auto seen = survey_watched(small_rootfs().file("etc/x", "1").finish(), watcher);
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().kind(), ErrorKind::kCancelled);
  EXPECT_THAT(seen.error().message(), HasSubstr("enough"));
}

TEST(OnlookerTest, WhatIsRefusedIsRefusedAllTheSame) {
  Watcher watcher;
  EXPECT_EQ(survey_watched(small_rootfs().file("../out", "x").finish(), watcher).error().kind(), ErrorKind::kRejected);
  auto cut = small_rootfs().file("etc/long", std::string(5'000, 'x')).finish();
  cut.resize(cut.size() / 2);
  EXPECT_EQ(survey_watched(cut, watcher).error().kind(), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace slipway::archive
