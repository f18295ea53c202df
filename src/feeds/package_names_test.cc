#include "feeds/package_names.h"

#include <gtest/gtest.h>

namespace slipway::feeds {
namespace {

TEST(PackageNamesTest, NamesOfPythonPackagesAreThoseOfPep503) {
  EXPECT_EQ(asked_name("PyPI", "Pillow"), "pillow");
  EXPECT_EQ(asked_name("PyPI", "jw.util"), "jw-util");
  EXPECT_EQ(asked_name("PyPI", "Zope_.-Interface"), "zope-interface");
  EXPECT_EQ(asked_name("PyPI", "django"), "django");
}

TEST(PackageNamesTest, NamesOfComposersPackagesAreInLowerCase) {
  EXPECT_EQ(asked_name("Packagist", "Drupal/Core_x.Y"), "drupal/core_x.y");
}

TEST(PackageNamesTest, OtherNamesAreAsTheyArePublished) {
  EXPECT_EQ(asked_name("Go", "github.com/BurntSushi/toml"), "github.com/BurntSushi/toml");
  EXPECT_EQ(asked_name("npm", "JSONStream"), "JSONStream");
  EXPECT_EQ(asked_name("Maven", "com.Ex:a_b"), "com.Ex:a_b");
  EXPECT_EQ(asked_name("Debian:12", "openssl"), "openssl");
}

TEST(PackageNamesTest, ARepositoryOfALanguageIsNotPartOfItsEcosystem) {
  EXPECT_EQ(asked_ecosystem("Maven:https://repo.example.org/"), "Maven");
  EXPECT_EQ(asked_ecosystem("Packagist:https://packages.drupal.org/8"), "Packagist");
  EXPECT_EQ(asked_ecosystem("npm"), "npm");
}

TEST(PackageNamesTest, TheReleaseOfADistributionIsPartOfItsEcosystem) {
  EXPECT_EQ(asked_ecosystem("Debian:12"), "Debian:12");
  EXPECT_EQ(asked_ecosystem("Ubuntu:22.04:LTS"), "Ubuntu:22.04:LTS");
  EXPECT_EQ(asked_ecosystem("Debian"), "Debian");
  EXPECT_EQ(asked_ecosystem(""), "");
}

}  // namespace
}  // namespace slipway::feeds
