// What can be said without device-mapper; tests/vm has the rest.
#include "volumes/thin/thin_pool.h"

#include <gmock/gmock.h>

#include "sys/testing/temp_dir.h"
#include "volumes/thin/device_mapper.h"
#include "volumes/thin/pool_setup.h"

namespace slipway::volumes {
namespace {

using testing::AnyOf;
using testing::Not;

TEST(ThinPool, WithoutDeviceMapperItSaysSoAndWhatToDo) {
  if (dm::check_available()) GTEST_SKIP() << "there is a device mapper here";
  testing::internal::CaptureStderr();
  const auto opened = ThinPool::open({.name = "images"});
  const sys::TempDir dir;
  const auto made =
      create_thin_pool({.place = {"images", dir.file("data"), dir.file("metadata")}, .data_size = 64ULL << 20});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().kind(), AnyOf(ErrorKind::kUnsupported, ErrorKind::kPermission));
  EXPECT_THAT(opened.error().hint(), Not(""));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind(), opened.error().kind());
  EXPECT_FALSE(std::filesystem::exists(dir.file("data")));
}

TEST(ThinPool, NamesThatCannotBeAreRefused) {
  for (const auto& name : {std::string(), std::string("a/b"), std::string("x-of"), std::string(65, 'x')}) {
    EXPECT_EQ(ThinPool::open({.name = name}).error().kind(), ErrorKind::kInvalid) << name;
    EXPECT_EQ(check_pool_name(name).error().kind(), ErrorKind::kInvalid) << name;
  }
  EXPECT_TRUE(check_pool_name("slipway-images_1"));
}

TEST(ThinPool, RequestsWithoutDeviceMapperFailAndDoNotCrash) {
  if (dm::check_available()) GTEST_SKIP() << "there is a device mapper here";
  EXPECT_FALSE(dm::names());
  EXPECT_FALSE(dm::info("none"));
  EXPECT_FALSE(dm::look("none"));
  EXPECT_FALSE(dm::create("none", "SLIPWAY-none-1"));
  EXPECT_FALSE(dm::load("none", {8, "thin", "0:0 1"}));
  EXPECT_FALSE(dm::resume("none"));
  EXPECT_FALSE(dm::suspend("none", dm::Flush::kNo));
  EXPECT_FALSE(dm::message("none", "create_thin 1"));
}

}  // namespace
}  // namespace slipway::volumes
