#include <gtest/gtest.h>

#include "catalog/testing/catalog_fixture.h"

namespace slipway::catalog {
namespace {

class PoolsTest : public CatalogTest {
 protected:
  void make_image(const std::string& image_id, std::uint32_t device, const std::string& snapshot) {
    ASSERT_TRUE(catalog_->store_image(downloaded(image_id)));
    ASSERT_TRUE(catalog_->store_volume(volume_of(image_id, device)));
    ASSERT_TRUE(catalog_->register_snapshot(snapshot_of(image_id, device, device + 1, snapshot)));
  }
};

TEST_F(PoolsTest, APoolIsKnownByItsNameUntilItIsForgotten) {
  EXPECT_FALSE(catalog_->find_pool("p").value());
  const ThinPool pool{.name = "p", .data_path = "/d", .metadata_path = "/m", .transaction_id = 3};
  ASSERT_TRUE(catalog_->store_pool(pool));
  reopen();
  EXPECT_EQ(catalog_->find_pool("p").value(), pool);
  EXPECT_FALSE(catalog_->find_pool("q").value());

  const ThinPool moved{.name = "p", .data_path = "/e", .metadata_path = "/n", .transaction_id = 4};
  ASSERT_TRUE(catalog_->store_pool(moved));
  EXPECT_EQ(catalog_->find_pool("p").value(), moved);
  ASSERT_TRUE(catalog_->forget_pool("p"));
  EXPECT_FALSE(catalog_->find_pool("p").value());
}

TEST_F(PoolsTest, AllThatIsRecordedInAPoolIsForgottenWithIt) {
  make_image("a", 10, "snap-a");
  make_image("b", 20, "snap-b");
  ASSERT_TRUE(catalog_->add_image(source_of("c")));
  ASSERT_TRUE(catalog_->reserve({.pool = kPool, .image_id = "c", .start = {30}}));
  const auto held = catalog_->pool_content(kPool).value();
  EXPECT_EQ(held.volumes, 2U);
  EXPECT_EQ(held.snapshots, 2U);
  EXPECT_EQ(held.active_snapshots, 2U);

  ASSERT_TRUE(catalog_->forget_pool("another"));
  EXPECT_EQ(catalog_->pool_content(kPool).value().volumes, 2U);
  ASSERT_TRUE(catalog_->forget_pool(kPool));
  EXPECT_EQ(catalog_->pool_content(kPool).value().volumes, 0U);
  EXPECT_TRUE(catalog_->list_snapshots().value().empty());
  EXPECT_TRUE(catalog_->list_reservations().value().empty());
  EXPECT_EQ(catalog_->get_image("a").value().activation_status, ActivationStatus::kInactive);
  EXPECT_EQ(catalog_->get_image("a").value().download_status, DownloadStatus::kCompleted);
}

TEST_F(PoolsTest, APoolHasAName) { EXPECT_FAILS(catalog_->store_pool({}), ErrorKind::kInvalid, "pool"); }

}  // namespace
}  // namespace slipway::catalog
