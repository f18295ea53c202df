#include <memory>
#include <utility>

#include "pipeline/device_ids.h"
#include "pipeline/remove_image.h"
#include "pipeline/under_way.h"

namespace slipway::pipeline {

namespace {

using namespace std::chrono_literals;

using Run = fsm::Context<DeactivateSnapshotRequest, DeactivateSnapshotResponse>;
using Outcome = fsm::Outcome<DeactivateSnapshotResponse>;

// The pool first: a row that says inactive never has an active device behind it.
Outcome take_down(const fsm::Manager& manager, const RemoveParts& parts, const Run& run) {
  const auto& request = run.request();
  const auto earlier = earlier_run(manager, run.version(), "activate-image", request.name);
  if (!earlier) return fsm::error(earlier.error());
  if (*earlier) return fsm::await(**earlier, DeactivateSnapshotResponse{});
  const auto row = parts.catalog->find_snapshot(request.name);
  if (!row) return fsm::error(row.error());
  if (!*row) {
    return fsm::abort(Error(ErrorKind::kNotFound, fmt::format("there is no snapshot {}", request.name))
                          .with_hint("`slipway show IMAGE` names those of an image"));
  }
  const auto& snapshot = **row;
  if (snapshot.pool != parts.pool->name()) {
    return fsm::abort(Error(ErrorKind::kConflict, fmt::format("snapshot {} is in pool {}, and this process has {}",
                                                              snapshot.name, snapshot.pool, parts.pool->name())));
  }
  const DeactivateSnapshotResponse response{
      .name = snapshot.name, .image_id = snapshot.image_id, .deactivated = snapshot.active};
  if (auto down = parts.pool->deactivate({snapshot.snapshot_id, snapshot.name, 0}); !down) {
    // To be deleted it need not rest first: it is forgotten, and goes when it is no longer in use.
    if (request.remove && down.error().kind() == ErrorKind::kUnavailable) return fsm::next(response);
    return down.error().during("deactivate {}", snapshot.name);
  }
  auto noted = parts.catalog->deactivate_snapshot(snapshot.name);
  if (!noted) return noted.error().during("note that {} is inactive", snapshot.name);
  return fsm::next(response);
}

Outcome remove(const RemoveParts& parts, const Run& run) {
  DeactivateSnapshotResponse response = run.response();
  if (response.name.empty()) return fsm::go_to("take-down", DeactivateSnapshotResponse{});  // it has awaited another
  if (!run.request().remove) return fsm::next(std::move(response));
  auto forgotten = parts.catalog->delete_snapshot(response.name, catalog::DeviceFate::kMayRemain);
  if (!forgotten) return forgotten.error().during("forget snapshot {}", response.name);
  auto deleted = delete_deferred(
      *parts.catalog, *parts.pool, run.log(), volumes::WhenBusy::kWait, [&](const catalog::Reservation& id) {
        return id.purpose == catalog::Purpose::kSnapshot && id.snapshot_name == response.name;
      });
  if (!deleted) return deleted.error().during("delete snapshot {}", response.name);
  response.deferred = deleted->in_use > 0;
  response.removed = true;
  return fsm::next(std::move(response));
}

}  // namespace

Result<DeactivateSnapshotMachine> add_deactivate_snapshot(fsm::Manager& manager, RemoveParts parts) {
  const auto shared = std::make_shared<const RemoveParts>(std::move(parts));
  return fsm::machine<DeactivateSnapshotRequest, DeactivateSnapshotResponse>("deactivate-snapshot")
      .resource("snapshot")
      .start("take-down", gated([shared, &manager](const Run& run) { return take_down(manager, *shared, run); }),
             {.retry = fsm::fixed(3, 1s)})
      .to("remove", gated([shared](const Run& run) { return remove(*shared, run); }),
          {.retry = fsm::exponential(5, 100ms, 10s)})
      .end("complete")
      .add_to(manager);
}

}  // namespace slipway::pipeline
