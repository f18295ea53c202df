#include "scan/inventory_json.h"

#include <gtest/gtest.h>

namespace slipway::scan {
namespace {

Inventory sample() {
  return {
      .distribution = Distribution{.id = "debian", .version = "12", .codename = "bookworm", .name = "Debian \"12\""},
      .packages = {{.type = PackageType::kDeb,
                    .name = "libssl3",
                    .version = "3.0.11-1",
                    .source = "openssl",
                    .source_version = "3.0.11",
                    .architecture = "amd64",
                    .licence = "Apache-2.0",
                    .path = "var/lib/dpkg/status",
                    .layer = 2,
                    .owner = ""},
                   {.type = PackageType::kPypi, .name = "six", .version = "1", .path = "p", .owner = "python3-six"}},
      .unread = {{"var/lib/rpm/Packages", "it is\tbroken"}},
      .layers = {{"sha256:1", "sha256:2"}, {}}};
}

TEST(InventoryJson, GivesBackWhatWasPutIn) {
  EXPECT_EQ(inventory_from_json(to_json(sample())).value(), sample());
  EXPECT_EQ(inventory_from_json(to_json(Inventory{})).value(), Inventory{});
}

TEST(InventoryJson, MayBeWrittenWithSomeOfItsPackages) {
  const auto whole = sample();
  const auto part = inventory_from_json(to_json(whole, std::span(whole.packages).first(1))).value();
  EXPECT_EQ(part.packages.size(), 1U);
  EXPECT_EQ(part.distribution, whole.distribution);
}

TEST(InventoryJson, OfAnotherVersionOrShapeIsRefused) {
  EXPECT_EQ(inventory_from_json(R"({"version": 1})").error().kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(inventory_from_json("{}").error().kind(), ErrorKind::kUnsupported);
  for (const auto* bad : {"", "nope", R"({"version":2,"packages":[["deb"]]})", R"({"version":2,"layers":[1]})",
                          R"({"version":2,"packages":[["elf","a","1","","","","","",0,""]]})",
                          R"({"version":2,"packages":[["deb","a","1","","","","","",-1,""]]})",
                          R"({"version":2,"packages":[["deb",5,"1","","","","","",0,""]]})"}) {
    const auto read = inventory_from_json(bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_EQ(read.error().kind(), ErrorKind::kCorrupt) << bad;
  }
}

}  // namespace
}  // namespace slipway::scan
