// What is looked up often is looked up through an index: the plans of the statements that the operations really use.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/images.h"
#include "catalog/locks.h"
#include "catalog/reservations.h"
#include "catalog/scans.h"
#include "catalog/snapshots.h"
#include "catalog/status.h"
#include "catalog/testing/catalog_fixture.h"
#include "catalog/volumes.h"
#include "store/pool.h"

namespace slipway::catalog {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Lookup {
  const char* name;
  std::function<bool(store::Connection&)> ask;
};

const Lookup kLookups[] = {
    {"image", [](auto& db) { return images::find(db, "a").has_value(); }},
    {"image_by_key", [](auto& db) { return images::find_by_key(db, "b", "k").has_value(); }},
    {"resolve", [](auto& db) { return !images::resolve(db, "x").has_value(); }},
    {"images", [](auto& db) { return images::list(db, {}, {}).has_value(); }},
    {"images_by_status", [](auto& db) { return images::list(db, DownloadStatus::kFailed, {}).has_value(); }},
    {"policy_findings", [](auto& db) { return images::policy_findings(db, "a").has_value(); }},
    {"volume", [](auto& db) { return volumes::find(db, "a").has_value(); }},
    {"volume_by_device", [](auto& db) { return volumes::find_by_device(db, "p", {1}).has_value(); }},
    {"snapshot", [](auto& db) { return snapshots::find(db, "s").has_value(); }},
    {"snapshot_by_device", [](auto& db) { return snapshots::find_by_device(db, "p", {1}).has_value(); }},
    {"snapshots_of_image", [](auto& db) { return snapshots::of_image(db, "a").has_value(); }},
    {"active_snapshots", [](auto& db) { return snapshots::list_active(db).has_value(); }},
    {"lock", [](auto& db) { return locks::find(db, "a").has_value(); }},
    {"old_locks", [](auto& db) { return locks::list(db, from_micros(1)).has_value(); }},
    {"scan", [](auto& db) { return scans::find(db, "a").has_value(); }},
    {"findings", [](auto& db) { return scans::findings(db, "a").has_value(); }},
    {"reserve",
     [](auto& db) {
       const auto at = from_micros(1);
       return reservations::reserve(db, {.pool = kPool, .image_id = "a", .start = {5}}, at).has_value() &&
              reservations::reserve(db, {.pool = kPool, .image_id = "b", .start = {5}}, at).has_value();
     }},
    {"release", [](auto& db) { return reservations::release(db, "p", {1}).has_value(); }},
    {"status", [](auto& db) { return status::of_image(db, "a").has_value(); }},
    {"status_list", [](auto& db) { return status::list(db, {}, {}).has_value(); }},
};

class PlanTest : public CatalogTest, public ::testing::WithParamInterface<Lookup> {};

TEST_P(PlanTest, UsesIndexes) {
  for (const char* id : {"a", "b"}) ASSERT_TRUE(catalog_->add_image(source_of(id)));
  store::Pool pool({.open = {.path = path_}}, clock_);
  auto lease = pool.acquire(store::Pool::Use::kWrite).value();
  ASSERT_TRUE(GetParam().ask(*lease));
  const auto texts = lease->texts();
  ASSERT_FALSE(texts.empty());
  for (const auto& sql : texts) {
    auto rows = lease->db().prepare("EXPLAIN QUERY PLAN " + sql).value();
    while (rows.step().value()) {
      EXPECT_THAT(std::string(rows.text(3)), Not(HasSubstr("SCAN"))) << sql;
      // Findings and snapshots of one image are few; what is sorted among all images is not.
      if (GetParam().name != std::string_view("status") && GetParam().name != std::string_view("snapshots_of_image")) {
        EXPECT_THAT(std::string(rows.text(3)), Not(HasSubstr("TEMP B-TREE"))) << sql;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lookups, PlanTest, ::testing::ValuesIn(kLookups),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace slipway::catalog
