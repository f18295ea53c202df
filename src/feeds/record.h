// One thing that a feed tells of, as it is stored: what all kinds have in common, and its kind's own columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "feeds/urn.h"

namespace slipway::feeds {

// Whether its publisher stands by it. The names are on disk.
enum class Standing : std::uint8_t {
  kLive,
  kDraft,
  kDeprecated,
  kRevoked,
  kRejected,   // a CVE that is none
  kWithdrawn,  // an advisory taken back
};

[[nodiscard]] std::string_view to_string(Standing standing);
[[nodiscard]] std::optional<Standing> parse_standing(std::string_view name);

// From the record that has it to another one, which need not be known (yet).
struct Link {
  std::string relation{};  // "weakness", "pattern", "mitigates", ...: docs/feeds.md lists them
  Urn target{};

  friend bool operator==(const Link&, const Link&) = default;
};

// What each kind has for itself, in a table of that name. `body` is a JSON object with what is shown but not searched
// for; docs/feeds.md has its members for each kind, and the values of `category`.
struct Cve {
  std::optional<TimePoint> published{};
  std::optional<TimePoint> modified{};
  std::optional<double> score{};  // the best CVSS there is: newest version, the publisher's own before others'
  std::string vector{};
  std::string body{};
};
struct Cwe {
  std::string category{};  // weakness, category, view
  std::string body{};
};
struct Capec {
  std::string category{};  // pattern, category, view
  std::string severity{};
  std::string body{};
};
struct Attack {
  std::string category{};  // technique, tactic, mitigation, group, software, ...
  std::string body{};
};
struct Ssg {
  std::string category{};  // benchmark, group, profile, rule
  std::string severity{};
  std::string body{};
};
struct Asvs {
  std::string category{};  // chapter, section, requirement
  std::int64_t level = 0;  // the least at which a requirement must be met, 1 to 3; 0: none
  std::string body{};
};
struct Cce {
  std::string platform{};
  std::string body{};
};

// One package that an advisory is about. `ecosystem` is as OSV has it ("PyPI", "Debian:12", "Alpine:v3.18"), and both
// names are those that are asked for: package_names.h.
struct Affected {
  std::string ecosystem{};
  std::string package{};  // the source package, for distributions
  std::string status{};   // affected (by its ranges), fixed, open, not-affected, end-of-life, undetermined
  std::string fixed{};    // the first version without it; empty: none is known
  std::string urgency{};  // how bad it is for this package, in a word ("high", "not yet assigned"); may be empty
  std::string ranges{};   // JSON: {"ranges": [...], "versions": [...]} as OSV has them; empty: `fixed` says it all

  friend bool operator==(const Affected&, const Affected&) = default;
};
struct Advisory {
  std::optional<TimePoint> published{};
  std::optional<TimePoint> modified{};
  std::optional<double> score{};
  std::string vector{};
  std::string body{};
  std::vector<Affected> affected{};
};

using Details = std::variant<Cve, Cwe, Capec, Attack, Ssg, Asvs, Cce, Advisory>;

struct Record {
  Urn urn{};
  std::string title{};
  std::string description{};
  Standing standing = Standing::kLive;
  std::vector<Link> links{};  // instead of those that it had before
  Details details{};
};

}  // namespace slipway::feeds
