// Whatever the bytes: the readers of rules and of Trivy's answers answer, and what they give keeps their promises. The
// first byte chooses the reader.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json.h"
#include "scan/policy/suppress.h"
#include "scan/trivy/trivy_report.h"

namespace {

using namespace slipway::scan;

void require(bool kept) {
  if (!kept) std::abort();
}

void read_ignore(std::string_view text) {
  const auto file = parse_ignore_file(text, "x");
  if (!file) return;
  for (const auto& rule : file->rules) {
    require(!rule.id.empty() && !rule.reason.empty() && rule.line > 0);
    require(slipway::write_json(rule.reason).has_value());  // it is text
    require(rule.matches({.id = rule.id, .package = {.name = rule.package}}));
  }
  require(file->warnings(slipway::TimePoint::min()).empty());
}

void read_vex(std::string_view text) {
  auto document = parse_openvex(text, "x");
  if (!document) return;
  Rules rules;
  rules.vex.push_back(std::move(*document));
  std::vector<Finding> findings;
  for (const auto& statement : rules.vex[0].statements) {
    require(!statement.vulnerabilities.empty());
    findings.push_back({.id = statement.vulnerabilities[0]});
  }
  const auto count = findings.size();
  const auto purl_of = [](const Package&) { return std::string("pkg:deb/debian/a@1?arch=amd64"); };
  const auto judged = apply(std::move(findings), rules, {.names = {"team/app:1"}, .digests = {"ab"}}, purl_of, {});
  require(judged.findings.size() + judged.suppressed.size() == count);
}

void read_purl(std::string_view text) {
  const auto purl = split_purl(text);
  if (!purl) return;
  require(!purl->type.empty() && !purl->name.empty());
  require(covers(*purl, *purl));
}

void read_report(std::string_view text) {
  const auto report = read_trivy_report(text);
  if (!report) return;
  for (const auto& finding : report->findings) require(!finding.id.empty() && !finding.package.name.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0: read_ignore(text); break;
    case 1: read_vex(text); break;
    case 2: read_purl(text); break;
    case 3: read_report(text); break;
    default: (void)read_trivy_version(text);
  }
  return 0;
}
