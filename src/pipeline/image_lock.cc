#include "pipeline/image_lock.h"

#include "fsm/run.h"

namespace slipway::pipeline {
namespace {

// Whether a run of that name is under way. What is no run's version, or the version of one that is not known any more,
// is somebody's who is dead: only runs of this store change images.
Result<std::optional<fsm::RunVersion>> live_run(const fsm::Manager& manager, const std::string& holder) {
  const auto version = fsm::RunVersion::parse(holder);
  if (!version) return std::nullopt;
  const auto record = manager.run(*version);
  if (!record && record.error().kind() == ErrorKind::kNotFound) return std::nullopt;
  if (!record) return fail(record.error());
  if (fsm::is_finished(record->progress.state)) return std::nullopt;
  return *version;
}

}  // namespace

Result<std::optional<fsm::RunVersion>> take_lock(catalog::Catalog& catalog, const fsm::Manager& manager,
                                                 const std::string& image_id, fsm::RunVersion run) {
  const std::string own = run.to_string();
  auto acquired = catalog.acquire_lock(image_id, own);
  if (acquired) return std::nullopt;
  if (acquired.error().kind() != ErrorKind::kConflict) return fail(std::move(acquired.error()));
  const auto lock = catalog.find_lock(image_id);
  if (!lock) return fail(lock.error());
  if (!*lock) return fail(ErrorKind::kUnavailable, "the lock of image {} has just been released", image_id);
  auto live = live_run(manager, (*lock)->holder);
  if (!live || *live) return live;
  if (auto taken = catalog.take_over_lock(image_id, (*lock)->holder, own); !taken)
    return fail(std::move(taken.error()));
  return std::nullopt;
}

Result<bool> has_lock(catalog::Catalog& catalog, const std::string& image_id, fsm::RunVersion run) {
  const auto lock = catalog.find_lock(image_id);
  if (!lock) return fail(lock.error());
  return *lock && (*lock)->holder == run.to_string();
}

}  // namespace slipway::pipeline
