// Trivy's golden reports: what each was made of, and every difference of what our scanner finds on the same, with its
// reason. docs/scanner.md tells of these differences.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace slipway::scan {

enum class GoldenFrom : std::uint8_t {
  kRepository,  // all files of a folder of repo-input, each by the reader that wants it
  kSbom,        // a file of sbom-input
  kGoldenSbom,  // the golden, which is an SBOM itself
  kPackages,    // the packages that a golden names: the image is not at hand
};

struct GoldenCase {
  std::string_view golden;
  GoldenFrom from;
  std::string_view input;
  std::string_view rule = "";  // with which the golden was made: a folder to leave out, or one of the words below
};
inline constexpr std::string_view kOnlyFixed = "only-fixed";
inline constexpr std::string_view kHighAndCritical = "high-and-critical";
inline constexpr std::string_view kVex = "vex";

inline constexpr auto kGoldenCases = std::to_array<GoldenCase>({
    {"npm.json", GoldenFrom::kRepository, "npm"},
    {"npm-with-dev.json", GoldenFrom::kRepository, "npm"},
    {"npm-cyclonedx.json", GoldenFrom::kGoldenSbom, ""},
    {"yarn.json", GoldenFrom::kRepository, "yarn"},
    {"pnpm.json", GoldenFrom::kRepository, "pnpm"},
    {"pip.json", GoldenFrom::kRepository, "pip"},
    {"poetry.json", GoldenFrom::kRepository, "poetry"},
    {"gomod.json", GoldenFrom::kRepository, "gomod"},
    {"gomod-skip.json", GoldenFrom::kRepository, "gomod", "submod2"},
    {"gomod-vex.json", GoldenFrom::kRepository, "gomod", kVex},
    {"cargo.lock.json", GoldenFrom::kRepository, "cargo"},
    {"pom.json", GoldenFrom::kRepository, "pom"},
    {"pom-cyclonedx.json", GoldenFrom::kGoldenSbom, ""},
    {"composer.lock.json", GoldenFrom::kRepository, "composer"},
    {"test-repo.json", GoldenFrom::kRepository, "trivy-ci-test"},
    {"conda-cyclonedx.json", GoldenFrom::kGoldenSbom, ""},
    {"license-cyclonedx.json", GoldenFrom::kSbom, "license-cyclonedx.json"},
    {"fluentd-multiple-lockfiles.json", GoldenFrom::kSbom, "fluentd-multiple-lockfiles-cyclonedx.json"},
    {"fluentd-multiple-lockfiles-short.cdx.json", GoldenFrom::kGoldenSbom, ""},
    {"centos-7-medium.json", GoldenFrom::kSbom, "centos-7-cyclonedx.json"},
    {"centos-7-medium.json", GoldenFrom::kSbom, "centos-7-cyclonedx.intoto.jsonl"},
    {"centos-7-medium.json", GoldenFrom::kSbom, "centos-7-spdx.json"},
    {"centos-7-medium.json", GoldenFrom::kSbom, "centos-7-spdx.txt"},
    {"almalinux-8.json", GoldenFrom::kPackages, "almalinux-8.json"},
    {"alpine-310.json", GoldenFrom::kPackages, "alpine-310.json"},
    {"alpine-39-high-critical.json", GoldenFrom::kPackages, "alpine-39-high-critical.json", kHighAndCritical},
    {"alpine-distroless.json", GoldenFrom::kPackages, "alpine-distroless.json"},
    {"busybox-with-lockfile.json", GoldenFrom::kPackages, "busybox-with-lockfile.json"},
    {"debian-buster.json", GoldenFrom::kPackages, "debian-buster.json"},
    {"debian-buster-ignore-unfixed.json", GoldenFrom::kPackages, "debian-buster.json", kOnlyFixed},
    {"debian-stretch.json", GoldenFrom::kPackages, "debian-stretch.json"},
    {"distroless-base.json", GoldenFrom::kPackages, "distroless-base.json"},
    {"ubuntu-1804.json", GoldenFrom::kPackages, "ubuntu-1804.json"},
});

// It has no results, since the files that would have given some were left out: nothing is there to compare.
inline constexpr std::string_view kEmptyGolden = "alpine-39-skip.json";

