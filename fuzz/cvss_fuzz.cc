// Whatever the bytes: score_cvss answers. What it accepts has scores of one decimal from 0 to 10 with their severity,
// and has the same ones with its metrics in the reverse order.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "feeds/cvss/cvss.h"

namespace {

bool is_score(double score) { return score >= 0 && score <= 10 && std::round(score * 10) / 10 == score; }

std::string reversed(std::string_view vector, bool has_prefix) {
  if (vector.starts_with('(')) vector = vector.substr(1, vector.size() - 2);
  const std::string_view prefix = has_prefix ? vector.substr(0, vector.find('/')) : std::string_view();
  if (has_prefix) vector.remove_prefix(prefix.size() + 1);
  std::string metrics;
  while (true) {
    const auto slash = vector.rfind('/');
    metrics += vector.substr(slash == std::string_view::npos ? 0 : slash + 1);
    if (slash == std::string_view::npos) break;
    metrics += '/';
    vector = vector.substr(0, slash);
  }
  return has_prefix ? std::string(prefix) + '/' + metrics : metrics;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway::feeds;
  const std::string_view vector(reinterpret_cast<const char*>(data), size);
  const auto cvss = score_cvss(vector);
  if (!cvss) {
    if (cvss.error().kind() != slipway::ErrorKind::kInvalid) std::abort();
    return 0;
  }
  if (!is_score(cvss->score) || !is_score(cvss->base)) std::abort();
  if (cvss->severity != severity_of(cvss->version, cvss->score)) std::abort();
  if (score_cvss(reversed(vector, cvss->version != CvssVersion::k2)) != cvss) std::abort();
  return 0;
}
