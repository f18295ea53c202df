#include "feeds/provider.h"

#include <algorithm>

namespace slipway::feeds {
namespace {

bool is_id(const std::string& text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

}  // namespace

Result<> check_config(const ProviderConfig& config) {
  if (!is_id(config.id)) {
    return fail(ErrorKind::kInvalid, "\"{}\" as a provider's id: 1 to 64 lower-case letters, digits, - and _ make one",
                config.id);
  }
  const auto refuse = [&](std::string_view field, std::string_view rule) {
    return fail(ErrorKind::kInvalid, "provider {}: its {} {}", config.id, field, rule);
  };
  if (!is_id(config.type)) return refuse("type", "is missing, or is not a word in lower case");
  if (config.permits < 1) return refuse("permits", "are fewer than 1");
  if (config.batch_size < 1 || config.batch_size > 10'000) return refuse("batch size", "is not from 1 to 10,000");
  if (config.max_retries < 0) return refuse("max retries", "are negative");
  if (config.retry_delay < Duration::zero()) return refuse("retry delay", "is negative");
  if (config.max_bad_records < 0) return refuse("max bad records", "are negative");
  return {};
}

}  // namespace slipway::feeds
