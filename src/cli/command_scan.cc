// `scan`: what is in an image, a tar file or an SBOM, and what is known against it.
#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/feeds_setup.h"
#include "cli/feeds_views.h"
#include "cli/image_lookup.h"
#include "cli/pipeline_setup.h"
#include "cli/scan_setup.h"
#include "cli/scan_views.h"
#include "cli/text.h"
#include "cli/work.h"
#include "pipeline/scan_image.h"
#include "pipeline/validation.h"
#include "scan/inventory/inventory_taker.h"
#include "scan/inventory_json.h"
#include "scan/reports/formats.h"
#include "scan/scanner.h"
#include "scan/text_file.h"
#include "scan/trivy/trivy_scan.h"
#include "sys/system_error.h"

namespace slipway::cli {
namespace {

constexpr std::uint64_t kMostSbom = std::uint64_t{128} << 20;  // bytes

enum class Format : std::uint8_t { kTable, kJson, kSarif, kCyclonedx, kCyclonedxVulnerabilities, kSpdx };

constexpr auto kFormats = std::to_array<std::pair<std::string_view, Format>>({
    {"table", Format::kTable},
    {"json", Format::kJson},
    {"sarif", Format::kSarif},
    {"cyclonedx", Format::kCyclonedx},
    {"cyclonedx-vulnerabilities", Format::kCyclonedxVulnerabilities},
    {"spdx", Format::kSpdx},
});

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [name, ignored] : kFormats) names.emplace_back(name);
  return names;
}

bool has_place_for_explanations(Format format) {
  return format == Format::kTable || format == Format::kJson || format == Format::kSarif;
}

struct Wish {
  Format format = Format::kTable;
  pipeline::ScanRules rules{};
  scan::Rules judging{};  // the same, with what only this report leaves out
  bool explain = false;
  std::optional<std::filesystem::path> output{};
};

Result<Wish> wish_of(const Session& session, const Arguments& arguments) {
  Wish wish{.explain = arguments.has("--explain")};
  const auto format = arguments.get("--format").value_or(session.output.json() ? "json" : "table");
  wish.format = std::ranges::find(kFormats, format, &std::pair<std::string_view, Format>::first)->second;
  if (wish.explain && !has_place_for_explanations(wish.format)) {
    return fail(Error(ErrorKind::kInvalid, fmt::format("{} has no place for what --explain tells", format))
                    .with_hint("--format table, json or sarif"));
  }
  auto rules = scan_rules(session, arguments);
  if (!rules) return fail(std::move(rules.error()));
  wish.rules = std::move(*rules);
  auto judging = pipeline::rules_of(wish.rules);
  if (!judging) return fail(std::move(judging.error()));
  wish.judging = std::move(*judging);
  wish.judging.only_fixed = arguments.has("--only-fixed");
  if (const auto severities = arguments.get("--severity")) {
    auto list = scan::parse_severities(*severities);
    if (!list) return fail(std::move(list.error()));
    wish.judging.severities = std::move(*list);
  }
  if (const auto output = arguments.get("--output")) wish.output = *output;
  return wish;
}

// A file that is to be scanned: where it is, without links, and what the user calls it.
struct Target {
  std::filesystem::path file{};
  std::string name{};
};

// None: there is no such file. kPermission: nobody who may look there has asked.
Result<std::optional<Target>> target_of(const std::string& name) {
  std::error_code error;
  auto file = std::filesystem::canonical(name, error);
  if (error == std::errc::permission_denied) return fail(sys::system_error("open", name, EACCES));
  if (error || !std::filesystem::is_regular_file(file, error)) return std::nullopt;
  return Target{std::move(file), name};
}

// As Trivy calls them, by what only the one and only the other has. In an envelope it cannot be seen from outside.
std::string sbom_type(std::string_view text) {
  const auto cyclonedx = text.find(R"("bomFormat")");
  const auto spdx = std::min(text.find(R"("spdxVersion")"), text.find("SPDXVersion:"));
  if (cyclonedx == spdx) return "sbom";
  return cyclonedx < spdx ? "cyclonedx" : "spdx";
}

