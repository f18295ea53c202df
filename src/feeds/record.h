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

// `body` is a JSON object with what is shown but not searched for; docs/feeds.md has its members for each kind.
struct Cve {
  std::optional<TimePoint> published{};
  std::optional<TimePoint> modified{};
  std::optional<double> score{};  // the best CVSS there is: newest version, the publisher's own before others'
  std::string vector{};
  std::string body{};
};
struct Weakness {
  std::string category{};  // weakness, category, view
  std::string body{};
};

using Details = std::variant<Cve, Weakness>;

struct Record {
  Urn urn{};
  std::string title{};
  std::string description{};
  Standing standing = Standing::kLive;
  std::vector<Link> links{};  // instead of those that it had before
  Details details{};
};

}  // namespace slipway::feeds
