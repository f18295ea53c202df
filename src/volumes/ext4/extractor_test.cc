#include "volumes/ext4/extractor.h"

#include <fstream>
#include <stop_token>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sys/fault.h"
#include "volumes/testing/ext4_volume.h"
#include "volumes/testing/extractor_program.h"

namespace slipway::volumes::ext4 {
namespace {

using archive::small_rootfs;
using archive::TarBuilder;
using ::testing::HasSubstr;

class ExtractorTest : public ::testing::Test {
 protected:
  archive::ImageFile image(const std::string& bytes) {
    std::ofstream(dir_.file("image.tar"), std::ios::binary) << bytes;
    auto opened = archive::open_image_file(dir_.file("image.tar"));
    if (!opened) throw std::runtime_error(opened.error().message());
    return std::move(*opened);
  }

  Result<Filled> extract(const std::string& bytes, const archive::Policy& policy = archive::standard_policy()) {
    return extractor_.extract(image(bytes), policy, volume_.target(), test_options(), {}, {});
  }

  sys::TempDir dir_;
  TestVolume volume_;
  Extractor extractor_{test_extractor()};
};

TEST_F(ExtractorTest, AChildFillsTheVolumeAsThisProcessWould) {
  const TarBuilder tar = small_rootfs().file("usr/large", bytes(9 << 20)).symlink("usr/link", std::string(99, 'l'));
  const auto filled = extract(tar.finish());
  ASSERT_TRUE(filled) << filled.error().message();
  TestVolume here;
  const auto same = here.fill(tar);
  ASSERT_TRUE(same);
  EXPECT_EQ(filled->counts, same->counts);
  EXPECT_EQ(filled->written, same->written);
  EXPECT_EQ(volume_.read().at("rootfs/usr/large").sha256, here.read().at("rootfs/usr/large").sha256);
  EXPECT_CLEAN(volume_);
}

TEST_F(ExtractorTest, AChildFillsALitteredVolume) {
  volume_.litter();
  const auto filled = extract(small_rootfs().finish());
  ASSERT_TRUE(filled) << filled.error().message();
  EXPECT_CLEAN(volume_);
}

TEST_F(ExtractorTest, AChildLooksAtTheVolume) {
  const auto filled = extract(small_rootfs().file("usr/a", "b").finish());
  ASSERT_TRUE(filled) << filled.error().message();
  const auto seen = extractor_.look(volume_.target().fd, volume_.target().size, {}, {});
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->counts, filled->counts);
  ASSERT_TRUE(seen->etc);
  EXPECT_TRUE(seen->etc->folder);
  EXPECT_EQ(seen->rootfs->mode, 0755);
}

TEST_F(ExtractorTest, ADamagedVolumeIsTheChildsVerdict) {
  const auto seen = extractor_.look(volume_.target().fd, volume_.target().size, {}, {});
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().kind(), ErrorKind::kCorrupt);
}

TEST_F(ExtractorTest, ThePolicyIsAppliedAgain) {
  const auto refused = extract(small_rootfs().file("../escape", "x").finish());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kRejected);
  EXPECT_THAT(refused.error().message(), HasSubstr("image.tar"));
  EXPECT_THAT(refused.error().message(), HasSubstr("escape"));
}

TEST_F(ExtractorTest, AVolumeThatIsTooSmallIsSaidToBe) {
  const TestVolume small(kLeastVolume);
  const auto filled = extractor_.extract(image(small_rootfs().file("usr/large", bytes(9 << 20)).finish()),
                                         archive::standard_policy(), small.target(), test_options(), {}, {});
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().kind(), ErrorKind::kNoSpace);
  EXPECT_THAT(filled.error().hint(), HasSubstr("larger"));
}

TEST_F(ExtractorTest, AChildThatCrashesIsTheImagesFault) {
  const Extractor crashing(test_extractor("crash"));
  const auto filled = crashing.extract(image(small_rootfs().finish()), archive::standard_policy(), volume_.target(),
                                       test_options(), {}, {});
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().kind(), ErrorKind::kCorrupt);
}

TEST_F(ExtractorTest, AStopEndsIt) {
  const Extractor hanging(test_extractor("hang"));
  std::stop_source stop;
  const std::jthread stopper([&] { stop.request_stop(); });
  const auto filled = hanging.extract(image(small_rootfs().finish()), archive::standard_policy(), volume_.target(),
                                      test_options(), {}, stop.get_token());
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().kind(), ErrorKind::kCancelled);
}

TEST_F(ExtractorTest, ASyncThatFailsIsAFailure) {
  const fault::Scope fails("volumes.ext4.sync", {.times = 1});
  const auto filled = extract(small_rootfs().finish());
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().kind(), ErrorKind::kIo);
}

TEST_F(ExtractorTest, ProgressTellsTheBytesOfContent) {
  FillOptions options = test_options();
  std::uint64_t last = 0;
  std::uint64_t most = 0;
  options.progress = [&](std::uint64_t written, std::uint64_t of) {
    EXPECT_GE(written, last);
    EXPECT_LE(written, of);
    last = written;
    most = of;
  };
  const auto filled = extractor_.extract(image(small_rootfs().file("usr/large", bytes(5 << 20)).finish()),
                                         archive::standard_policy(), volume_.target(), options, {}, {});
  ASSERT_TRUE(filled) << filled.error().message();
  EXPECT_GT(last, 3 << 20);
  EXPECT_EQ(most, filled->counts.bytes);
}

}  // namespace
}  // namespace slipway::volumes::ext4