Result<scan::Artifact> from_sbom(const Target& target) {
  auto text = scan::read_text_file(target.file, kMostSbom);
  if (!text) return fail(std::move(text.error()));
  auto inventory = scan::read_sbom(*text);
  if (!inventory) return inventory.error().during("read {}", target.name);
  return scan::Artifact{
      .name = target.name, .type = sbom_type(*text), .size = text->size(), .inventory = std::move(*inventory)};
}

Result<scan::Artifact> from_archive(const Session& session, const Target& target, const std::stop_token& stop) {
  auto policy = policy_of(session.settings);
  if (!policy) return fail(std::move(policy.error()));
  auto image = archive::open_image_file(target.file);
  if (!image) return fail(std::move(image.error()));
  const scan::InventoryTaker taker({.executable = "/proc/self/exe", .arguments = {kInventoryWord}});
  auto listed = taker.take(*image, *policy, {}, stop);
  if (!listed) return fail(std::move(listed.error()));
  auto hashed = pipeline::hash_file(target.file, {}, stop);
  if (!hashed) return fail(std::move(hashed.error()));
  return scan::Artifact{.name = target.name,
                        .checksum = std::move(hashed->sha256),
                        .size = image->size,
                        .inventory = std::move(listed->inventory)};
}

Result<scan::Artifact> from_file(const Session& session, const Target& target, const std::stop_token& stop) {
  std::array<char, 4096> beginning{};
  std::ifstream stream(target.file, std::ios::binary);
  stream.read(beginning.data(), beginning.size());
  const std::string_view head(beginning.data(), static_cast<std::size_t>(stream.gcount()));
  return scan::looks_like_sbom(head) ? from_sbom(target) : from_archive(session, target, stop);
}

// Null feeds: nothing was ever synced, and nobody needs them (Trivy).
Result<scan::Report> judge(const Session& session, scan::Artifact artifact, const Wish& wish, feeds::FeedReader* feeds,
                           const std::stop_token& stop) {
  const auto data = pipeline::data_rules_of(wish.rules);
  const auto now = session.clock.now();
  Result<scan::Report> report;
  if (wish.rules.engine == "trivy") {
    const auto at = pipeline::block_at(wish.rules);
    if (!at) return fail(at.error());
    report = scan::judge_with_trivy(std::move(artifact), {}, wish.judging, *at, data, now, stop);
  } else {
    const bool table = wish.format == Format::kTable && !wish.output;
    auto scanner = scan::Scanner::open(*feeds, session.version, table ? scan::Detail::kVerdict : scan::Detail::kAll);
    if (!scanner) return fail(std::move(scanner.error()));
    report = scanner->judge(std::move(artifact), wish.judging, data, now);
  }
  if (report) report->policy = pipeline::describe(wish.rules, report->scanned_at);
  return report;
}

// By a finding's id, the chain that the feeds know.
using Chains = std::map<std::string, feeds::ChainNode>;

Chains chains_of(const scan::Report& report, feeds::FeedReader& feeds) {
  Chains chains;
  for (const auto& finding : report.findings) {
    if (chains.contains(finding.id)) continue;
    const auto found = feeds.find(finding.id);
    if (!found) continue;
    if (auto chain = feeds.chain(found->front().node, {})) chains.emplace(finding.id, std::move(*chain));
  }
  return chains;
}

std::string text_of(const scan::Report& report, Format format, const Chains& chains) {
  scan::Explanations explanations;
  for (const auto& [id, chain] : chains) explanations.emplace(id, chain_json(chain));
  switch (format) {
    case Format::kSarif: return scan::sarif_json(report, explanations);
    case Format::kCyclonedx: return scan::cyclonedx_json(report, scan::Vulnerabilities::kLeftOut);
    case Format::kCyclonedxVulnerabilities: return scan::cyclonedx_json(report, scan::Vulnerabilities::kListed);
    case Format::kSpdx: return scan::spdx_json(report);
    case Format::kJson:
    case Format::kTable: break;
  }
  return scan::trivy_json(report, explanations);
}

