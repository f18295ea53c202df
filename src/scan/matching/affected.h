// Does what an advisory says of a package hold for the version that is installed? Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "feeds/record.h"
#include "scan/finding.h"
#include "scan/versions/order.h"

namespace slipway::scan {

enum class Answer : std::uint8_t {
  kNo,
  kYes,
  kUnknown,  // a version cannot be compared
};

struct Applies {
  Answer answer = Answer::kNo;
  FixStatus status = FixStatus::kAffected;
  std::string fixed{};  // the first version without it; empty: none is known
};

// A distribution's word (fixed, open, not-affected, end-of-life, undetermined) or, of `affected`, OSV's ranges and
// versions.
[[nodiscard]] Applies applies(const feeds::Affected& said, VersionScheme scheme, std::string_view installed);

// The first version from `fixed` on that none of these says to be affected: one record's fix may be in another's range,
// or in another range of its own. Empty where one says so and knows only the last affected version. What knows of no
// end at all is not asked. `fixed` may be empty, and stays so.
[[nodiscard]] std::string first_unaffected(const std::vector<const feeds::Affected*>& said, VersionScheme scheme,
                                           std::string fixed);

// "low" of Debian's tracker, "MODERATE" of GitHub's advisories, in any case; none for a word that says nothing of how
// bad it is ("not yet assigned").
[[nodiscard]] std::optional<Severity> severity_of_word(std::string_view word);
// By the bands of the vector's version of CVSS, or of version 3 where there is only a score.
[[nodiscard]] std::optional<Severity> severity_of_score(std::optional<double> score, std::string_view vector);

}  // namespace slipway::scan
