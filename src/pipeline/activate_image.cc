#include "pipeline/activate_image.h"

#include <optional>
#include <utility>

#include "catalog/identity.h"
#include "pipeline/device_ids.h"
#include "pipeline/under_way.h"
#include "sys/fault.h"

namespace slipway::pipeline {

namespace {

using namespace std::chrono_literals;

using Run = fsm::Context<ActivateImageRequest, ActivateImageResponse>;
using Outcome = fsm::Outcome<ActivateImageResponse>;

class ActivateImage {
 public:
  ActivateImage(fsm::Manager& manager, ActivateParts parts) : manager_(manager), parts_(std::move(parts)) {}

  Outcome check_snapshot(const Run& run) const;
  Outcome create_snapshot(const Run& run) const;
  Outcome register_it(const Run& run) const;
  Result<> clean_up(const Run& run, const fsm::Finishing& end) const;

 private:
  [[nodiscard]] catalog::Catalog& catalog() const { return *parts_.catalog; }
  [[nodiscard]] volumes::Pool& pool() const { return *parts_.pool; }

  // The volume that the request is about, when it is there. kNotFound, kConflict.
  Result<catalog::Volume> volume_of(const ActivateImageRequest& request) const;
  // Makes the snapshot's device active. The path.
  Result<std::string> bring_up(const Run& run, DeviceId snapshot) const;
  // A snapshot that is there and at rest, without asking for anything else: its volume may be gone, the pool full.
  Outcome bring_back(const Run& run, const catalog::Snapshot& snapshot) const;
  // The snapshot's device. kConflict: under its id the pool has something else.
  Result<std::optional<volumes::Device>> device_of(const catalog::Snapshot& row) const;
  // What began earlier, and is to come to its end first.
  Result<std::optional<fsm::RunVersion>> in_the_way(const Run& run) const;
  // The device of a snapshot is lost: its row goes, when another one can be made.
  Outcome forget_lost(const Run& run, const catalog::Snapshot& snapshot) const;

