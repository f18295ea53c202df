#include "catalog/identity.h"

#include <gtest/gtest.h>

#include "base/digest.h"

namespace slipway::catalog {
namespace {

TEST(IdentityTest, IdsCannotLeaveAFolderNorLookLikeAnOption) {
  for (const char* good : {"a", "alpine-3.19_x86", "A.b", "0"}) EXPECT_TRUE(check_image_id(good)) << good;
  EXPECT_TRUE(check_image_id(std::string(128, 'a')));
  for (const char* bad : {"", ".", "..", ".hidden", "-rf", "a/b", "../a", "a b", "a\n", "\x1b[31m", "é"}) {
    EXPECT_FALSE(check_image_id(bad)) << bad;
    EXPECT_FALSE(check_snapshot_name(bad)) << bad;
  }
  EXPECT_FALSE(check_image_id(std::string(129, 'a')));
  EXPECT_FALSE(check_image_id(std::string_view("a\0b", 3)));
  EXPECT_EQ(check_image_id("\x1b[31m").error().message(), "\"?[31m\" is not an image id");
}

TEST(IdentityTest, DerivedIdsAreReadableValidAndOfBucketAndKey) {
  const auto id = derive_image_id("bucket", "images/alpine 3.tar.gz");
  EXPECT_TRUE(id.starts_with("alpine-3-")) << id;
  EXPECT_EQ(id, derive_image_id("bucket", "images/alpine 3.tar.gz"));
  EXPECT_NE(id, derive_image_id("bucket", "other/alpine 3.tar.gz"));
  EXPECT_NE(derive_image_id("ab", "c"), derive_image_id("a", "bc"));
  const std::string longest(1024, 'k');
  for (const std::string& key : std::vector<std::string>{"-", "...", "a/..", "\xff\xfe", "日本", longest, "x/-rf"}) {
    EXPECT_TRUE(check_image_id(derive_image_id("b", key))) << derive_image_id("b", key);
  }
}

TEST(IdentityTest, NamesAndFirstIdsFollowFromTheImageId) {
  EXPECT_EQ(volume_name("alpine"), "thin-" + sha256_hex("alpine").substr(0, 8));
  EXPECT_EQ(default_snapshot_name("alpine"), "snap-alpine");
  EXPECT_EQ(fmt::format("{:06x}", first_volume_id("alpine").value), sha256_hex("alpine").substr(0, 6));
  EXPECT_NE(first_snapshot_id("alpine", "a"), first_snapshot_id("alpine", "b"));
  EXPECT_NE(first_snapshot_id("alpine", "a"), first_volume_id("alpine"));
}

}  // namespace
}  // namespace slipway::catalog
