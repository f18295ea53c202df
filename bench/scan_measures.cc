#include "scan_measures.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "base/digest.h"
#include "catalog/catalog.h"
#include "feeds/query/feed_reader.h"
#include "feeds_measures.h"
#include "pipeline/rescan.h"
#include "process_peak.h"
#include "scan/inventory/inventory_taker.h"
#include "scan/inventory_json.h"
#include "scan/scanner.h"
#include "store/database.h"
#include "sys/clock.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"
#include "timing.h"

namespace slipway::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 5;
constexpr std::size_t kPackages = 1'000;
constexpr std::size_t kImages = 500;
constexpr std::size_t kPackagesOfAnImage = 300;

std::string self() { return fs::read_symlink("/proc/self/exe").string(); }

std::string data(std::string_view name) {
  const char* given = std::getenv("SLIPWAY_DATA");
  return fmt::format("{}/{}", given != nullptr ? given : SLIPWAY_BENCH_DATA, name);
}

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().describe());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

scan::Inventory inventory_of(const std::string& tar) {
  const scan::InventoryTaker taker({.executable = self(), .arguments = {std::string(kInventoryArgument)}});
  const auto file = must(archive::open_image_file(tar));
  return must(taker.take(file, archive::standard_policy(), {}, {})).inventory;
}

// A root file system of about 1 GiB: this machine's own programs, libraries and package database.
void make_tar(const std::string& tar) {
  const auto script = fmt::format(
      "{{ printf '%s\\0' etc/os-release; find var/lib/dpkg -type f -print0; "
      "find usr/bin usr/sbin usr/lib usr/share -xdev -type f -printf '%s %p\\0' | "
      "awk 'BEGIN {{ RS = ORS = \"\\0\" }} {{ size += $1; if (size > 1073741824) exit; sub(/^[0-9]+ /, \"\"); print "
      "}}'; }} | "
      "head -z -n 90000 | tar --null --no-recursion -cf '{}' -T -",
      tar);
  sys::run_command({"sh", "-c", "cd / && " + script});
}

void measure_inventory(const sys::TempDir& folder, std::vector<Measure>& all) {
  const std::string tar = folder.file("rootfs.tar");
  fmt::print(stderr, "making a root file system of what is on this machine...\n");
  make_tar(tar);
  std::vector<double> peer;
  std::vector<double> ours;
  std::size_t packages = 0;
  for (int round = 1; round <= kRounds; ++round) {
    peer.push_back(seconds_for([&] { (void)sys::run_command({"openssl", "dgst", "-sha256", tar}); }));
    ours.push_back(seconds_for([&] { packages = inventory_of(tar).packages.size(); }));
    fmt::print(stderr, "  round {} of {}: openssl {:.2f} s, ours {:.2f} s\n", round, kRounds, peer.back(), ours.back());
  }
  fmt::print(stderr, "  {} packages in {} MiB\n", packages, fs::file_size(tar) >> 20U);
  all.push_back(
      {.name = "scan.inventory_vs_openssl", .value = median(peer) / median(ours), .must = 1, .aim = 3, .unit = "x"});
  const auto peak = peak_of({self(), std::string(kListArgument), tar});
  fmt::print(stderr, "  memory: itself {:.0f} MiB, child {:.0f} MiB\n", peak.itself_kib / 1024,
             peak.children_kib / 1024);
  all.push_back({.name = "scan.memory",
                 .value = (peak.itself_kib + peak.children_kib) / 1024,
                 .must = 128,
                 .aim = 64,
                 .better = Better::kLower,
                 .unit = "MiB"});
  fs::remove(tar);
}

void load(const std::string& database, const std::string& provider, const std::string& source) {
  const auto ended = sys::run_to_end({self(), std::string(kSyncArgument), provider, database, source}, {});
  if (ended.code != 0) throw std::runtime_error(fmt::format("{}: {}", provider, ended.err));
}

// Packages that advisories are about, as many as there are of each ecosystem in turn.
std::vector<scan::Package> known_packages(const std::string& database) {
  using scan::PackageType;
  const std::vector<std::pair<std::string, PackageType>> ecosystems{{"Go", PackageType::kGolang},
                                                                    {"PyPI", PackageType::kPypi},
                                                                    {"crates.io", PackageType::kCargo},
                                                                    {"Alpine:v3.11", PackageType::kApk}};
  auto db = must(store::Database::open({.path = database, .mode = store::OpenMode::kReadOnly}));
  std::vector<scan::Package> packages;
  for (const auto& [ecosystem, type] : ecosystems) {
    auto rows = must(db.prepare("SELECT DISTINCT package FROM affected WHERE ecosystem = ?1 LIMIT 400"));
    rows.bind(1, std::string_view(ecosystem));
    while (must(rows.step())) {
      packages.push_back({.type = type, .name = std::string(rows.text(0)), .version = "1.0.0", .path = "a/lock/file"});
    }
  }
  std::size_t added = 0;
  while (packages.size() < kPackages) {  // and some that nobody knows
    packages.push_back({.type = PackageType::kNpm, .name = fmt::format("unknown-{}", added++), .version = "1.0.0"});
  }
  packages.resize(kPackages);
  return packages;
}