  fsm::Manager& manager_;
  ActivateParts parts_;
};

bool is_refusal(ErrorKind kind) {
  return kind == ErrorKind::kNoSpace || kind == ErrorKind::kNotFound || kind == ErrorKind::kConflict ||
         kind == ErrorKind::kInvalid || kind == ErrorKind::kCorrupt;
}

Outcome refused_or_error(const Error& error) {
  return is_refusal(error.kind()) ? Outcome(fsm::abort(error)) : Outcome(fsm::error(error));
}

Result<std::optional<volumes::Device>> ActivateImage::device_of(const catalog::Snapshot& row) const {
  auto device = pool().find(row.snapshot_id);
  if (!device || !*device) return device;
  if ((*device)->origin && *(*device)->origin != row.origin) {
    return fail(
        Error(ErrorKind::kConflict, fmt::format("device {} in pool {} is a snapshot of device {}, and {} is "
                                                "recorded as one of {}",
                                                row.snapshot_id, row.pool, *(*device)->origin, row.name, row.origin))
            .with_hint("somebody has changed the pool: slipway doctor tells more"));
  }
  return device;
}

Result<std::optional<fsm::RunVersion>> ActivateImage::in_the_way(const Run& run) const {
  auto removal = earlier_run(manager_, run.version(), "remove-image", run.request().image_id);
  if (!removal || *removal) return removal;
  return earlier_run(manager_, run.version(), "deactivate-snapshot", run.request().snapshot_name);
}

Outcome ActivateImage::forget_lost(const Run& run, const catalog::Snapshot& snapshot) const {
  if (auto volume = volume_of(run.request()); !volume) {
    const Error& error = volume.error();
    return refused_or_error(
        Error(error.kind(), fmt::format("the device of snapshot {} is not in pool {} any more, and another one cannot "
                                        "be made: {}",
                                        snapshot.name, snapshot.pool, error.message()))
            .with_hint(error.hint()));
  }
  run.log().warn("snapshot {} has lost its device {}: it is made again", snapshot.name, snapshot.snapshot_id);
  auto gone = catalog().delete_snapshot(snapshot.name, catalog::DeviceFate::kMayRemain);
  if (!gone) return gone.error().during("forget snapshot {}", snapshot.name);
  auto discarded = discard_device(catalog(), pool(), {snapshot.snapshot_id, snapshot.name, 0}, run.log());
  if (!discarded) return discarded.error().during("forget device {}", snapshot.snapshot_id);
  return fsm::next(ActivateImageResponse{.image_id = run.request().image_id});
}

Outcome ActivateImage::check_snapshot(const Run& run) const {
  const auto& request = run.request();
  if (auto good = catalog::check_snapshot_name(request.snapshot_name); !good) return fsm::abort(good.error());
  if (request.pool != pool().name()) {
    return fsm::abort(Error(ErrorKind::kConflict,
                            fmt::format("pool {} is asked for, and this process has {}", request.pool, pool().name())));
  }
  const auto earlier = in_the_way(run);
  if (!earlier) return fsm::error(earlier.error());
  if (*earlier) return fsm::await(**earlier, ActivateImageResponse{});
  const auto verdict = catalog().find_scan(request.image_id);
  if (!verdict) return verdict.error().during("look for the verdict over {}", request.image_id);
  if (*verdict && (*verdict)->current && (*verdict)->blocked) {
    return fsm::abort(Error(ErrorKind::kVulnerable, fmt::format("image {} is vulnerable, and blocked ({})",
                                                                request.image_id, (*verdict)->policy))
                          .with_hint(fmt::format("slipway show {} lists what is known against it; "
                                                 "slipway scan {} --allow-vulnerable lets it pass",
                                                 request.image_id, request.image_id)));
  }
  const auto row = catalog().find_snapshot(request.snapshot_name);
  if (!row) return row.error().during("look for snapshot {}", request.snapshot_name);
  if (!*row) return fsm::next(ActivateImageResponse{.image_id = request.image_id});
  const auto& snapshot = **row;
  if (snapshot.image_id != request.image_id || snapshot.origin.value != request.device_id) {
    return fsm::abort(Error(ErrorKind::kConflict, fmt::format("{} is a snapshot of {}, of device {}, already",
                                                              snapshot.name, snapshot.image_id, snapshot.origin))
                          .with_hint("give the new one another name"));
  }
  const auto device = device_of(snapshot);
  if (!device) return refused_or_error(device.error());
  if (*device && (*device)->active() && snapshot.active) {
    return fsm::handoff(ActivateImageResponse{.image_id = request.image_id,
                                              .snapshot_id = snapshot.snapshot_id.value,
                                              .snapshot_name = snapshot.name,
                                              .device_path = (*device)->path,
                                              .active = true});
  }
  if (!*device) return forget_lost(run, snapshot);
  if (snapshot.active) {
    auto noted = catalog().deactivate_snapshot(snapshot.name);
    if (!noted) return noted.error().during("note that {} is inactive", snapshot.name);
  }
  return fsm::next(ActivateImageResponse{.image_id = request.image_id});
}

Result<catalog::Volume> ActivateImage::volume_of(const ActivateImageRequest& request) const {
  auto volume = catalog().find_volume(request.image_id);
  if (!volume) return fail(std::move(volume.error()));
  if (!*volume || !(*volume)->layout_verified || (*volume)->pool != request.pool) {
    return fail(
        Error(ErrorKind::kNotFound, fmt::format("image {} has no volume in pool {}", request.image_id, request.pool))
            .with_hint("slipway fetch-and-create makes it"));
  }
  if ((*volume)->device_id.value != request.device_id) {
    return fail(ErrorKind::kConflict, "the volume of image {} is device {}, not {}", request.image_id,
                (*volume)->device_id, request.device_id);
  }
  const auto device = pool().find((*volume)->device_id);
  if (!device) return fail(device.error());
  const auto made_with = (*volume)->device_size;
  if (*device && !(*device)->active() && made_with != 0 && (*device)->size.value_or(made_with) != made_with) {
    return fail(
        Error(ErrorKind::kCorrupt, fmt::format("the volume {} of image {} has {} bytes, and was made with {}",
                                               (*volume)->device_name, request.image_id, *(*device)->size, made_with))
            .with_hint("slipway rm and slipway fetch-and-create make it again"));
  }
  if (!*device) {
    return fail(Error(ErrorKind::kNotFound, fmt::format("the volume {} of image {} is not in pool {} any more",
                                                        (*volume)->device_name, request.image_id, request.pool))
                    .with_hint("slipway doctor tells more; slipway fetch-and-create makes it again"));
  }
  return std::move(**volume);
}

Result<std::string> ActivateImage::bring_up(const Run& run, DeviceId snapshot) const {
  const auto& request = run.request();
  const auto volume = catalog().find_volume(request.image_id);
  if (!volume) return volume.error().during("look for the volume of {}", request.image_id);
  return pool().activate({snapshot, request.snapshot_name, *volume ? (*volume)->device_size : 0});
}

Outcome ActivateImage::bring_back(const Run& run, const catalog::Snapshot& snapshot) const {
  auto path = bring_up(run, snapshot.snapshot_id);
  if (!path) return refused_or_error(path.error());
  return fsm::next(ActivateImageResponse{.image_id = run.request().image_id,
                                         .snapshot_id = snapshot.snapshot_id.value,
                                         .snapshot_name = snapshot.name,
                                         .device_path = std::move(*path),
                                         .active = true,
                                         .activated = true});
}

Outcome ActivateImage::create_snapshot(const Run& run) const {
  const auto& request = run.request();
  // What was in the way has ended: all is looked at now.
  if (run.response().image_id.empty()) return fsm::go_to("check-snapshot", ActivateImageResponse{});
  const auto row = catalog().find_snapshot(request.snapshot_name);
  if (!row) return row.error().during("look for snapshot {}", request.snapshot_name);
  if (*row) return bring_back(run, **row);
  const auto volume = volume_of(request);
  if (!volume) return refused_or_error(volume.error());
  const auto reserved = reserve_device(catalog(), pool(),
                                       {.pool = request.pool,
                                        .purpose = catalog::Purpose::kSnapshot,
                                        .image_id = request.image_id,
                                        .snapshot_name = request.snapshot_name,
                                        .start = catalog::first_snapshot_id(request.image_id, request.snapshot_name)});
  if (!reserved) return refused_or_error(reserved.error());
  const volumes::DeviceSpec origin{volume->device_id, volume->device_name, volume->device_size};
  const volumes::DeviceSpec snapshot{reserved->device_id, request.snapshot_name, volume->device_size};
  if (auto fault = fault::check("pipeline.activate.snapshot")) return fsm::error(std::move(*fault));
  auto made = pool().snapshot(snapshot, origin);
  if (!made && made.error().kind() != ErrorKind::kAlreadyExists) return refused_or_error(made.error());
  auto path = pool().activate(snapshot);
  if (!path) return refused_or_error(path.error());
  return fsm::next(ActivateImageResponse{.image_id = request.image_id,
                                         .snapshot_id = reserved->device_id.value,
                                         .snapshot_name = request.snapshot_name,
                                         .device_path = std::move(*path),
                                         .active = true,
                                         .activated = true});
}

// A reboot may have come after the device was made active.
Outcome ActivateImage::register_it(const Run& run) const {
  ActivateImageResponse response = run.response();
  auto path = bring_up(run, {response.snapshot_id});
  if (!path) return refused_or_error(path.error());
  response.device_path = std::move(*path);
  if (auto fault = fault::check("pipeline.activate.register")) return fsm::error(std::move(*fault));
  auto stored = catalog().register_snapshot({.image_id = response.image_id,
                                             .pool = run.request().pool,
                                             .snapshot_id = {response.snapshot_id},
                                             .name = response.snapshot_name,
                                             .device_path = response.device_path,
                                             .origin = {run.request().device_id}});
  if (!stored && is_refusal(stored.error().kind())) return fsm::abort(stored.error());
  if (!stored) return stored.error().during("register snapshot {}", response.snapshot_name);
  return fsm::next(std::move(response));
}

// A snapshot that was made and is not in the catalog is nobody's.
Result<> ActivateImage::clean_up(const Run& run, const fsm::Finishing& end) const {
  if (fsm::succeeded(end.ending)) return {};
  const auto& request = run.request();
  const auto row = catalog().find_snapshot(request.snapshot_name);
  if (!row) return fail(row.error());
  if (*row) return {};
  const auto reservations = catalog().list_reservations();
  if (!reservations) return fail(reservations.error());
  for (const auto& id : *reservations) {
    const bool ours = id.pool == pool().name() && id.purpose == catalog::Purpose::kSnapshot &&
                      id.image_id == request.image_id && id.snapshot_name == request.snapshot_name;
    if (!ours) continue;
    if (id.state == catalog::IdState::kReserved) {
      if (auto freed = catalog().release_reservation(id.pool, id.device_id); !freed)
        return fail(std::move(freed.error()));
      continue;
    }
    auto gone = discard_device(catalog(), pool(), {id.device_id, id.snapshot_name, 0}, run.log());
    if (!gone) return fail(std::move(gone.error()));
  }
  return {};
}

}  // namespace

Result<ActivateImageMachine> add_activate_image(fsm::Manager& manager, ActivateParts parts) {
  const auto machine = std::make_shared<const ActivateImage>(manager, std::move(parts));
  return fsm::machine<ActivateImageRequest, ActivateImageResponse>("activate-image")
      .resource("snapshot")
      .start("check-snapshot", gated([machine](const Run& run) { return machine->check_snapshot(run); }),
             {.retry = fsm::exponential(3, 200ms, 5s)})
      .to("create-snapshot", gated([machine](const Run& run) { return machine->create_snapshot(run); }),
          {.retry = fsm::fixed(3, 500ms)})
      .to("register", gated([machine](const Run& run) { return machine->register_it(run); }),
          {.retry = fsm::exponential(5, 100ms, 10s).with_jitter()})
      .finalizer([machine](const Run& run, const fsm::Finishing& end) { return machine->clean_up(run, end); })
      .end("complete")
      .add_to(manager);
}

}  // namespace slipway::pipeline
