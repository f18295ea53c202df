#include "pipeline/validation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/inspector_program.h"
#include "archive/testing/tar_builder.h"
#include "base/digest.h"
#include "sys/testing/temp_dir.h"

namespace slipway::pipeline {
namespace {

using ::testing::HasSubstr;

class ValidationTest : public ::testing::Test {
 protected:
  ValidationTest() { write("image.tar", image_); }

  void write(const std::string& name, const std::string& bytes) {
    std::ofstream(dir_.file(name), std::ios::binary) << bytes;
  }
  Result<Validated> validate(const std::function<void()>& meanwhile = {}, const std::string& how = {}) {
    ValidationRequest request{.file = dir_.file("image.tar"),
                              .sha256 = sha256_hex(image_),
                              .policy = archive::standard_policy(),
                              .inspect = {}};
    bool told = false;
    request.inspect.progress = [&](std::uint64_t done, std::uint64_t) {
      furthest_ = std::max(furthest_, done);
      if (meanwhile && !std::exchange(told, true)) meanwhile();
    };
    const archive::Inspector inspector(archive::test_inspector(how));
    return pipeline::validate(by(inspector), request, {});
  }
  ErrorKind failure(const std::function<void()>& meanwhile = {}, const std::string& how = {}) {
    const auto seen = validate(meanwhile, how);
    EXPECT_FALSE(seen);
    return seen ? ErrorKind::kInternal : seen.error().kind();
  }

  sys::TempDir dir_;
  std::string image_ = archive::small_rootfs().finish();
  std::uint64_t furthest_ = 0;  // that progress was told of
};

TEST_F(ValidationTest, ProgressGoesToTheEndOfTheFile) {
  ASSERT_TRUE(validate());
  EXPECT_EQ(furthest_, image_.size());
}

TEST_F(ValidationTest, SaysWhatTheFileIs) {
  const auto seen = validate();
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_EQ(seen->inspection.files, 2);
  EXPECT_EQ(seen->identity, *identify(dir_.file("image.tar")));
}

TEST_F(ValidationTest, AFileThatIsSwappedMeanwhileIsNotVouchedFor) {
  write("other.tar", archive::small_rootfs().file("etc/evil", "").finish());
  const auto swap = [&] { std::filesystem::rename(dir_.file("other.tar"), dir_.file("image.tar")); };
  EXPECT_EQ(failure(swap), ErrorKind::kConflict);
}

TEST_F(ValidationTest, AFileThatIsWrittenToMeanwhileIsNotCalledCorrupt) {
  const auto write_more = [&] { std::ofstream(dir_.file("image.tar"), std::ios::app) << "more"; };
  EXPECT_EQ(failure(write_more), ErrorKind::kConflict);
}

TEST_F(ValidationTest, AFileThatIsRemovedMeanwhileIsGone) {
  EXPECT_EQ(failure([&] { std::filesystem::remove(dir_.file("image.tar")); }), ErrorKind::kNotFound);
  EXPECT_EQ(failure(), ErrorKind::kNotFound);
}

TEST_F(ValidationTest, LinksAreNotFollowed) {
  std::filesystem::rename(dir_.file("image.tar"), dir_.file("real.tar"));
  std::filesystem::create_symlink("real.tar", dir_.file("image.tar"));
  EXPECT_EQ(failure(), ErrorKind::kInvalid);
}

TEST_F(ValidationTest, AnotherChecksumIsCorruption) {
  write("image.tar", archive::small_rootfs().file("etc/more", "").finish());
  const auto seen = validate();
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(seen.error().message(), HasSubstr("SHA-256"));
}

TEST_F(ValidationTest, OnlyADeathOfItsOwnMakingCondemnsTheFile) {
  EXPECT_EQ(failure({}, "crash"), ErrorKind::kCorrupt);
  EXPECT_EQ(failure({}, "killed"), ErrorKind::kUnavailable);
  EXPECT_EQ(failure({}, "terminated"), ErrorKind::kUnavailable);
}

}  // namespace
}  // namespace slipway::pipeline
