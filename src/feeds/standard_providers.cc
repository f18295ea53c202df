#include "feeds/standard_providers.h"

#include <array>
#include <utility>

#include "feeds/providers/advisory_providers.h"
#include "feeds/providers/asvs_provider.h"
#include "feeds/providers/attack_provider.h"
#include "feeds/providers/capec_provider.h"
#include "feeds/providers/cce_provider.h"
#include "feeds/providers/cve_provider.h"
#include "feeds/providers/cwe_provider.h"
#include "feeds/providers/ssg_provider.h"
#include "feeds/sources/fetcher.h"

namespace slipway::feeds {
namespace {

constexpr std::array kProviders = {
    StandardProvider{"cve", "CVE records, from NVD's API, its feeds, or the CVE list",
                     "https://services.nvd.nist.gov/rest/json/cves/2.0"},
    StandardProvider{"cwe", "MITRE's weaknesses", "https://cwe.mitre.org/data/xml/cwec_latest.xml.zip"},
    StandardProvider{"capec", "MITRE's attack patterns", "https://capec.mitre.org/data/xml/capec_latest.xml"},
    StandardProvider{
        "attack", "MITRE ATT&CK: techniques, tactics, mitigations, groups, software",
        "https://raw.githubusercontent.com/mitre-attack/attack-stix-data/master/enterprise-attack/"
        "enterprise-attack.json "
        "https://raw.githubusercontent.com/mitre-attack/attack-stix-data/master/mobile-attack/mobile-attack.json "
        "https://raw.githubusercontent.com/mitre-attack/attack-stix-data/master/ics-attack/ics-attack.json"},
    StandardProvider{"ssg", "SCAP Security Guide: benchmarks, profiles, rules (Debian's ssg-* packages have them)",
                     "file:///usr/share/xml/scap/ssg/content"},
    StandardProvider{"asvs", "OWASP ASVS: requirements of applications",
                     "https://raw.githubusercontent.com/OWASP/ASVS/v5.0.0/5.0/docs_en/"
                     "OWASP_Application_Security_Verification_Standard_5.0.0_en.json "
                     "https://raw.githubusercontent.com/OWASP/ASVS/v4.0.3/4.0/docs_en/"
                     "OWASP%20Application%20Security%20Verification%20Standard%204.0.3-en.json"},
    StandardProvider{"cce", "NIST's configuration entries",
                     "https://csrc.nist.gov/csrc/media/Projects/national-vulnerability-database/documents/CCE/"
                     "cce-COMBINED-5.20220713.xlsx"},
    StandardProvider{"osv", "OSV advisories of language ecosystems",
                     "https://osv-vulnerabilities.storage.googleapis.com/PyPI/all.zip "
                     "https://osv-vulnerabilities.storage.googleapis.com/npm/all.zip "
                     "https://osv-vulnerabilities.storage.googleapis.com/Go/all.zip "
                     "https://osv-vulnerabilities.storage.googleapis.com/Maven/all.zip "
                     "https://osv-vulnerabilities.storage.googleapis.com/RubyGems/all.zip "
                     "https://osv-vulnerabilities.storage.googleapis.com/crates.io/all.zip "
                     "https://osv-vulnerabilities.storage.googleapis.com/Packagist/all.zip"},
    StandardProvider{"debian", "Debian's security tracker", "https://security-tracker.debian.org/tracker/data/json"},
    StandardProvider{
        "alpine", "Alpine's secdb",
        "https://secdb.alpinelinux.org/v3.18/main.json https://secdb.alpinelinux.org/v3.18/community.json "
        "https://secdb.alpinelinux.org/v3.19/main.json https://secdb.alpinelinux.org/v3.19/community.json "
        "https://secdb.alpinelinux.org/v3.20/main.json https://secdb.alpinelinux.org/v3.20/community.json "
        "https://secdb.alpinelinux.org/v3.21/main.json https://secdb.alpinelinux.org/v3.21/community.json "
        "https://secdb.alpinelinux.org/v3.22/main.json https://secdb.alpinelinux.org/v3.22/community.json"},
};

// A provider with the fetcher that it uses.
template <class Base>
class WithFetcher : public Provider {
 public:
  template <class... More>
  WithFetcher(std::unique_ptr<Fetcher> fetcher, More&... more)
      : fetcher_(std::move(fetcher)), base_(*fetcher_, more...) {}

  Result<> run(Intake& intake) override { return base_.run(intake); }

 private:
  std::unique_ptr<Fetcher> fetcher_;
  Base base_;
};

std::unique_ptr<Provider> make_provider(std::string_view id, std::unique_ptr<Fetcher> fetcher,
                                        net::HttpClient& client) {
  if (id == "cve") return std::make_unique<WithFetcher<CveProvider>>(std::move(fetcher), client);
  if (id == "cwe") return std::make_unique<WithFetcher<CweProvider>>(std::move(fetcher));
  if (id == "capec") return std::make_unique<WithFetcher<CapecProvider>>(std::move(fetcher));
  if (id == "attack") return std::make_unique<WithFetcher<AttackProvider>>(std::move(fetcher));
  if (id == "ssg") return std::make_unique<WithFetcher<SsgProvider>>(std::move(fetcher));
  if (id == "asvs") return std::make_unique<WithFetcher<AsvsProvider>>(std::move(fetcher));
  if (id == "cce") return std::make_unique<WithFetcher<CceProvider>>(std::move(fetcher));
  if (id == "osv") return std::make_unique<WithFetcher<OsvProvider>>(std::move(fetcher));
  if (id == "debian") return std::make_unique<WithFetcher<DebianProvider>>(std::move(fetcher));
  return std::make_unique<WithFetcher<AlpineProvider>>(std::move(fetcher));
}

std::vector<std::string> needs_of(std::string_view id) {
  if (id == "capec" || id == "asvs") return {"cwe"};
  return {};
}

}  // namespace

std::span<const StandardProvider> standard_providers() { return kProviders; }

Result<std::vector<Registration>> make_standard_providers(const ProviderSetup& setup, net::HttpClient& client) {
  std::vector<Registration> made;
  for (const auto& standard : kProviders) {
    const std::string id(standard.id);
    const auto found = setup.settings.find(id);
    const ProviderSettings settings = found == setup.settings.end() ? ProviderSettings() : found->second;
    auto parts = parse_parts(settings.source.empty() ? standard.source : settings.source);
    if (!parts) return parts.error().during("the source of {}", id);
    made.push_back(
        {.config = {.id = id,
                    .type = id,
                    .dependencies = needs_of(id),
                    .batch_size = setup.batch_size,
                    .parts = std::move(*parts),
                    .api_key = settings.api_key},
         .provider = make_provider(
             id, std::make_unique<Fetcher>(client, Fetcher::Options{.cache_dir = setup.cache_dir}), client)});
  }
  return made;
}

}  // namespace slipway::feeds
