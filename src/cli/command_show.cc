#include <utility>

#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/image_lookup.h"
#include "cli/run_lookup.h"
#include "cli/text.h"
#include "cli/views.h"

namespace slipway::cli {
namespace {

constexpr std::size_t kRunsShown = 20;
constexpr std::size_t kFindingsOnTerminal = 20;

// All that is known of an image.
struct Known {
  catalog::ImageStatus status;
  std::vector<catalog::PolicyFinding> policy_findings;
  std::vector<catalog::Finding> findings;
  std::optional<std::vector<fsm::RunRecord>> runs;  // none: they cannot be read
};

Result<std::vector<fsm::RunRecord>> runs_of(const Session& session, const std::string& image_id) {
  auto store = open_runs(session.settings);
  if (!store) return fail(std::move(store.error()));
  if (!*store) return std::vector<fsm::RunRecord>();
  fsm::RunFilter filter;
  filter.id = image_id;
  filter.limit = kRunsShown;
  return (*store)->list(filter);
}

Result<Known> look_up(const Session& session, const std::string& name) {
  auto catalog = open_catalog_for(session, name);
  if (!catalog) return fail(std::move(catalog.error()));
  auto image = find_image(session, **catalog, name);
  if (!image) return fail(std::move(image.error()));
  auto status = (*catalog)->image_status(image->image_id);
  if (!status) return fail(std::move(status.error()));
  if (!*status) return fail(ErrorKind::kNotFound, "image {} has just been removed", image->image_id);
  auto policy = (*catalog)->policy_findings(image->image_id);
  if (!policy) return fail(std::move(policy.error()));
  auto findings = (*catalog)->findings(image->image_id);
  if (!findings) return fail(std::move(findings.error()));
  auto runs = runs_of(session, image->image_id);
  if (!runs) session.output.warn("warning: its runs cannot be shown: " + printable(runs.error().describe()));
  Known known{std::move(**status), std::move(*policy), std::move(*findings), std::nullopt};
  if (runs) known.runs = std::move(*runs);
  return known;
}

OrderedJson known_json(const Known& known) {
  auto json = status_json(known.status);
  json["policy_findings"] = OrderedJson::array();
  for (const auto& finding : known.policy_findings) json["policy_findings"].push_back(policy_finding_json(finding));
  json["findings"] = OrderedJson::array();
  for (const auto& finding : known.findings) json["findings"].push_back(finding_json(finding));
  json["runs"] = known.runs ? OrderedJson::array() : OrderedJson();
  for (const auto& run : known.runs.value_or(std::vector<fsm::RunRecord>())) json["runs"].push_back(run_json(run));
  return json;
}

class Writer {
 public:
  explicit Writer(Output& output) : output_(output) {}

  void write(const Known& known) {
    const auto& image = known.status.image;
    output_.line(fmt::format("{}  {}", output_.paint(printable(image.image_id), Style::kBold),
                             output_.paint(catalog::to_string(known.status.status), style_of(known.status.status))));
    field("bucket", image.bucket);
    field("key", image.key);
    if (!image.error.empty()) field("error", fmt::format("{} ({})", image.error, output_.time(image.error_at)));
    if (known.status.lock) {
      field("locked by", fmt::format("{} since {}", known.status.lock->holder, output_.time(known.status.lock->since)));
    }
    write_download(image);
    write_scan(known);
    write_volume(known.status);
    if (known.runs) write_runs(*known.runs);
  }

 private:
  void heading(std::string_view text) {
    output_.line("");
    output_.line(output_.paint(text, Style::kBold));
  }
  void field(std::string_view name, const std::string& value) {
    if (!value.empty()) output_.line(fmt::format("  {}{}", pad_right(name, 12), printable(value)));
  }

  void write_download(const catalog::Image& image) {
    heading("Download");
    field("status", std::string(catalog::to_string(image.download_status)));
    if (image.refreshing_since) field("refreshing", "since " + output_.time(image.refreshing_since));
    if (image.checksum.empty()) return;
    field("checksum", "sha256:" + image.checksum);
    field("size", fmt::format("{} ({} bytes)", format_bytes(image.size_bytes), image.size_bytes));
    field("etag", image.etag);
    field("file", image.local_path);
    field("downloaded", output_.time(image.downloaded_at));
    field("verified", output_.time(image.verified_at));
    if (const auto& archive = image.archive) {
      field("archive", fmt::format("{}, {} layer{}, {} files, {} unpacked", archive->kind, archive->layers,
                                   archive->layers == 1 ? "" : "s", archive->files, format_bytes(archive->total_size)));
      field("policy", policy_level(*archive));
    }
  }