// The reasons of differences.
namespace why {
inline constexpr std::string_view kNobody = "no feed is about CentOS, so there is no report, and no clean bill";
inline constexpr std::string_view kRepositories =
    "the release is that of os-release (3.16); which one etc/apk/repositories has is not read";
inline constexpr std::string_view kGoSum =
    "before Go 1.17 what is needed indirectly stands in go.sum, which is not read";
inline constexpr std::string_view kInstalled =
    "what is installed is listed beside the lock file: the same package in two places is two findings";
inline constexpr std::string_view kOneFix = "the fix is that of the range that the version is in, and one version";
}  // namespace why

inline constexpr auto kKnownDifferences = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"alpine-distroless.json: CVE-2022-24765 git 2.35.1-r2: only theirs", why::kRepositories},
    {"busybox-with-lockfile.json: CVE-2019-15542 ammonia 1.9.0: fixed in >= 2.1.0, ours 2.1.0", why::kOneFix},
    {"busybox-with-lockfile.json: CVE-2021-38193 ammonia 1.9.0: fixed in >= 3.1.0, >= 2.1.3, < 3.0.0, ours 2.1.3",
     why::kOneFix},
    {"centos-7-cyclonedx.intoto.jsonl: CVE-2019-1559 openssl-libs 1:1.0.2k-16.el7: only theirs", why::kNobody},
    {"centos-7-cyclonedx.json: CVE-2019-1559 openssl-libs 1:1.0.2k-16.el7: only theirs", why::kNobody},
    {"centos-7-spdx.json: CVE-2019-1559 openssl-libs 1:1.0.2k-16.el7: only theirs", why::kNobody},
    {"centos-7-spdx.txt: CVE-2019-1559 openssl-libs 1:1.0.2k-16.el7: only theirs", why::kNobody},
    {"fluentd-multiple-lockfiles-cyclonedx.json: CVE-2020-8165 activesupport 6.0.2.1: fixed in 6.0.3.1, 5.2.4.3, ours "
     "6.0.3.1",
     why::kOneFix},
    {"fluentd-multiple-lockfiles-short.cdx.json: CVE-2020-8165 activesupport 6.0.2.1: fixed in 6.0.3.1, 5.2.4.3, ours "
     "6.0.3.1",
     why::kOneFix},
    {"gomod-vex.json: GMS-2022-20 github.com/docker/distribution 2.7.1+incompatible in submod2/go.mod: only theirs",
     why::kGoSum},
    {"gomod.json: GMS-2022-20 github.com/docker/distribution 2.7.1+incompatible in submod2/go.mod: only theirs",
     why::kGoSum},
    {"npm-with-dev.json: CVE-2019-11358 jquery 3.3.9 in node_modules/jquery/package.json: only ours", why::kInstalled},
    {"npm.json: CVE-2019-11358 jquery 3.3.9 in node_modules/jquery/package.json: only ours", why::kInstalled},
    {"pnpm.json: CVE-2019-10744 lodash 4.17.4 in node_modules/.pnpm/lodash@4.17.4/node_modules/lodash/package.json: "
     "only ours",
     why::kInstalled},
    {"pnpm.json: CVE-2019-11358 jquery 3.3.9 in node_modules/.pnpm/jquery@3.3.9/node_modules/jquery/package.json: only "
     "ours",
     why::kInstalled},
    {"test-repo.json: CVE-2019-15542 ammonia 1.9.0 in Cargo.lock: fixed in >= 2.1.0, ours 2.1.0", why::kOneFix},
    {"test-repo.json: CVE-2021-38193 ammonia 1.9.0 in Cargo.lock: fixed in >= 3.1.0, >= 2.1.3, < 3.0.0, ours 2.1.3",
     why::kOneFix},
    {"yarn.json: CVE-2019-11358 jquery 3.2.1 in node_modules/jquery/package.json: only ours", why::kInstalled},
});

// Buckets of the fixtures of which our feeds have no counterpart.
inline constexpr auto kBucketsWithout = std::to_array<std::string_view>({
    "CBL-Mariner 1.0",
    "Oracle Linux 8",
    "Red Hat",
    "Red Hat CPE",
    "SUSE Linux Enterprise 15-SP3",
    "SUSE Linux Enterprise Micro 5.3",
    "amazon linux 1",
    "amazon linux 2",
    "cocoapods::GitHub Security Advisory Cocoapods",
    "conan::GitLab Advisory Database Community",
    "erlang::GitHub Security Advisory Erlang",
    "k8s::Official Kubernetes CVE Feed",
    "nuget::GitHub Security Advisory Nuget",
    "pub::GitHub Security Advisory Pub",
    "swift::GitHub Security Advisory Swift",
});

}  // namespace slipway::scan
