// One pair of functions for each scheme; compare_versions and is_version choose among them. Nothing is given the empty
// text: it is a version nowhere.
#pragma once

#include <compare>
#include <optional>
#include <string_view>

namespace slipway::scan::versions {

[[nodiscard]] bool is_dpkg(std::string_view text);
[[nodiscard]] std::optional<std::strong_ordering> compare_dpkg(std::string_view a, std::string_view b);

[[nodiscard]] bool is_apk(std::string_view text);
[[nodiscard]] std::strong_ordering compare_apk(std::string_view a, std::string_view b);

[[nodiscard]] bool is_rpm(std::string_view text);
[[nodiscard]] std::strong_ordering compare_rpm(std::string_view a, std::string_view b);

[[nodiscard]] bool is_semver(std::string_view text);
[[nodiscard]] std::optional<std::strong_ordering> compare_semver(std::string_view a, std::string_view b);

[[nodiscard]] bool is_pep440(std::string_view text);
[[nodiscard]] std::strong_ordering compare_pep440(std::string_view a, std::string_view b);
// Of two that are no versions by PEP 440: as setuptools ordered them before it.
[[nodiscard]] std::strong_ordering compare_pep440_legacy(std::string_view a, std::string_view b);

[[nodiscard]] bool is_maven(std::string_view text);
[[nodiscard]] std::strong_ordering compare_maven(std::string_view a, std::string_view b);

[[nodiscard]] bool is_go(std::string_view text);
[[nodiscard]] std::optional<std::strong_ordering> compare_go(std::string_view a, std::string_view b);

[[nodiscard]] bool is_rubygems(std::string_view text);
[[nodiscard]] std::optional<std::strong_ordering> compare_rubygems(std::string_view a, std::string_view b);
// "~> base": not older than it, and of the same release but for its last number. None: one of them is no version.
[[nodiscard]] std::optional<bool> rubygems_pessimistic(std::string_view base, std::string_view version);

[[nodiscard]] bool is_packagist(std::string_view text);
[[nodiscard]] std::strong_ordering compare_packagist(std::string_view a, std::string_view b);

}  // namespace slipway::scan::versions
