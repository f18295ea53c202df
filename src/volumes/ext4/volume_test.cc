// Volumes that are too small, littered, failing or changed by others; archives that are not what they were.
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/testing/survey_helpers.h"
#include "base/digest.h"
#include "sys/fault.h"
#include "sys/testing/command.h"
#include "volumes/ext4/fill.h"
#include "volumes/testing/ext4_volume.h"

namespace slipway::volumes::ext4 {
namespace {

using archive::MemoryFile;
using archive::small_rootfs;
using archive::TarBuilder;
using ::testing::HasSubstr;

TarBuilder some_image() {
  TarBuilder tar = small_rootfs();
  for (int i = 0; i < 300; ++i) {
    tar.file(fmt::format("usr/file-{}", i), bytes(static_cast<std::size_t>(i * 97), static_cast<std::uint32_t>(i)));
  }
  return tar.symlink("usr/link", std::string(90, 't')).pax({{"SCHILY.xattr.user.x", bytes(500)}}).folder("usr/folder");
}

std::string digest_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  Hasher sha(HashAlgorithm::kSha256);
  std::string piece(1U << 20U, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    sha.update(std::string_view(piece).substr(0, static_cast<std::size_t>(in.gcount())));
  }
  return to_hex(sha.finish());
}

TEST(VolumeTest, TheSameArchiveAndOptionsGiveTheSameBytes) {
  TestVolume one;
  TestVolume two;
  TestVolume other;
  ASSERT_TRUE(one.fill(some_image()));
  ASSERT_TRUE(two.fill(some_image()));
  FillOptions options = test_options();
  options.uuid[0] ^= 1U;
  ASSERT_TRUE(other.fill(some_image().finish(), options));
  EXPECT_EQ(digest_of(one.file()), digest_of(two.file()));
  EXPECT_NE(digest_of(one.file()), digest_of(other.file()));
}

TEST(VolumeTest, ALitteredVolumeBecomesAsGoodAsANewOne) {
  TestVolume fresh(160ULL << 20);
  TestVolume littered(160ULL << 20);
  littered.litter();
  const auto filled = littered.fill(some_image());
  ASSERT_TRUE(filled) << filled.error().message();
  ASSERT_TRUE(fresh.fill(some_image()));
  const Seen expected = fresh.read();
  const Seen seen = littered.read();
  ASSERT_EQ(seen.size(), expected.size());
  for (const auto& [path, inode] : expected) {
    EXPECT_EQ(seen.at(path).sha256, inode.sha256) << path;
    EXPECT_EQ(seen.at(path).xattrs, inode.xattrs) << path;
    EXPECT_EQ(seen.at(path).content, inode.content) << path;
  }
  EXPECT_CLEAN(littered);
}

TEST(VolumeTest, WhereNothingCanBePunchedZerosAreWritten) {
  TestVolume volume;
  volume.litter();
  const fault::Scope no_holes("volumes.ext4.zero", {.times = -1});
  const auto filled = volume.fill(some_image());
  ASSERT_TRUE(filled) << filled.error().message();
  EXPECT_GT(no_holes.acted(), 0);
  EXPECT_CLEAN(volume);
}

TEST(VolumeTest, AZeroedVolumeIsWrittenOnlyWhereThereIsSomething) {
  TestVolume volume(8ULL << 30);
  const auto filled = volume.fill(small_rootfs());
  ASSERT_TRUE(filled) << filled.error().message();
  EXPECT_LT(filled->written, 1ULL << 20);
  struct stat info{};
  ASSERT_EQ(::stat(volume.file().c_str(), &info), 0);
  EXPECT_LT(info.st_blocks * 512, 2 << 20);
  const std::string dumpe2fs = sys::find_program("dumpe2fs");
  if (dumpe2fs.empty()) GTEST_SKIP() << "there is no dumpe2fs";
  const std::string groups = sys::run_command({dumpe2fs, volume.file()});
  // No group is left for the kernel to initialise at the first mount.
  std::size_t count = 0;
  for (std::size_t at = groups.find("\nGroup "); at != std::string::npos; at = groups.find("\nGroup ", at + 1)) {
    const std::string line = groups.substr(at + 1, groups.find('\n', at + 1) - at - 1);
    if (line.starts_with("Group descriptor")) continue;
    EXPECT_THAT(line, HasSubstr("ITABLE_ZEROED"));
    ++count;
  }
  EXPECT_EQ(count, 64);
  for (const char* feature :
       {"has_journal", "ext_attr", "resize_inode", "dir_index", "filetype", "extent", "64bit", "flex_bg",
        "sparse_super", "large_file", "huge_file", "dir_nlink", "extra_isize", "metadata_csum"}) {
    EXPECT_THAT(groups, HasSubstr(std::string(" ") + feature));
  }
}

TEST(VolumeTest, AnyPlausibleSizeMakesASoundFileSystem) {
  const std::vector<std::uint64_t> sizes{
      kLeastVolume, kLeastVolume + 4095, 129ULL << 20, (128ULL << 20) + 4096 * 40, (1ULL << 30) + 12345, 40ULL << 30};
  for (const std::uint64_t size : sizes) {
    TestVolume volume(size);
    const auto filled = volume.fill(small_rootfs());
    ASSERT_TRUE(filled) << size << ": " << filled.error().message();
    EXPECT_EQ(volume.read().count("rootfs/etc"), 1) << size;
    EXPECT_CLEAN(volume);
  }
}

TEST(VolumeTest, TooSmallForAnyFileSystemIsInvalid) {
  TestVolume volume(kLeastVolume - 1);
  const auto filled = volume.fill(small_rootfs());
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().kind(), ErrorKind::kInvalid);
}

