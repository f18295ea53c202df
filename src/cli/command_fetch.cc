#include <utility>

#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/pipeline_setup.h"
#include "cli/pools.h"
#include "cli/scan_setup.h"
#include "cli/text.h"
#include "cli/views.h"
#include "cli/work.h"
#include "pipeline/pipeline.h"

namespace slipway::cli {
namespace {

Result<catalog::ImageStatus> status_of(const Session& session, const std::string& image_id) {
  auto catalog = catalog::Catalog::open_reader(session.settings.sqlite_path.string(), session.clock);
  if (!catalog) return fail(std::move(catalog.error()));
  auto status = (*catalog)->image_status(image_id);
  if (!status) return fail(std::move(status.error()));
  if (!*status) return fail(ErrorKind::kNotFound, "the catalog has no image {}", image_id);
  return std::move(**status);
}

void print(Output& output, const catalog::ImageStatus& status, const pipeline::ProcessImageResponse& made) {
  const auto& image = status.image;
  Table table({{.title = "", .least = kWhole}, {.title = "", .least = kWhole}});  // to be copied, however narrow
  table.add({Cell("image"), Cell(image.image_id)});
  table.add({Cell("status"), Cell(std::string(catalog::to_string(status.status)), style_of(status.status))});
  table.add({Cell("checksum"), Cell("sha256:" + image.checksum)});
  table.add({Cell("size"), Cell(format_bytes(image.size_bytes) + (made.downloaded ? "" : ", there already"))});
  table.add({Cell("file"), Cell(image.local_path)});
  const bool warned = !made.scan_note.empty();
  table.add({Cell("findings"), Cell(findings_text(status.scan) + (warned ? ": " + made.scan_note : ""),
                                    warned ? Style::kYellow : Style::kPlain)});
  table.add({Cell("snapshot"), Cell(made.snapshot_name + (made.activated ? "" : ", there already"))});
  table.add({Cell("device"), Cell(made.device_path)});
  output.write_table(table);
}

CommandResult process(const Session& session, const Arguments& arguments, const std::string& key) {
  Workplace workplace(session);
  auto bucket = require_bucket(session.settings);
  if (!bucket) return bad_input(std::move(bucket.error()));
  if (valid_utf8(key) != key) {
    return wrong_use(fmt::format("the key {} is not UTF-8, which keys of images must be", printable(key)),
                     "rename the object");
  }
  auto policy = policy_of(session.settings);
  if (!policy) return bad_input(std::move(policy.error()));
  auto scan = scan_rules(session, arguments);
  if (!scan) return bad_input(std::move(scan.error()));
  auto pool = pool_name(session);
  if (!pool) return fail(std::move(pool.error()));
  auto request =
      pipeline::complete({.bucket = *bucket,
                          .key = full_key(session.settings, key),
                          .image_id = arguments.get("--image-id").value_or(""),
                          .verify = arguments.has("--verify"),
                          .rules = {.max_image_size = session.settings.max_image_size, .policy = std::move(*policy)},
                          .pool = std::move(*pool),
                          .device_size = session.settings.device_size,
                          .snapshot_name = arguments.get("--snapshot").value_or(""),
                          .scan = std::move(*scan)});
  if (!request) return bad_input(std::move(request.error()));
  auto answer = workplace.ask_for_device<pipeline::ProcessImageResponse>("process-image", request->image_id, *request,
                                                                         request->image_id);
  if (!answer) return std::unexpected(blocked_or_failed(std::move(answer.error())));
  const auto& made = answer->response;
  auto status = status_of(session, request->image_id);
  if (!status) return fail(std::move(status.error()));

  if (session.output.json()) {
    session.output.write_json({{"run", answer->run.to_string()},
                               {"downloaded", made.downloaded},
                               {"scanned", made.scanned},
                               {"scan_note", json_filled(made.scan_note)},
                               {"unpacked", made.unpacked},
                               {"activated", made.activated},
                               {"snapshot", made.snapshot_name},
                               {"device_path", made.device_path},
                               {"image", status_json(*status)}});
  } else {
    print(session.output, *status, made);
  }
  return ExitCode::kDone;
}

std::vector<OptionSpec> options() {
  return {{.name = "--verify", .help = "read the file and the volume again, even when nothing about them has changed"},
          {.name = "--image-id", .value = "ID", .help = "call it so (default: made of bucket and key)"},
          {.name = "--snapshot", .value = "NAME", .help = "call its snapshot so (default: snap- and the image's id)"},
          allow_vulnerable_option()};
}

}  // namespace

CommandSpec fetch_command() {
  return {.name = "fetch-and-create",
          .summary = "Take one image through the whole pipeline",
          .description =
              "Downloads the object, verifies it, checks what is in it, scans it, unpacks it onto a volume and makes a "
              "snapshot of that, ready to be booted from. An image with vulnerabilities of at least scan_block is "
              "not unpacked: the command ends with 3. What is there already is not made again unless the object has "
              "changed.\nInterrupted by Ctrl-C, or killed, it goes on "
              "where it was when it is run again.",
          .options = options(),
          .arguments = {{.name = "KEY", .help = "the object's key, with or without the configured prefix"}},
          .examples = {"slipway fetch-and-create alpine.tar",
                       "slipway --s3-bucket file:///srv/images fetch-and-create a.tar"},
          .run = [](const Session& session, const Arguments& arguments) {
            return process(session, arguments, arguments.at("KEY"));
          }};
}

CommandSpec process_image_command() {
  auto with_key = options();
  with_key.insert(with_key.begin(), {.name = "--s3-key", .value = "KEY", .help = "the object's key"});
  return {.name = "process-image",
          .summary = "The same as fetch-and-create, by its older name",
          .options = std::move(with_key),
          .examples = {"slipway process-image --s3-key alpine.tar"},
          .run = [](const Session& session, const Arguments& arguments) -> CommandResult {
            const auto key = arguments.get("--s3-key");
            if (!key) return wrong_use("process-image needs --s3-key KEY");
            return process(session, arguments, *key);
          }};
}

}  // namespace slipway::cli
