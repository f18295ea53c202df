#include "feeds/record.h"

#include "feeds/names.h"

namespace slipway::feeds {
namespace {

constexpr std::pair<Standing, std::string_view> kStandings[] = {
    {Standing::kLive, "live"},       {Standing::kDraft, "draft"},       {Standing::kDeprecated, "deprecated"},
    {Standing::kRevoked, "revoked"}, {Standing::kRejected, "rejected"}, {Standing::kWithdrawn, "withdrawn"},
};

}  // namespace

std::string_view to_string(Standing standing) { return name_of<Standing>(kStandings, standing); }
std::optional<Standing> parse_standing(std::string_view name) { return value_of<Standing>(kStandings, name); }

}  // namespace slipway::feeds
