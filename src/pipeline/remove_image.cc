#include "pipeline/remove_image.h"

#include <system_error>
#include <utility>

#include "objects/download.h"
#include "pipeline/device_ids.h"
#include "pipeline/image_lock.h"
#include "pipeline/under_way.h"

namespace slipway::pipeline {

namespace {

using namespace std::chrono_literals;

using Run = fsm::Context<RemoveImageRequest, RemoveImageResponse>;
using Outcome = fsm::Outcome<RemoveImageResponse>;

class RemoveImage {
 public:
  RemoveImage(fsm::Manager& manager, RemoveParts parts) : manager_(manager), parts_(std::move(parts)) {}

  Outcome lock_image(const Run& run) const;
  Outcome remove_devices(const Run& run) const;
  Outcome forget(const Run& run) const;
  Result<> clean_up(const Run& run) const;

 private:
  [[nodiscard]] catalog::Catalog& catalog() const { return *parts_.catalog; }
  [[nodiscard]] volumes::Pool& pool() const { return *parts_.pool; }
  Result<> remove_snapshots(const Run& run, RemoveImageResponse& response) const;
  Result<> remove_volume(const Run& run, RemoveImageResponse& response) const;
  // Everything of the image must be in this pool.
  Result<> check_pool(const std::string& what, const std::string& in) const;
  // And nothing may be under way to make more of it. What began after this run waits for it.
  Result<> check_at_rest(const Run& run) const;
  static Result<> in_the_way(const Run& run, const fsm::RunRecord& other);

