#include "scan/reports/spdx_licences.h"

#include <gtest/gtest.h>

namespace slipway::scan {
namespace {

TEST(SpdxLicencesTest, IdsAreKnownExactly) {
  EXPECT_TRUE(is_spdx_licence("MIT"));
  EXPECT_TRUE(is_spdx_licence("GPL-2.0"));  // deprecated, and still stated
  EXPECT_FALSE(is_spdx_licence("mit"));
  EXPECT_FALSE(is_spdx_licence("GPLv3+"));
  EXPECT_FALSE(is_spdx_licence(""));
  EXPECT_FALSE(is_spdx_licence("Classpath-exception-2.0"));
  EXPECT_TRUE(is_spdx_exception("Classpath-exception-2.0"));
}

TEST(SpdxLicencesTest, ExpressionsAreJudgedByTheirGrammar) {
  for (const auto* const text : {"MIT", "GPL-2.0+", "MIT OR Apache-2.0", "GPL-2.0-only WITH Classpath-exception-2.0",
                                 "(MIT OR Apache-2.0) AND BSD-3-Clause", "((MIT))", " MIT ", "MIT AND(ISC)"}) {
    EXPECT_TRUE(is_spdx_expression(text)) << text;
  }
  for (const auto* const text :
       {"", " ", "MIT AND", "OR MIT", "MIT MIT", "MIT Apache-2.0", "(MIT", "MIT)", "()", "MIT WITH", "MIT WITH ISC",
        "MIT or ISC", "GPL and MIT", "LicenseRef-x", "MIT WITH (Classpath-exception-2.0)", "MIT/ISC", "(MIT OR) ISC"}) {
    EXPECT_FALSE(is_spdx_expression(text)) << text;
  }
  EXPECT_FALSE(is_spdx_expression(std::string(1'000'000, '(')));
}

}  // namespace
}  // namespace slipway::scan
