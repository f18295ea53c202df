#include "feeds/cvss/metrics.h"

#include <bitset>
#include <optional>

namespace slipway::feeds::cvss {
namespace {

std::optional<std::size_t> find_metric(std::span<const Metric> table, std::string_view name) {
  for (std::size_t at = 0; at < table.size(); ++at) {
    if (table[at].name == name) return at;
  }
  return std::nullopt;
}

// The place of `wanted` among the words of `values`.
std::optional<std::uint8_t> find_value(std::string_view values, std::string_view wanted) {
  for (std::uint8_t at = 0; !values.empty(); ++at) {
    const auto word = values.substr(0, values.find(' '));
    if (word == wanted) return at;
    values.remove_prefix(word.size() < values.size() ? word.size() + 1 : word.size());
  }
  return std::nullopt;
}

}  // namespace

Result<Values> parse_metrics(std::string_view vector, std::string_view metrics, std::span<const Metric> table) {
  Values values{};
  std::bitset<kMostMetrics> given;
  for (auto rest = metrics;;) {
    const auto part = rest.substr(0, rest.find('/'));
    const auto colon = part.find(':');
    if (colon == std::string_view::npos) {
      return fail(ErrorKind::kInvalid, "CVSS vector {:?}: {:?} is no metric with a value, as AV:N is one", vector,
                  part);
    }
    const auto name = part.substr(0, colon);
    const auto value = part.substr(colon + 1);
    const auto at = find_metric(table, name);
    if (!at) return fail(ErrorKind::kInvalid, "CVSS vector {:?}: its version has no metric {:?}", vector, name);
    const auto place = find_value(table[*at].values, value);
    if (!place) {
      return fail(ErrorKind::kInvalid, "CVSS vector {:?}: metric {} is {:?}, but must be one of {}", vector, name,
                  value, table[*at].values);
    }
    if (given.test(*at)) {
      return fail(ErrorKind::kInvalid, "CVSS vector {:?}: metric {} is given twice", vector, name);
    }
    given.set(*at);
    values[*at] = *place;
    if (part.size() == rest.size()) break;
    rest.remove_prefix(part.size() + 1);
  }
  for (std::size_t at = 0; at < table.size(); ++at) {
    if (table[at].mandatory && !given.test(at)) {
      return fail(ErrorKind::kInvalid, "CVSS vector {:?}: metric {} is missing, and a base score needs it", vector,
                  table[at].name);
    }
  }
  return values;
}

}  // namespace slipway::feeds::cvss
