#include "scan/policy/purl_match.h"

#include <string>

#include <gtest/gtest.h>

namespace slipway::scan {
namespace {

bool covered(std::string_view stated, std::string_view actual) {
  const auto a = split_purl(stated);
  const auto b = split_purl(actual);
  EXPECT_TRUE(a) << stated;
  EXPECT_TRUE(b) << actual;
  return a && b && covers(*a, *b);
}

TEST(PurlMatchTest, IsTakenApartAndDecoded) {
  const auto parts = split_purl("pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=amd64&distro=debian-12#a/b");
  ASSERT_TRUE(parts);
  EXPECT_EQ(*parts, (PurlParts{.type = "deb",
                               .space = "debian",
                               .name = "libstdc++6",
                               .version = "12.2.0-14+deb12u1",
                               .qualifiers = {{"arch", "amd64"}, {"distro", "debian-12"}}}));
}

TEST(PurlMatchTest, NamespacesMayHavePartsOrBeMissing) {
  EXPECT_EQ(split_purl("pkg:golang/github.com/gorilla/mux@v1.8.0")->space, "github.com/gorilla");
  EXPECT_EQ(split_purl("pkg:golang/github.com/gorilla/mux@v1.8.0")->version, "1.8.0");
  EXPECT_EQ(split_purl("pkg:cargo/serde")->space, "");
  EXPECT_EQ(split_purl("pkg:cargo/serde")->version, "");
  EXPECT_EQ(split_purl("pkg:npm/%40babel/core@7.0.0"), split_purl("pkg:npm/@babel/core@7.0.0"));
  EXPECT_EQ(split_purl("pkg:npm/@babel/core")->space, "@babel");
  EXPECT_EQ(split_purl("pkg:npm/@babel")->name, "@babel");
  EXPECT_EQ(split_purl("PKG://NPM/left-pad@1.3.0"), split_purl("pkg:npm/left-pad@1.3.0"));
  EXPECT_EQ(split_purl("pkg:oci/app@sha256:ab12")->version, "sha256:ab12");
  EXPECT_EQ(split_purl("pkg:deb/debian/a@1/2")->version, "1/2");
}

TEST(PurlMatchTest, WhatIsNoneIsNone) {
  for (const char* text : {"", "pkg:", "pkg:npm", "pkg:npm/", "npm/left-pad", "pkg:/npm", "pkg:npm/a%2", "pkg:npm/a%zz",
                           "pkg:npm/a@%", "pkg:npm/a?x=%f", "pkg:npm/%/a", "https://example.org/a", "pkg:////"}) {
    EXPECT_EQ(split_purl(text), std::nullopt) << text;
  }
}

TEST(PurlMatchTest, WhatIsNotStatedMayBeAnything) {
  const std::string actual = "pkg:apk/alpine/openssl@1.1.1d-r0?arch=x86_64&distro=3.10";
  EXPECT_TRUE(covered("pkg:apk/alpine/openssl", actual));
  EXPECT_TRUE(covered("pkg:apk/alpine/openssl@1.1.1d-r0", actual));
  EXPECT_TRUE(covered("pkg:apk/alpine/openssl?distro=3.10", actual));
  EXPECT_TRUE(covered(actual, actual));
}

TEST(PurlMatchTest, WhatIsStatedMustBeEqual) {
  const std::string actual = "pkg:apk/alpine/openssl@1.1.1d-r0?arch=x86_64";
  EXPECT_FALSE(covered("pkg:apk/alpine/openssl@1.1.1d-r1", actual));
  EXPECT_FALSE(covered("pkg:apk/alpine/openssl?arch=aarch64", actual));
  EXPECT_FALSE(covered("pkg:apk/alpine/openssl?distro=3.10", actual));
  EXPECT_FALSE(covered("pkg:apk/wolfi/openssl", actual));
  EXPECT_FALSE(covered("pkg:apk/openssl", actual));
  EXPECT_FALSE(covered("pkg:deb/alpine/openssl", actual));
  EXPECT_FALSE(covered("pkg:apk/alpine/openssl-dev", actual));
  EXPECT_FALSE(covered(actual, "pkg:apk/alpine/openssl"));
}

TEST(PurlMatchTest, LettersAndMarksCountAsTheTypeHasThem) {
  EXPECT_TRUE(covered("pkg:pypi/Ruamel_Yaml@1.0", "pkg:pypi/ruamel.yaml@1.0"));
  EXPECT_TRUE(covered("pkg:golang/github.com/BurntSushi/toml@1.0.0", "pkg:golang/github.com/burntsushi/toml@v1.0.0"));
  EXPECT_FALSE(covered("pkg:npm/JSONStream", "pkg:npm/jsonstream"));
  EXPECT_FALSE(covered("pkg:maven/Org/a", "pkg:maven/org/a"));
}

}  // namespace
}  // namespace slipway::scan
