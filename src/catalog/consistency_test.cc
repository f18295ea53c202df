#include "catalog/consistency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/testing/catalog_fixture.h"

namespace slipway::catalog {
namespace {

struct Broken {
  const char* rule;
  const char* sql;
  const char* words;
};

class ConsistencyTest : public CatalogTest, public ::testing::WithParamInterface<Broken> {
 protected:
  void SetUp() override {
    unpack("a", 7);
    activate("a", 7, 8, "snap");
    unpack("b", 17);
    ASSERT_EQ(breaches(*catalog_), "");
  }
  void TearDown() override {}
};

TEST_P(ConsistencyTest, IsFoundAndNamed) {
  force(GetParam().sql);
  const auto found = catalog_->check_consistency();
  ASSERT_TRUE(found) << found.error().message();
  bool named = false;
  for (const auto& breach : *found) {
    if (breach.rule != GetParam().rule) continue;
    named = true;
    EXPECT_THAT(breach.sentence, ::testing::HasSubstr(GetParam().words));
  }
  EXPECT_TRUE(named) << breaches(*catalog_);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, ConsistencyTest,
    ::testing::Values(
        Broken{"unpacked-needs-download", "UPDATE images SET download_status = 'failed' WHERE image_id = 'b'",
               "image b is unpacked, but its download is failed"},
        Broken{"snapshot-needs-volume", "UPDATE unpacked_images SET layout_verified = 0 WHERE image_id = 'a'",
               "snapshot snap stands on a volume of image a whose layout is not verified"},
        Broken{"snapshot-needs-volume", "DELETE FROM unpacked_images WHERE image_id = 'a'", "that is not there"},
        Broken{"snapshot-origin", "UPDATE snapshots SET origin_device_id = 17", "stands on device 17"},
        Broken{"active-needs-snapshot", "UPDATE snapshots SET active = 0", "image a is active, but"},
        Broken{"snapshot-needs-active", "UPDATE images SET activation_status = 'inactive'", "image a has an active"},
        Broken{"completed-needs-checksum", "UPDATE images SET checksum = NULL WHERE image_id = 'b'", "image b"},
        Broken{"volume-needs-reservation", "DELETE FROM id_reservations WHERE device_id = 17", "device 17"},
        Broken{"snapshot-needs-reservation", "DELETE FROM id_reservations WHERE device_id = 8", "snap is device 8"},
        Broken{"foreign-key", "DELETE FROM images WHERE image_id = 'b'", "points to a row of images that is not there"},
        Broken{"ledger", "DELETE FROM schema_migrations WHERE version = 2", "versions 1 to 6"},
        Broken{"integrity",
               "PRAGMA ignore_check_constraints = ON; UPDATE images SET size_bytes = -1 WHERE image_id = 'b'",
               "CHECK constraint failed in images"}),
    [](const auto& test) {
      std::string name = fmt::format("{}_{}", test.param.rule, test.index);
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace slipway::catalog
