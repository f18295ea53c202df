#include <utility>

#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/views.h"

namespace slipway::cli {
namespace {

Result<std::vector<catalog::ImageSummary>> read_images(const Session& session, std::optional<catalog::Status> status) {
  auto catalog = catalog::Catalog::open_reader(session.settings.sqlite_path.string(), session.clock);
  if (!catalog && catalog.error().kind() == ErrorKind::kNotFound) return std::vector<catalog::ImageSummary>();
  if (!catalog) return fail(std::move(catalog.error()));
  std::vector<catalog::ImageSummary> images;
  catalog::Page page;
  for (;;) {
    auto some = (*catalog)->list_status(status, page);
    if (!some) return fail(std::move(some.error()));
    if (some->empty()) return images;
    page.after = some->back().image.row;
    std::ranges::move(*some, std::back_inserter(images));
  }
}

Table image_table(const std::vector<catalog::ImageSummary>& images, const Output& output) {
  Table table({{.title = "IMAGE", .importance = 60, .least = 16, .cut = Cut::kMiddle},
               {.title = "STATUS", .importance = 100},
               {.title = "SIZE", .importance = 80, .right = true},
               {.title = "CHECKSUM", .importance = 30, .least = 8},
               {.title = "FINDINGS", .importance = 90, .least = 8},
               {.title = "UPDATED", .importance = 20, .least = 16, .optional = true},
               {.title = "DEVICE", .importance = 10, .least = 12, .cut = Cut::kMiddle, .optional = true}});
  for (const auto& [image, status, scan, snapshots, active, device] : images) {
    const std::string dash(output.dash());
    const bool alarming = scan && scan->blocked;
    table.add({Cell(image.image_id), Cell(std::string(catalog::to_string(status)), style_of(status)),
               Cell(image.checksum.empty() ? dash : format_bytes(image.size_bytes)),
               Cell(output.checksum(image.checksum)), Cell(findings_text(scan), alarming ? Style::kRed : Style::kPlain),
               Cell(output.table_time(image.updated_at)), Cell(device.empty() ? dash : device)});
  }
  return table;
}

Result<ExitCode> list(const Session& session, const Arguments& arguments) {
  std::optional<catalog::Status> status;
  if (const auto name = arguments.get("--status")) status = catalog::parse_status(*name);
  auto images = read_images(session, status);
  if (!images) return fail(std::move(images.error()));
  auto& output = session.output;
  if (output.json()) {
    auto list = OrderedJson::array();
    for (const auto& image : *images) list.push_back(summary_json(image));
    output.write_json({{"images", std::move(list)}});
  } else if (!images->empty()) {
    output.write_table(image_table(*images, output));
  } else if (status) {
    output.note(fmt::format("No image is {}.", catalog::to_string(*status)));
  } else {
    output.note("There are no images yet.");
  }
  return ExitCode::kDone;
}

}  // namespace

CommandSpec list_command() {
  return {.name = "list",
          .summary = "List images with their status, checksum and findings",
          .options = {{.name = "--status",
                       .value = "STATUS",
                       .help = "only those of this status",
                       .values = {"pending", "downloading", "downloaded", "scanned", "vulnerable", "unpacked", "ready",
                                  "failed"}}},
          .examples = {"slipway list --status ready", "slipway list --json | jq -r '.images[].image_id'"},
          .run = list};
}

}  // namespace slipway::cli