TEST(VolumeTest, TooSmallForTheImageHasNoSpaceAndSaysWhatToDo) {
  TestVolume volume(16ULL << 20);
  const auto filled = volume.fill(small_rootfs().file("usr/large", bytes(20 << 20)));
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().kind(), ErrorKind::kNoSpace);
  EXPECT_THAT(filled.error().message(), HasSubstr("usr/large"));
  EXPECT_THAT(filled.error().hint(), HasSubstr("larger"));
}

TEST(VolumeTest, TooManyFilesForTheVolumeHaveNoSpace) {
  TestVolume volume(kLeastVolume);
  TarBuilder tar = small_rootfs();
  for (int i = 0; i < 30'000; ++i) tar.header({.name = fmt::format("usr/{}", i)});
  const auto filled = volume.fill(tar);
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().kind(), ErrorKind::kNoSpace);
}

TEST(VolumeTest, ALabelThatIsTooLongIsInvalid) {
  TestVolume volume;
  FillOptions options = test_options();
  options.label = std::string(kMostLabel + 1, 'l');
  const auto filled = volume.fill(small_rootfs().finish(), options);
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().kind(), ErrorKind::kInvalid);
}

TEST(VolumeTest, EveryWriteThatFailsIsReported) {
  const std::string image = some_image().finish();
  int writes = 0;
  {
    TestVolume volume;
    const fault::Scope counting("volumes.ext4.write", {.times = -1, .action = fault::Action::kCall, .call = [] {}});
    ASSERT_TRUE(volume.fill(image));
    writes = counting.acted();
  }
  ASSERT_GT(writes, 5);
  for (int i = 0; i < writes; ++i) {
    TestVolume volume;
    SCOPED_TRACE(i);
    const fault::Scope full("volumes.ext4.write",
                            {.skip = i, .times = 1, .error = Error(ErrorKind::kNoSpace, "injected")});
    const auto filled = volume.fill(image);
    ASSERT_FALSE(filled) << i;
    EXPECT_EQ(filled.error().kind(), ErrorKind::kNoSpace) << i << ": " << filled.error().message();
    EXPECT_THAT(filled.error().hint(), HasSubstr("slipway rm")) << i;
  }
}

TEST(VolumeTest, ADescriptorThatCannotBeWrittenIsAnError) {
  TestVolume volume;
  const sys::Descriptor reading(::open(volume.file().c_str(), O_RDONLY | O_CLOEXEC));
  const MemoryFile file(small_rootfs().finish());
  const auto seen = archive::survey(file.input(), generous_policy());
  ASSERT_TRUE(seen);
  Target target = volume.target();
  target.fd = reading.get();
  const auto filled = fill(target, file.input(), *seen, test_options());
  ASSERT_FALSE(filled);
}

TEST(VolumeTest, AVolumeThatSomebodyCutsIsNoticed) {
  TestVolume volume;
  const fault::Scope cut("volumes.ext4.write", {.skip = 4, .times = 1, .action = fault::Action::kCall, .call = [&] {
                                                  ASSERT_EQ(::ftruncate(volume.target().fd, 4096), 0);
                                                }});
  const auto filled = volume.fill(some_image());
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().kind(), ErrorKind::kIo);
  EXPECT_EQ(cut.acted(), 1);
}

TEST(VolumeTest, AFileThatIsSmallerThanSaidIsNotFilled) {
  TestVolume volume(16ULL << 20);
  const MemoryFile file(small_rootfs().finish());
  const auto seen = archive::survey(file.input(), generous_policy());
  ASSERT_TRUE(seen);
  Target target = volume.target();
  target.size += 4096;
  const auto filled = fill(target, file.input(), *seen, test_options());
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().kind(), ErrorKind::kIo);
}

TEST(VolumeTest, AnArchiveThatIsNotTheSurveyedOneIsCorrupt) {
  const MemoryFile before(small_rootfs().file("usr/a", "one").file("usr/b", "two").finish());
  const auto seen = archive::survey(before.input(), generous_policy());
  ASSERT_TRUE(seen);
  for (const std::string& now :
       {small_rootfs().file("usr/a", "one").finish(),
        small_rootfs().file("usr/a", "longer").file("usr/b", "two").finish(),
        small_rootfs().file("usr/a", "one").symlink("usr/b", "a").finish(), std::string("x")}) {
    TestVolume volume;
    const MemoryFile after(now);
    const auto filled = fill(volume.target(), after.input(), *seen, test_options());
    ASSERT_FALSE(filled);
    EXPECT_EQ(filled.error().kind(), ErrorKind::kCorrupt) << filled.error().message();
  }
}

TEST(VolumeTest, ProgressGrowsToTheBytesOfAllFiles) {
  TestVolume volume;
  FillOptions options = test_options();
  std::uint64_t last = 0;
  std::uint64_t most = 0;
  options.progress = [&](std::uint64_t written, std::uint64_t of) {
    EXPECT_GT(written, last);
    last = written;
    most = of;
  };
  const auto filled = volume.fill(small_rootfs().file("usr/large", bytes(5 << 20)).finish(), options);
  ASSERT_TRUE(filled);
  EXPECT_GT(last, 3 << 20);
  EXPECT_EQ(most, filled->counts.bytes);
}

}  // namespace
}  // namespace slipway::volumes::ext4
