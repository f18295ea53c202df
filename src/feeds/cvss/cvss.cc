#include "feeds/cvss/cvss.h"

#include "feeds/cvss/metrics.h"

namespace slipway::feeds {
namespace {

struct Prefix {
  std::string_view text;
  CvssVersion version;
};

constexpr Prefix kPrefixes[] = {
    {"CVSS:3.0/", CvssVersion::k30}, {"CVSS:3.1/", CvssVersion::k31}, {"CVSS:4.0/", CvssVersion::k4}};

// The metrics of a vector, without what stands around them.
struct Bare {
  CvssVersion version;
  std::string_view metrics;
};

Result<Bare> take_apart(std::string_view vector) {
  for (const auto& prefix : kPrefixes) {
    if (vector.starts_with(prefix.text)) return Bare{prefix.version, vector.substr(prefix.text.size())};
  }
  if (vector.starts_with("CVSS:")) {
    return fail(ErrorKind::kInvalid,
                "CVSS vector {:?}: it must begin with CVSS:3.0/, CVSS:3.1/ or CVSS:4.0/, or with a metric of "
                "version 2",
                vector);
  }
  if (!vector.starts_with('(')) return Bare{CvssVersion::k2, vector};
  if (!vector.ends_with(')')) {
    return fail(ErrorKind::kInvalid, "CVSS vector {:?}: a parenthesis is opened and not closed", vector);
  }
  return Bare{CvssVersion::k2, vector.substr(1, vector.size() - 2)};
}

std::span<const cvss::Metric> metrics_of(CvssVersion version) {
  switch (version) {
    case CvssVersion::k2: return cvss::v2_metrics();
    case CvssVersion::k30:
    case CvssVersion::k31: return cvss::v3_metrics();
    case CvssVersion::k4: break;
  }
  return cvss::v4_metrics();
}

cvss::Tenths score(CvssVersion version, const cvss::Values& values) {
  switch (version) {
    case CvssVersion::k2: return cvss::score_v2(values);
    case CvssVersion::k30: return cvss::score_v3(values, cvss::Minor::k0);
    case CvssVersion::k31: return cvss::score_v3(values, cvss::Minor::k1);
    case CvssVersion::k4: break;
  }
  return cvss::score_v4(values);
}

}  // namespace

Result<Cvss> score_cvss(std::string_view vector) {
  if (vector.size() > kLongestCvssVector) {
    return fail(ErrorKind::kInvalid, "a CVSS vector of {} bytes ({:?}...): {} is the most", vector.size(),
                vector.substr(0, 40), kLongestCvssVector);
  }
  const auto bare = take_apart(vector);
  if (!bare) return fail(bare.error());
  const auto values = cvss::parse_metrics(vector, bare->metrics, metrics_of(bare->version));
  if (!values) {
    if (bare->version != CvssVersion::k2) return fail(values.error());
    return fail(Error(values.error()).with_hint("without CVSS:3.1/ or the like in front it is read as of version 2"));
  }
  const auto tenths = score(bare->version, *values);
  Cvss cvss{.version = bare->version, .score = tenths.score / 10.0, .base = tenths.base / 10.0};
  cvss.severity = severity_of(cvss.version, cvss.score);
  return cvss;
}

Severity severity_of(CvssVersion version, double score) {
  if (version == CvssVersion::k2) {
    if (score < 4.0) return Severity::kLow;
    return score < 7.0 ? Severity::kMedium : Severity::kHigh;
  }
  if (score < 0.1) return Severity::kNone;
  if (score < 4.0) return Severity::kLow;
  if (score < 7.0) return Severity::kMedium;
  return score < 9.0 ? Severity::kHigh : Severity::kCritical;
}

std::string_view to_string(CvssVersion version) {
  switch (version) {
    case CvssVersion::k2: return "2.0";
    case CvssVersion::k30: return "3.0";
    case CvssVersion::k31: return "3.1";
    case CvssVersion::k4: break;
  }
  return "4.0";
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::kNone: return "NONE";
    case Severity::kLow: return "LOW";
    case Severity::kMedium: return "MEDIUM";
    case Severity::kHigh: return "HIGH";
    case Severity::kCritical: break;
  }
  return "CRITICAL";
}

}  // namespace slipway::feeds