Explain explain_with(const Session& session, const Chains& chains) {
  return [&session, &chains](const scan::Finding& finding) -> std::vector<std::string> {
    const auto chain = chains.find(finding.id);
    if (chain == chains.end()) return {};
    const auto& look = session.output.out_look();
    return tree_lines(
        chain->second,
        {.columns = look.terminal ? session.output.columns() : 0, .color = look.color, .unicode = look.unicode});
  };
}

Result<> show(const Session& session, const scan::Report& report, const Wish& wish, const Chains& chains) {
  if (wish.format == Format::kTable && !wish.output) {
    write_report(session.output, report, wish.explain ? explain_with(session, chains) : Explain());
    return {};
  }
  // No form for programs has a place for these, and nobody is to take such a report for a clean bill.
  for (const auto& warning : report.warnings) session.output.warn("warning: " + printable(warning));
  if (!report.complete()) session.output.warn("warning: the report is INCOMPLETE");
  const auto text = text_of(report, wish.format, chains) + "\n";
  if (!wish.output) {
    session.output.write(text);
    return {};
  }
  std::ofstream file(*wish.output, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return fail(ErrorKind::kIo, "{} cannot be written", wish.output->string());
  session.output.note(fmt::format("{}: {}", wish.output->string(), count_line(report)));
  return {};
}

Result<catalog::Image> image_of(const Session& session, const std::string& name) {
  auto catalog = open_catalog_for(session, name);
  if (!catalog) return fail(std::move(catalog.error()));
  auto image = find_image(session, **catalog, name);
  if (!image) return fail(std::move(image.error()));
  if (image->download_status != catalog::DownloadStatus::kCompleted) {
    return fail(Error(ErrorKind::kNotFound, fmt::format("image {} is not downloaded", image->image_id))
                    .with_hint(fmt::format("slipway fetch-and-create {}", image->key)));
  }
  return image;
}

Result<scan::Artifact> from_catalog(const Session& session, const catalog::Image& image) {
  auto catalog = catalog::Catalog::open_reader(session.settings.sqlite_path.string(), session.clock);
  if (!catalog) return fail(std::move(catalog.error()));
  auto stored = (*catalog)->find_inventory(image.image_id);
  if (!stored) return fail(std::move(stored.error()));
  if (!*stored) return fail(ErrorKind::kNotFound, "the packages of {} were never listed", image.image_id);
  auto inventory = scan::inventory_from_json((*stored)->body);
  if (!inventory) return fail(std::move(inventory.error()));
  return scan::Artifact{.name = image.image_id,
                        .checksum = (*stored)->checksum,
                        .size = image.size_bytes,
                        .inventory = std::move(*inventory)};
}

struct Scanned {
  scan::Artifact artifact{};
  std::optional<bool> blocked{};  // by the verdict that was recorded; none: nothing was
};

// The verdict is the machine's, and recorded by it; the report is made here, from what it has stored.
std::expected<Scanned, Failure> scan_image(const Session& session, Workplace& workplace, const std::string& name,
                                           const Wish& wish) {
  auto image = image_of(session, name);
  if (!image) return bad_input(std::move(image.error()));
  auto policy = policy_of(session.settings);
  if (!policy) return bad_input(std::move(policy.error()));
  auto rules = wish.rules;
  rules.again = true;
  const pipeline::ScanImageRequest request{
      .image_id = image->image_id,
      .local_path = image->local_path,
      .checksum = image->checksum,
      .size = image->size_bytes,
      .rules = {.max_image_size = session.settings.max_image_size, .policy = std::move(*policy)},
      .scan = std::move(rules)};
  auto answer = workplace.ask<pipeline::ScanImageResponse>("scan-image", image->image_id, request, image->image_id);
  if (!answer) return std::unexpected(std::move(answer.error()));
  if (!answer->response.judged) {
    return fail(
        Error(ErrorKind::kUnavailable, answer->response.note).with_hint("`slipway feeds sync` loads the feeds"));
  }
  auto artifact = from_catalog(session, *image);
  if (!artifact) return fail(std::move(artifact.error()));
  return Scanned{std::move(*artifact), answer->response.blocked};
}

// What is in the file of that name, or else in the image.
std::expected<Scanned, Failure> look_at(const Session& session, Workplace& workplace, const std::string& name,
                                        const Wish& wish) {
  const auto target = target_of(name);
  if (target && *target) {
    auto made = from_file(session, **target, workplace.stop());
    if (!made) return fail(std::move(made.error()));
    return Scanned{.artifact = std::move(*made)};
  }
  auto made = scan_image(session, workplace, name, wish);
  if (!made && !target && made.error().error.kind() == ErrorKind::kNotFound) return fail(target.error());
  return made;
}

CommandResult scan(const Session& session, const Arguments& arguments) {
  Workplace workplace(session);
  auto wish = wish_of(session, arguments);
  if (!wish) return bad_input(std::move(wish.error()));
  if (wish->rules.engine == "off") wish->rules.engine = "builtin";  // who scans by hand wants a scan
  auto opened = open_feeds(session);
  if (!opened && wish->rules.engine != "trivy") return fail(std::move(opened.error()));
  auto* feeds = opened ? opened->get() : nullptr;
  auto scanned = look_at(session, workplace, arguments.at("TARGET"), *wish);
  if (!scanned) return std::unexpected(std::move(scanned.error()));
  auto report = judge(session, std::move(scanned->artifact), *wish, feeds, workplace.stop());
  if (!report) return fail(std::move(report.error()));
  if (wish->explain && feeds == nullptr) {
    session.output.warn("warning: nothing is explained: " + printable(opened.error().message()));
  }
  const auto chains = wish->explain && feeds != nullptr ? chains_of(*report, *feeds) : Chains{};
  if (auto shown = show(session, *report, *wish, chains); !shown) return fail(std::move(shown.error()));
  const auto at = pipeline::block_at(wish->rules);
  if (!at) return fail(at.error());
  // Who has allowed the image has allowed it for this command, too.
  const bool blocked =
      scan::blocks(report->findings, *at) && wish->rules.allowed_by.empty() && scanned->blocked.value_or(true);
  return blocked ? ExitCode::kVulnerable : ExitCode::kDone;
}

}  // namespace

