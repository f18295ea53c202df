#include <map>
#include <utility>

#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/pipeline_setup.h"
#include "cli/text.h"
#include "cli/views.h"
#include "sys/interrupts.h"

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

// Those of the configured bucket.
Result<std::map<std::string, catalog::ImageSummary>> images_by_key(const Session& session) {
  auto images = read_images(session, std::nullopt);
  if (!images) return fail(std::move(images.error()));
  std::map<std::string, catalog::ImageSummary> by_key;
  for (auto& summary : *images) {
    if (summary.image.bucket != session.settings.s3_bucket) continue;
    std::string key = summary.image.key;
    by_key.emplace(std::move(key), std::move(summary));
  }
  return by_key;
}

OrderedJson remote_json(const objects::ObjectInfo& object, const catalog::ImageSummary* image) {
  return {{"key", json_text(object.key)},
          {"size_bytes", object.size},
          {"etag", json_filled(object.etag)},
          {"modified_at", json_time(object.modified)},
          {"image_id", image == nullptr ? OrderedJson() : OrderedJson(image->image.image_id)},
          {"status", image == nullptr ? OrderedJson() : OrderedJson(catalog::to_string(image->status))}};
}

Table image_table(const std::vector<catalog::ImageSummary>& images, const Output& output) {
  Table table({{.title = "IMAGE", .importance = 60, .least = 16, .cut = Cut::kMiddle},
               {.title = "STATUS", .importance = 100, .least = kWhole},
               {.title = "SIZE", .importance = 80, .least = kWhole, .right = true},
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

// The rows of `list --remote`: held once, in the form in which they will be written.
class RemoteRows {
 public:
  explicit RemoteRows(Output& output) : output_(output) {}

  void add(const objects::ObjectInfo& object, const catalog::ImageSummary* image) {
    ++count_;
    if (output_.json()) {
      list_.push_back(remote_json(object, image));
      return;
    }
    const std::string dash(output_.dash());
    table_.add({Cell(object.key), Cell(format_bytes(object.size)), Cell(output_.table_time(object.modified)),
                Cell(image == nullptr ? dash : image->image.image_id),
                image == nullptr ? Cell(dash)
                                 : Cell(std::string(catalog::to_string(image->status)), style_of(image->status))});
  }
  void add_unreadable(const Error& why) {
    unreadable_.push_back(json_text(why.message()));
    output_.warn("warning: " + printable(why.message()));
  }

  // Whether the list is whole.
  bool write(const std::string& source, const std::string& prefix) {
    if (output_.json()) {
      const bool whole = unreadable_.empty();
      output_.write_json({{"source", source}, {"objects", std::move(list_)}, {"unreadable", std::move(unreadable_)}});
      return whole;
    }
    if (count_ > 0) {
      output_.write_table(table_);
    } else {
      output_.note(fmt::format("{} has nothing below \"{}\"{}.", source, printable(prefix),
                               unreadable_.empty() ? "" : " that can be read"));
    }
    return unreadable_.empty();
  }

 private:
  Output& output_;
  OrderedJson list_ = OrderedJson::array();
  OrderedJson unreadable_ = OrderedJson::array();
  Table table_{{{.title = "KEY", .importance = 60, .least = 16, .cut = Cut::kMiddle},
                {.title = "SIZE", .importance = 80, .least = kWhole, .right = true},
                {.title = "MODIFIED", .importance = 20, .least = 16, .optional = true},
                {.title = "IMAGE", .importance = 40, .least = 12, .cut = Cut::kMiddle},
                {.title = "STATUS", .importance = 100, .least = kWhole}}};
  std::size_t count_ = 0;
};

// What the bucket has below the configured prefix, and what of it is here.
CommandResult list_remote(const Session& session) {
  const sys::Interrupts interrupts;
  auto source = open_bucket(session);
  if (!source) return bad_input(std::move(source.error()));
  auto here = images_by_key(session);
  if (!here) return fail(std::move(here.error()));
  RemoteRows rows(session.output);
  objects::ListRequest request{.prefix = session.settings.s3_prefix};
  do {
    auto page = (*source)->list(request, interrupts.token());
    if (!page && interrupts.happened()) return interrupted(Error(ErrorKind::kCancelled, "interrupted"));
    if (!page) return fail(std::move(page.error()));
    for (const auto& object : page->objects) {
      const auto image = here->find(object.key);
      rows.add(object, image == here->end() ? nullptr : &image->second);
    }
    for (const auto& why : page->unreadable) rows.add_unreadable(why);
    request.after = page->next;
  } while (!request.after.empty());
  return rows.write((*source)->describe(), session.settings.s3_prefix) ? ExitCode::kDone : ExitCode::kFailed;
}

CommandResult list(const Session& session, const Arguments& arguments) {
  if (arguments.has("--remote")) {
    if (arguments.has("--status")) return wrong_use("--remote and --status do not go together");
    return list_remote(session);
  }
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
          .description =
              "With --remote: what the configured bucket has below the configured prefix, and what of it is "
              "here.",
          .options = {{.name = "--remote", .help = "list what the bucket has"},
                      {.name = "--status",
                       .value = "STATUS",
                       .help = "only those of this status",
                       .values = {"pending", "downloading", "downloaded", "scanned", "vulnerable", "unpacked", "ready",
                                  "failed"}}},
          .examples = {"slipway list --status ready", "slipway list --remote",
                       "slipway list --json | jq -r '.images[].image_id'"},
          .run = list};
}

}  // namespace slipway::cli
