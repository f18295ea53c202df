#include <system_error>
#include <utility>

#include "pipeline/device_ids.h"
#include "pipeline/doctor.h"
#include "pipeline/under_way.h"

namespace slipway::pipeline {
namespace {

using Cure = Ailment::Cure;

template <class Value>
Result<> done(Result<Value> result) {
  if (!result) return fail(std::move(result.error()));
  return {};
}

Result<> discard(const DoctorParts& parts, const Ailment& ailment, const Logger& log) {
  auto gone = discard_device(*parts.catalog, *parts.pool, ailment.device, log, volumes::WhenBusy::kGiveUp);
  if (!gone) return fail(std::move(gone.error()));
  if (!*gone) return fail(ErrorKind::kUnavailable, "{} is still in use", ailment.device.name);
  return {};
}

Result<> remove_file(const std::string& path) {
  std::error_code failed;
  std::filesystem::remove(path, failed);
  if (failed) return fail(ErrorKind::kIo, "remove {}: {}", path, failed.message());
  return {};
}

Result<> note_transaction(const DoctorParts& parts) {
  const auto status = parts.pool->status();
  if (!status) return fail(status.error());
  auto record = parts.catalog->find_pool(parts.pool->name());
  if (!record) return fail(std::move(record.error()));
  if (!*record || !status->transaction_id) return {};
  (*record)->transaction_id = *status->transaction_id;
  return parts.catalog->store_pool(**record);
}

Result<> cure(const DoctorParts& parts, const Ailment& ailment, const Logger& log) {
  auto& catalog = *parts.catalog;
  const bool forgets = ailment.cure == Cure::kForgetVolume || ailment.cure == Cure::kForgetSnapshot;
  if (forgets && !parts.may_forget) return fail(ErrorKind::kUnsupported, "`slipway doctor --fix` forgets it");
  switch (ailment.cure) {
    case Cure::kNone: return fail(ErrorKind::kUnsupported, "{}", ailment.advice);
    case Cure::kForgetVolume: return done(catalog.delete_volume(ailment.subject, catalog::DeviceFate::kGone));
    case Cure::kForgetSnapshot: return done(catalog.delete_snapshot(ailment.subject, catalog::DeviceFate::kGone));
    case Cure::kNoteInactive: return done(catalog.deactivate_snapshot(ailment.subject));
    case Cure::kDeactivate: return parts.pool->deactivate(ailment.device, volumes::WhenBusy::kGiveUp);
    case Cure::kDiscard: return discard(parts, ailment, log);
    case Cure::kReleaseId: return done(catalog.release_reservation(parts.pool->name(), ailment.device.id));
    case Cure::kRemoveLeftovers: return parts.pool->remove_leftovers();
    case Cure::kBreakLock: return done(catalog.break_locks_of(ailment.subject));
    case Cure::kRemoveFile: return remove_file(ailment.subject);
    case Cure::kNoteTransaction: return note_transaction(parts);
  }
  return {};
}

}  // namespace

Result<std::vector<Treatment>> heal(const DoctorParts& parts, const Logger& log) {
  const std::unique_lock alone(operation_gate());
  auto found = examine(parts);
  if (!found) return fail(std::move(found.error()));
  std::vector<Treatment> treated;
  for (auto& ailment : *found) {
    Treatment treatment{.ailment = std::move(ailment)};
    auto cured = cure(parts, treatment.ailment, log);
    treatment.healed = cured.has_value();
    if (!cured) treatment.why_not = cured.error().message();
    if (treatment.healed) log.info("healed: {}", treatment.ailment.sentence);
    treated.push_back(std::move(treatment));
  }
  return treated;
}

}  // namespace slipway::pipeline
