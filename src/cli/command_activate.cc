// `activate` and `deactivate`: snapshots of an image, one more and one less.
#include <utility>

#include "catalog/identity.h"
#include "cli/commands.h"
#include "cli/image_lookup.h"
#include "cli/pools.h"
#include "cli/scan_setup.h"
#include "cli/work.h"
#include "pipeline/activate_image.h"
#include "pipeline/remove_image.h"

namespace slipway::cli {
namespace {

Result<pipeline::ActivateImageRequest> activation_of(const Session& session, const Arguments& arguments) {
  const auto& name = arguments.at("IMAGE");
  auto catalog = open_catalog_for(session, name);
  if (!catalog) return fail(std::move(catalog.error()));
  auto image = find_image(session, **catalog, name);
  if (!image) return fail(std::move(image.error()));
  auto volume = (*catalog)->find_volume(image->image_id);
  if (!volume) return fail(std::move(volume.error()));
  if (!*volume || !(*volume)->layout_verified) {
    return fail(Error(ErrorKind::kNotFound, fmt::format("image {} is not unpacked", image->image_id))
                    .with_hint(fmt::format("slipway fetch-and-create {}", image->key)));
  }
  if (!(*volume)->current) {
    session.log.warn("image {} has been downloaded again since it was unpacked: the snapshot is of its older content",
                     image->image_id);
  }
  auto snapshot = arguments.get("--name").value_or(catalog::default_snapshot_name(image->image_id));
  if (auto good = catalog::check_snapshot_name(snapshot); !good) return fail(std::move(good.error()));
  if (auto good = volumes::check_device_name(snapshot); !good) return fail(std::move(good.error()));
  auto pool = choose_pool(session.settings, catalog->get());
  if (!pool) return fail(std::move(pool.error()));
  return pipeline::ActivateImageRequest{.image_id = image->image_id,
                                        .device_id = (*volume)->device_id.value,
                                        .device_name = (*volume)->device_name,
                                        .snapshot_name = std::move(snapshot),
                                        .pool = std::move(pool->name)};
}

CommandResult activate(const Session& session, const Arguments& arguments) {
  Workplace workplace(session);
  auto request = activation_of(session, arguments);
  if (!request) return bad_input(std::move(request.error()));
  auto answer = workplace.ask_for_device<pipeline::ActivateImageResponse>("activate-image", request->snapshot_name,
                                                                          *request, request->snapshot_name);
  if (!answer) return std::unexpected(blocked_or_failed(std::move(answer.error())));
  const auto& made = answer->response;
  if (session.output.json()) {
    session.output.write_json({{"run", answer->run.to_string()},
                               {"image_id", made.image_id},
                               {"snapshot", made.snapshot_name},
                               {"snapshot_id", made.snapshot_id},
                               {"device_path", made.device_path},
                               {"activated", made.activated}});
  } else {
    session.output.line(made.device_path);
  }
  return ExitCode::kDone;
}

CommandResult deactivate(const Session& session, const Arguments& arguments) {
  Workplace workplace(session);
  const pipeline::DeactivateSnapshotRequest request{.name = arguments.at("SNAPSHOT"),
                                                    .remove = arguments.has("--delete")};
  if (auto good = catalog::check_snapshot_name(request.name); !good) return bad_input(std::move(good.error()));
  auto answer =
      workplace.ask<pipeline::DeactivateSnapshotResponse>("deactivate-snapshot", request.name, request, request.name);
  if (!answer) return std::unexpected(std::move(answer.error()));
  const auto& done = answer->response;
  if (session.output.json()) {
    session.output.write_json({{"run", answer->run.to_string()},
                               {"snapshot", done.name},
                               {"image_id", done.image_id},
                               {"deactivated", done.deactivated},
                               {"deleted", done.removed},
                               {"deferred", done.deferred}});
    return ExitCode::kDone;
  }
  const std::string_view how = done.deferred      ? "is forgotten, and deleted when it is no longer in use"
                               : done.removed     ? "is deleted"
                               : done.deactivated ? "is inactive"
                                                  : "was inactive already";
  session.output.note(fmt::format("Snapshot {} of {} {}.", done.name, done.image_id, how));
  return ExitCode::kDone;
}

}  // namespace

CommandSpec activate_command() {
  return {
      .name = "activate",
      .summary = "Make a snapshot of an unpacked image, or bring one back",
      .description =
          "Prints the path of the device. A snapshot is a copy-on-write child of the image's volume: "
          "what is written to it is its own. Several of one image have different names.",
      .options = {{.name = "--name", .value = "NAME", .help = "of the snapshot (default: snap- and the image's id)"}},
      .arguments = {{.name = "IMAGE",
                     .help = "its id, the beginning of it, or its key",
                     .completes = Completes::kImages}},
      .examples = {"slipway activate alpine", "slipway activate alpine --name vm-7"},
      .run = activate};
}

CommandSpec deactivate_command() {
  return {.name = "deactivate",
          .summary = "Take a snapshot down",
          .description =
              "Its device goes away, and what was written to it is kept: `activate` with its name brings it "
              "back. One that is in use is left as it is.",
          .options = {{.name = "--delete", .help = "and delete what was written to it"}},
          .arguments = {{.name = "SNAPSHOT", .help = "its name"}},
          .examples = {"slipway deactivate vm-7", "slipway deactivate vm-7 --delete"},
          .run = deactivate};
}

}  // namespace slipway::cli