  void write_scan(const Known& known) {
    heading("Scan");
    const auto& scan = known.status.scan;
    field("findings", findings_text(scan));
    if (scan) {
      field("blocked", scan->blocked ? "yes" : "no");
      field("engine", scan->engine);
      field("scanned", output_.time(scan->scanned_at));
      if (scan->database_date) field("advisories", output_.time(scan->database_date));
      field("policy", scan->policy);
      if (!scan->allowed_by.empty()) {
        field("allowed by", fmt::format("{} ({})", scan->allowed_by, output_.time(scan->allowed_at)));
      }
      if (scan->suppressed > 0) field("left out", fmt::format("{} that do not count", scan->suppressed));
      for (const auto& warning : warnings_of(*scan)) field("warning", warning);
    }
    write_findings(known.findings);
    if (known.policy_findings.empty()) return;
    heading("Policy findings");
    Table table({{.title = "RULE", .importance = 90},
                 {.title = "ENTRY", .importance = 50, .least = 16, .cut = Cut::kMiddle},
                 {.title = "DETAIL", .importance = 20, .least = 16}});
    for (std::size_t i = 0; i < shown(known.policy_findings.size()); ++i) {
      const auto& finding = known.policy_findings[i];
      table.add({Cell(finding.rule), Cell(finding.entry), Cell(finding.detail.empty() ? "-" : finding.detail)});
    }
    output_.write_table(table);
    rest(known.policy_findings.size());
    const auto total = known.status.image.archive ? known.status.image.archive->findings : 0;
    if (total > known.policy_findings.size()) {
      output_.line(fmt::format("  {} in all; the first {} are kept", total, known.policy_findings.size()));
    }
  }

  void write_findings(const std::vector<catalog::Finding>& findings) {
    if (findings.empty()) return;
    output_.line("");
    Table table({{.title = "SEVERITY", .importance = 90, .least = 8},
                 {.title = "VULNERABILITY", .importance = 100, .least = 14},
                 {.title = "PACKAGE", .importance = 80, .least = 10},
                 {.title = "VERSION", .importance = 60, .least = 8},
                 {.title = "FIXED IN", .importance = 70, .least = 8},
                 {.title = "TITLE", .importance = 10, .least = 10}});
    for (std::size_t i = 0; i < shown(findings.size()); ++i) {
      const auto& finding = findings[i];
      table.add({Cell(std::string(slipway::to_string(finding.severity)), style_of(finding.severity)),
                 Cell(finding.vulnerability), Cell(finding.package), Cell(finding.version),
                 Cell(finding.fixed_version.empty() ? "-" : finding.fixed_version),
                 Cell(finding.title.empty() ? "-" : finding.title)});
    }
    output_.write_table(table);
    rest(findings.size());
  }

  void write_volume(const catalog::ImageStatus& status) {
    heading("Volume");
    if (const auto& volume = status.volume) {
      field("device", volume->device_path);
      field("size", fmt::format("{}, {} files", format_bytes(volume->size_bytes), volume->file_count));
      field("layout", volume->layout_verified ? "verified" : "not verified");
      if (!volume->current) field("content", "outdated: the image has been downloaded again since");
      field("unpacked", output_.time(volume->unpacked_at));
    } else {
      field("status", "not unpacked");
    }
    if (status.snapshots.empty()) return;
    heading("Snapshots");
    Table table({{.title = "NAME", .importance = 80, .least = 12, .cut = Cut::kMiddle},
                 {.title = "ACTIVE", .importance = 100},
                 {.title = "DEVICE", .importance = 90, .least = 16, .cut = Cut::kMiddle},
                 {.title = "CREATED", .importance = 20, .least = 16, .optional = true}});
    for (const auto& snapshot : status.snapshots) {
      table.add({Cell(snapshot.name),
                 Cell(snapshot.active ? "yes" : "no", snapshot.active ? Style::kGreen : Style::kDim),
                 Cell(snapshot.device_path), Cell(output_.table_time(snapshot.created_at))});
    }
    output_.write_table(table);
  }

  void write_runs(const std::vector<fsm::RunRecord>& runs) {
    if (runs.empty()) return;
    heading("Runs");
    output_.write_table(run_table(runs, output_));
  }

  // A terminal gets the first ones, a pipe all.
  [[nodiscard]] std::size_t shown(std::size_t count) const {
    return output_.out_look().terminal ? std::min(count, kFindingsOnTerminal) : count;
  }
  void rest(std::size_t count) {
    if (shown(count) < count)
      output_.line(fmt::format("and {} more: --json, or a pipe, shows all", count - shown(count)));
  }

  Output& output_;
};

CommandResult show(const Session& session, const Arguments& arguments) {
  auto known = look_up(session, arguments.at("IMAGE"));
  if (!known) return fail(std::move(known.error()));
  if (session.output.json()) {
    session.output.write_json(known_json(*known));
  } else {
    Writer(session.output).write(*known);
  }
  return ExitCode::kDone;
}

}  // namespace

CommandSpec show_command() {
  return {.name = "show",
          .summary = "Show one image: every stage, its findings, devices and runs",
          .arguments = {{.name = "IMAGE",
                         .help = "its id, a beginning of it, or its key",
                         .completes = Completes::kImages}},
          .examples = {"slipway show alpine", "slipway show images/alpine.tar --json"},
          .run = show};
}

}  // namespace slipway::cli
