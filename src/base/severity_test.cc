#include "base/severity.h"

#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(Severity, IsOrderedAndItsNamesGoBothWays) {
  EXPECT_LT(Severity::kUnknown, Severity::kNegligible);
  EXPECT_LT(Severity::kHigh, Severity::kCritical);
  for (int i = 0; i < 6; ++i) {
    const auto value = static_cast<Severity>(i);
    EXPECT_EQ(parse_severity(to_string(value)), value);
  }
  EXPECT_EQ(parse_severity("HIGH"), std::nullopt);
}

}  // namespace
}  // namespace slipway