scan::Inventory inventory_of(std::vector<scan::Package> packages) {
  return {.distribution = scan::Distribution{.id = "alpine", .version = "3.11.0"}, .packages = std::move(packages)};
}

// In ms.
double time_to_judge(const std::string& database, const std::vector<scan::Package>& packages, scan::Detail detail) {
  auto reader = must(feeds::FeedReader::open(database, sys::system_clock()));
  std::vector<double> times;
  std::size_t findings = 0;
  for (int round = 0; round < 21; ++round) {
    times.push_back(1000 * seconds_for([&] {
                      auto scanner = must(scan::Scanner::open(*reader, "bench", detail));
                      const auto report = must(scanner.judge({.name = "bench", .inventory = inventory_of(packages)}, {},
                                                             {}, sys::system_clock().now()));
                      findings = report.findings.size();
                    }));
  }
  fmt::print(stderr, "  {} findings in {} packages\n", findings, packages.size());
  return median(times);
}

void measure_matching(const std::string& database, const std::vector<scan::Package>& packages,
                      std::vector<Measure>& all) {
  all.push_back({.name = "scan.match_1000_packages",
                 .value = time_to_judge(database, packages, scan::Detail::kAll),
                 .must = 200,
                 .aim = 20,
                 .better = Better::kLower,
                 .unit = "ms"});
  all.push_back({.name = "scan.match_1000_packages_for_a_verdict",
                 .value = time_to_judge(database, packages, scan::Detail::kVerdict),
                 .better = Better::kLower,
                 .unit = "ms"});
}

void measure_rescan(const sys::TempDir& folder, const std::string& database, const std::vector<scan::Package>& packages,
                    std::vector<Measure>& all) {
  fmt::print(stderr, "{} images judged again...\n", kImages);
  auto catalog = must(catalog::Catalog::open(folder.file("catalog.db"), sys::system_clock()));
  for (std::size_t i = 0; i < kImages; ++i) {
    const auto id = fmt::format("image-{}", i);
    must(catalog->store_image(
        {.source = {.image_id = id, .bucket = "b", .key = id}, .local_path = "/x", .checksum = sha256_hex(id)}));
    std::vector<scan::Package> some;
    for (std::size_t p = 0; p < kPackagesOfAnImage; ++p) some.push_back(packages[(i * 7 + p) % packages.size()]);
    must(catalog->store_inventory({.image_id = id,
                                   .checksum = sha256_hex(id),
                                   .packages = some.size(),
                                   .body = scan::to_json(inventory_of(std::move(some)))}));
  }
  auto reader = must(feeds::FeedReader::open(database, sys::system_clock()));
  std::uint64_t judged = 0;
  std::vector<double> times;
  for (const auto* block : {"HIGH", "CRITICAL", "HIGH"}) {  // other rules: every verdict is made again
    const pipeline::ScanRules rules{.engine = "builtin", .block = block};
    times.push_back(seconds_for([&] {
      judged = must(pipeline::rescan(*catalog, *reader, "bench", rules, sys::system_clock().now(), {})).judged;
    }));
  }
  if (judged != kImages) throw std::runtime_error(fmt::format("only {} were judged", judged));
  all.push_back({.name = "scan.rescan_500_images",
                 .value = median(times),
                 .must = 10,
                 .aim = 1,
                 .better = Better::kLower,
                 .unit = "s"});
}

}  // namespace

int list_packages(const std::string& tar) {
  fmt::print("{}\n", inventory_of(tar).packages.size());
  return 0;
}

std::vector<Measure> measure_scan() {
  const sys::TempDir folder;
  std::vector<Measure> all;
  measure_inventory(folder, all);
  if (!fs::exists(data("osv"))) {
    for (const auto* name : {"scan.match_1000_packages", "scan.rescan_500_images"}) {
      all.push_back({.name = name, .skipped = "there is no real data (SLIPWAY_DATA)"});
    }
    return all;
  }
  fmt::print(stderr, "loading advisories...\n");
  const std::string database = folder.file("feeds.db");
  load(database, "osv",
       data("osv/go-vulndb-osv.tar.zst") + " " + data("osv/rustsec-osv.tar.zst") + " " +
           data("osv/pypa-advisory-yaml.tar.zst"));
  load(database, "alpine", data("osv/alpine/alpine-secdb-yaml-20200608.tar.xz"));
  load(database, "cve", data("cve/cve5-vulnrichment-44130.tar.zst"));
  const auto packages = known_packages(database);
  measure_matching(database, packages, all);
  measure_rescan(folder, database, packages, all);
  return all;
}

}  // namespace slipway::bench
