#include "scan/reports/data_sources.h"

#include <array>

namespace slipway::scan {
namespace {

struct Row {
  std::string_view id;
  DataSource source;
};

constexpr std::array kRows{
    Row{"alpine", {"Alpine Secdb", "https://secdb.alpinelinux.org/"}},
    Row{"debian", {"Debian Security Tracker", "https://security-tracker.debian.org/tracker/"}},
    Row{"osv", {"Open Source Vulnerabilities", "https://osv.dev/"}},
    Row{"cve", {"National Vulnerability Database", "https://nvd.nist.gov/"}},
    Row{"nvd", {"National Vulnerability Database", "https://nvd.nist.gov/"}},
};

}  // namespace

DataSource data_source(std::string_view id) {
  for (const auto& row : kRows) {
    if (row.id == id) return row.source;
  }
  return {.name = id, .url = {}};
}

}  // namespace slipway::scan
