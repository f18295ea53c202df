// Which texts name a licence by the rules of SPDX (Annex D of its specification).
#pragma once

#include <string_view>

namespace slipway::scan {

// Spelt exactly as on the list: "MIT", "GPL-2.0-only".
[[nodiscard]] bool is_spdx_licence(std::string_view id);
[[nodiscard]] bool is_spdx_exception(std::string_view id);

// "MIT", "GPL-2.0+ WITH Classpath-exception-2.0", "(MIT OR Apache-2.0) AND BSD-3-Clause". Not one with a LicenseRef:
// what that is must be said elsewhere.
[[nodiscard]] bool is_spdx_expression(std::string_view text);

}  // namespace slipway::scan
