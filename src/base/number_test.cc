#include "base/number.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(NumberTest, IsTheWholeText) {
  EXPECT_EQ(parse_number<int>("-12"), -12);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_number<unsigned>("ff", 16), 255U);
  for (const auto* text : {"", " 1", "1 ", "+1", "1x", "0x1", "1.0"})
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
}

TEST(NumberTest, WhatDoesNotFitIsNone) {
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint64_t>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint16_t>("65536"), std::nullopt);
}

}  // namespace
}  // namespace slipway