CommandSpec scan_command() {
  return {
      .name = "scan",
      .summary = "What is in an image, and what is known against it",
      .description =
          "Lists the packages of a downloaded image, of a tar file or of an SBOM (CycloneDX, SPDX), and what the feeds "
          "know against them. Of a downloaded image the packages were listed before: it is judged by today's data, and "
          "its status follows.\nEnds with 3 when something is at least as bad as scan_block, with 1 when it could not "
          "be "
          "scanned. Missing or old advisories are never taken for a clean bill.",
      .options = {{.name = "--format",
                   .value = "FORMAT",
                   .help =
                       "table, or for programs: json (as Trivy's), sarif, cyclonedx, cyclonedx-vulnerabilities, spdx",
                   .values = format_names()},
                  {.name = "--output",
                   .letter = "-o",
                   .value = "FILE",
                   .help = "write it there",
                   .completes = Completes::kFiles},
                  {.name = "--severity", .value = "LIST", .help = "only these: CRITICAL,HIGH"},
                  {.name = "--only-fixed", .help = "only what a newer version has fixed"},
                  {.name = "--ignore-file",
                   .value = "FILE",
                   .help = "vulnerabilities that do not count (default: scan_ignore_file)",
                   .completes = Completes::kFiles,
                   .repeats = true},
                  {.name = "--vex",
                   .value = "FILE",
                   .help = "an OpenVEX document (default: scan_vex)",
                   .completes = Completes::kFiles,
                   .repeats = true},
                  {.name = "--explain",
                   .help = "the chain from each to weakness, attack pattern and technique (table, json, sarif)"},
                  allow_vulnerable_option()},
      .arguments = {{.name = "TARGET",
                     .help = "an image (its id, the beginning of it, or its key), a tar file, or an SBOM",
                     .completes = Completes::kImages}},
      .examples = {"slipway scan debian-12", "slipway scan app.tar --severity CRITICAL,HIGH",
                   "slipway scan debian-12 --format cyclonedx -o sbom.json", "slipway scan sbom.json --explain"},
      .run = scan};
}

}  // namespace slipway::cli
