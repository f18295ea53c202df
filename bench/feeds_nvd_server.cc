#include "feeds_nvd_server.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "base/number.h"

namespace slipway::bench {
namespace {

constexpr std::size_t kPerYear = 20'000;
constexpr std::array kWords = {"buffer",  "overflow", "allows",   "remote", "attackers", "arbitrary", "code",
                               "execute", "crafted",  "request",  "via",    "service",   "denial",    "component",
                               "plugin",  "version",  "improper", "input",  "handling",  "interface"};
constexpr std::array kWeaknesses = {"79", "89", "20", "22", "787", "125", "416", "352", "78", "94"};

// The same for the same number, without a state.
std::size_t mixed(std::size_t number) {
  std::size_t x = number * 0x9E3779B97F4A7C15ULL + 0x7F4A7C15ULL;
  x ^= x >> 31;
  x *= 0xBF58476D1CE4E5B9ULL;
  return x ^ (x >> 29);
}

std::string description(std::size_t number) {
  std::string text = fmt::format("A flaw in product {} before {}.{}", number % 5000, number % 20, number % 9);
  for (std::size_t i = 0; i < 35; ++i) {
    text += ' ';
    text += kWords[mixed(number * 64 + i) % kWords.size()];
  }
  return text + '.';
}

std::string references(std::size_t number) {
  std::string list;
  for (std::size_t i = 0; i < 4; ++i) {
    list += fmt::format(
        R"({}{{"url":"https://vendor{}.example/advisory/{}/{}","source":"cve@example.org","tags":["Vendor Advisory"]}})",
        i == 0 ? "" : ",", number % 900, number, i % 3);
  }
  return list;
}

std::string matches(std::size_t number) {
  std::string list;
  for (std::size_t i = 0; i < 4; ++i) {
    list += fmt::format(R"({}{{"vulnerable":true,"criteria":"cpe:2.3:a:vendor{}:product{}:*:*:*:*:*:*:*:*",)"
                        R"("versionEndExcluding":"{}.{}","matchCriteriaId":"{:08X}-0000-0000-0000-{:012X}"}})",
                        i == 0 ? "" : ",", number % 900, number % 5000, number % 20, i, mixed(number + i) & 0xFFFFFFFF,
                        mixed(number) & 0xFFFFFFFFFFFF);
  }
  return list;
}

std::string made_up_cve(std::size_t number) {
  return fmt::format(
      R"({{"cve":{{"id":"{}","sourceIdentifier":"cve@example.org","published":"2020-01-{:02}T05:00:00.000",)"
      R"("lastModified":"2025-04-{:02}T01:03:51.193","vulnStatus":"Analyzed","cveTags":[],"descriptions":[{{"lang":"en",)"
      R"("value":"{}"}},{{"lang":"es","value":"{}"}}],"metrics":{{"cvssMetricV31":[{{"source":"nvd@nist.gov",)"
      R"("type":"Primary","cvssData":{{"version":"3.1","vectorString":"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",)"
      R"("baseScore":9.8,"baseSeverity":"CRITICAL","attackVector":"NETWORK","attackComplexity":"LOW",)"
      R"("privilegesRequired":"NONE","userInteraction":"NONE","scope":"UNCHANGED","confidentialityImpact":"HIGH",)"
      R"("integrityImpact":"HIGH","availabilityImpact":"HIGH"}},"exploitabilityScore":3.9,"impactScore":5.9}}]}},)"
      R"("weaknesses":[{{"source":"nvd@nist.gov","type":"Primary","description":[{{"lang":"en","value":"CWE-{}"}}]}}],)"
      R"("configurations":[{{"nodes":[{{"operator":"OR","negate":false,"cpeMatch":[{}]}}]}}],"references":[{}]}}}})",
      made_up_id(number), number % 28 + 1, number % 28 + 1, description(number), description(number + 1),
      kWeaknesses[mixed(number) % kWeaknesses.size()], matches(number), references(number));
}

std::size_t parameter(std::string_view target, std::string_view name) {
  const auto at = target.find(name);
  if (at == std::string_view::npos) return 0;
  auto rest = target.substr(at + name.size());
  rest = rest.substr(0, rest.find('&'));
  return parse_number<std::size_t>(rest).value_or(0);
}

}  // namespace

std::string made_up_id(std::size_t number) {
  return fmt::format("CVE-{}-{}", 2000 + number / kPerYear, 10'000 + number % kPerYear);
}

std::string nvd_page(std::size_t first, std::size_t count, std::size_t total) {
  const auto end = std::min(first + count, total);
  std::string page = fmt::format(
      R"({{"resultsPerPage":{},"startIndex":{},"totalResults":{},"format":"NVD_CVE","version":"2.0","vulnerabilities":[)",
      end - first, first, total);
  for (auto number = first; number < end; ++number) {
    if (number != first) page += ',';
    page += made_up_cve(number);
  }
  return page + "]}";
}

NvdServer::NvdServer(std::size_t cves) {
  auto server = net::HttpServer::start({}, [cves](const net::ServerRequest& request, net::ResponseWriter& answer) {
    const auto first = std::min(parameter(request.target, "startIndex="), cves);
    const auto count = std::min<std::size_t>(parameter(request.target, "resultsPerPage="), 2000);
    (void)answer.send(200, {{"Content-Type", "application/json"}}, nvd_page(first, count, cves));
  });
  if (!server) throw std::runtime_error(server.error().describe());
  server_ = std::move(*server);
}

}  // namespace slipway::bench