  fsm::Manager& manager_;
  RemoveParts parts_;
};

Outcome RemoveImage::lock_image(const Run& run) const {
  const auto& request = run.request();
  const auto image = catalog().get_image(request.image_id);
  if (!image && image.error().kind() == ErrorKind::kNotFound) return fsm::abort(image.error());
  if (!image) return fsm::error(image.error());
  if (auto rests = check_at_rest(run); !rests) {
    return rests.error().kind() == ErrorKind::kConflict ? Outcome(fsm::abort(rests.error()))
                                                        : Outcome(fsm::error(rests.error()));
  }
  const auto holder = take_lock(catalog(), manager_, request.image_id, run.version());
  if (!holder) return holder.error().during("lock image {}", request.image_id);
  if (*holder) return fsm::await(**holder, RemoveImageResponse{});
  const auto volume = catalog().find_volume(request.image_id);
  if (!volume) return fsm::error(volume.error());
  if (*volume) {
    if (auto here = check_pool((*volume)->device_name, (*volume)->pool); !here) return fsm::abort(here.error());
  }
  const auto snapshots = catalog().snapshots_of(request.image_id);
  if (!snapshots) return fsm::error(snapshots.error());
  for (const auto& snapshot : *snapshots) {
    if (auto here = check_pool(snapshot.name, snapshot.pool); !here) return fsm::abort(here.error());
    if (snapshot.active && !request.force) {
      return fsm::abort(
          Error(ErrorKind::kConflict,
                fmt::format("image {} has the active snapshot {}", request.image_id, snapshot.name))
              .with_hint(fmt::format("take it down (slipway deactivate {}), or all with --force", snapshot.name)));
    }
  }
  return fsm::next(RemoveImageResponse{.image_id = request.image_id});
}

Result<> RemoveImage::check_pool(const std::string& what, const std::string& in) const {
  if (in == pool().name()) return {};
  return fail(
      Error(ErrorKind::kConflict, fmt::format("{} is in pool {}, and this process has {}", what, in, pool().name()))
          .with_hint("use that pool: volume_backend and dm_pool_name choose it"));
}

Result<> RemoveImage::check_at_rest(const Run& run) const {
  fsm::RunFilter filter;
  filter.id = run.request().image_id;
  filter.phase = fsm::RunFilter::Phase::kActive;
  const auto active = manager_.runs(filter);
  if (!active) return fail(active.error());
  for (const auto& other : *active) {
    if (other.spec.machine != "remove-image" && other.spec.version < run.version()) return in_the_way(run, other);
  }
  const auto activation = earlier_activation(manager_, run.version(), run.request().image_id);
  if (!activation) return fail(activation.error());
  if (*activation) return in_the_way(run, **activation);
  return {};
}

// Who ends the whole ends its part.
Result<> RemoveImage::in_the_way(const Run& run, const fsm::RunRecord& other) {
  return fail(
      Error(ErrorKind::kConflict, fmt::format("run {} ({}) is under way for image {}", other.spec.version,
                                              other.spec.machine, run.request().image_id))
          .with_hint(fmt::format("wait for it, or end it: slipway runs cancel {}; one that was interrupted goes "
                                 "on with the command that began it",
                                 other.spec.parent.value_or(other.spec.version))));
}

Result<> RemoveImage::remove_snapshots(const Run& run, RemoveImageResponse& response) const {
  const auto snapshots = catalog().snapshots_of(run.request().image_id);
  if (!snapshots) return fail(snapshots.error());
  for (const auto& snapshot : *snapshots) {
    auto forgotten = catalog().delete_snapshot(snapshot.name, catalog::DeviceFate::kMayRemain);
    if (!forgotten) return fail(std::move(forgotten.error()));
    ++response.snapshots;
  }
  return {};
}

// The rows, and then what they were of: a try that was cut off between the two has left it on the list.
Result<> RemoveImage::remove_volume(const Run& run, RemoveImageResponse& response) const {
  const auto& image_id = run.request().image_id;
  auto forgotten = catalog().delete_volume(image_id, catalog::DeviceFate::kMayRemain);
  if (!forgotten) return fail(std::move(forgotten.error()));
  auto deleted = delete_deferred(catalog(), pool(), run.log(), volumes::WhenBusy::kWait,
                                 [&](const catalog::Reservation& id) { return id.image_id == image_id; });
  if (!deleted) return fail(std::move(deleted.error()));
  response.deferred = deleted->in_use;
  return {};
}

Outcome RemoveImage::remove_devices(const Run& run) const {
  const auto mine = has_lock(catalog(), run.request().image_id, run.version());
  if (!mine) return fsm::error(mine.error());
  if (!*mine) return fsm::go_to("lock-image", RemoveImageResponse{});
  RemoveImageResponse response = run.response();
  if (auto done = remove_snapshots(run, response); !done) return done.error().during("remove snapshots");
  if (auto done = remove_volume(run, response); !done) return done.error().during("remove the volume");
  return fsm::next(std::move(response));
}

// The file first: without its row nobody would know of it.
Outcome RemoveImage::forget(const Run& run) const {
  const auto& image_id = run.request().image_id;
  const auto image = catalog().find_image(image_id);
  if (!image) return fsm::error(image.error());
  if (!*image) return fsm::next(run.response());  // an earlier try has come so far
  if (!(*image)->local_path.empty()) {
    const std::filesystem::path file = (*image)->local_path;
    if (auto removed = objects::remove_partial(file); !removed)
      return removed.error().during("remove {}", file.string());
    std::error_code failed;
    std::filesystem::remove(file, failed);
    if (failed) {
      return fsm::error(Error(ErrorKind::kIo, fmt::format("remove {}: {}", file.string(), failed.message())));
    }
  }
  auto gone = catalog().delete_image(image_id, catalog::DeviceFate::kMayRemain, run.version().to_string());
  if (!gone) return gone.error().during("forget image {}", image_id);
  return fsm::next(run.response());
}

Result<> RemoveImage::clean_up(const Run& run) const {
  auto released = catalog().release_lock(run.request().image_id, run.version().to_string());
  if (!released) return fail(std::move(released.error()));
  return {};
}

}  // namespace

Result<RemoveImageMachine> add_remove_image(fsm::Manager& manager, RemoveParts parts) {
  const auto machine = std::make_shared<const RemoveImage>(manager, std::move(parts));
  return fsm::machine<RemoveImageRequest, RemoveImageResponse>("remove-image")
      .resource("image")
      .start("lock-image", gated([machine](const Run& run) { return machine->lock_image(run); }),
             {.retry = fsm::exponential(3, 200ms, 5s)})
      .to("remove-devices", gated([machine](const Run& run) { return machine->remove_devices(run); }),
          {.retry = fsm::fixed(3, 1s)})
      .to("forget", gated([machine](const Run& run) { return machine->forget(run); }),
          {.retry = fsm::exponential(5, 100ms, 10s)})
      .finalizer([machine](const Run& run, const fsm::Finishing&) { return machine->clean_up(run); })
      .end("complete")
      .add_to(manager);
}

}  // namespace slipway::pipeline
