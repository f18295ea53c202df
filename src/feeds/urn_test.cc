#include "feeds/urn.h"

#include <gtest/gtest.h>

namespace slipway::feeds {
namespace {

TEST(UrnTest, ItIsMadeOfItsPartsAndReadBack) {
  for (const char* text : {"v2e::nvd::cve::CVE-2024-12233", "v2e::mitre::cwe::CWE-79", "v2e::owasp::asvs::14.1",
                           "v2e::debian::advisory::a::b/';--", "v2e::osv::advisory::\xc3\xa4"}) {
    const auto urn = Urn::parse(text);
    ASSERT_TRUE(urn) << text;
    EXPECT_EQ(urn->text(), text);
    const auto again = Urn::make(urn->publisher(), urn->kind(), urn->id());
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, *urn);
  }
  const auto urn = Urn::make("nvd", "cve", "CVE-1999-0001").value();
  EXPECT_EQ(urn.publisher(), "nvd");
  EXPECT_EQ(urn.kind(), "cve");
  EXPECT_EQ(urn.id(), "CVE-1999-0001");
}

TEST(UrnTest, WhatIsNoneIsRefused) {
  const std::string too_long(Urn::kLongestId + 1, 'x');
  for (const std::string& text :
       {std::string(), std::string("CVE-2024-1"), std::string("v2e::nvd::cve"), std::string("v2e::nvd::cve::"),
        std::string("urn::nvd::cve::x"), std::string("v2e::NVD::cve::x"), std::string("v2e::::cve::x"),
        std::string("v2e::nvd::::x"), std::string("v2e::nvd::cve::a b"), std::string("v2e::nvd::cve::a\nb"),
        std::string("v2e::nvd::cve::a\0b", 18), "v2e::nvd::cve::" + too_long}) {
    const auto urn = Urn::parse(text);
    ASSERT_FALSE(urn) << text;
    EXPECT_EQ(urn.error().kind(), ErrorKind::kInvalid);
  }
}

TEST(UrnTest, OneThatNamesNothingIsEmpty) {
  const Urn urn;
  EXPECT_TRUE(urn.empty());
  EXPECT_EQ(urn.kind(), "");
  EXPECT_EQ(urn.id(), "");
}

}  // namespace
}  // namespace slipway::feeds
