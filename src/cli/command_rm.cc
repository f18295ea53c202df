#include <utility>

#include "cli/commands.h"
#include "cli/image_lookup.h"
#include "cli/work.h"
#include "pipeline/remove_image.h"

namespace slipway::cli {
namespace {

Result<catalog::Image> look_up(const Session& session, const std::string& name) {
  auto catalog = open_catalog_for(session, name);
  if (!catalog) return fail(std::move(catalog.error()));
  return find_image(session, **catalog, name);
}

CommandResult rm(const Session& session, const Arguments& arguments) {
  Workplace workplace(session);
  auto image = look_up(session, arguments.at("IMAGE"));
  if (!image) return bad_input(std::move(image.error()));
  const pipeline::RemoveImageRequest request{image->image_id, arguments.has("--force")};
  auto answer = workplace.ask<pipeline::RemoveImageResponse>("remove-image", image->image_id, request, image->image_id);
  if (!answer) return std::unexpected(std::move(answer.error()));
  const auto& removed = answer->response;
  if (session.output.json()) {
    session.output.write_json({{"run", answer->run.to_string()},
                               {"image_id", removed.image_id},
                               {"snapshots", removed.snapshots},
                               {"deferred", removed.deferred}});
    return ExitCode::kDone;
  }
  session.output.note(fmt::format("Image {} is removed.", removed.image_id));
  if (removed.deferred > 0) {
    session.output.note(fmt::format("{} device{} in use, and deleted when {} no longer: `slipway doctor --fix` tries.",
                                    removed.deferred, removed.deferred == 1 ? " is" : "s are",
                                    removed.deferred == 1 ? "it is" : "they are"));
  }
  return ExitCode::kDone;
}

}  // namespace

CommandSpec rm_command() {
  return {.name = "rm",
          .summary = "Remove an image with all that was made of it",
          .description =
              "Its snapshots, its volume, its file and what is recorded of it. An image with an active "
              "snapshot is refused unless --force is given. The object in the bucket is not touched.",
          .options = {{.name = "--force", .help = "take its active snapshots down, too"}},
          .arguments = {{.name = "IMAGE",
                         .help = "its id, the beginning of it, or its key",
                         .completes = Completes::kImages}},
          .examples = {"slipway rm alpine", "slipway rm alpine --force"},
          .run = rm};
}

}  // namespace slipway::cli
