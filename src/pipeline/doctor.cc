#include "pipeline/doctor.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "catalog/identity.h"
#include "pipeline/device_ids.h"

namespace slipway::pipeline {
namespace {

using Cure = Ailment::Cure;

// All of one look.
struct Sight {
  std::map<DeviceId, volumes::Device> devices{};
  std::vector<catalog::Volume> volumes{};
  std::vector<catalog::Snapshot> snapshots{};
  std::vector<catalog::Reservation> ids{};
  std::set<DeviceId> held{};     // of this pool, by a volume or a snapshot
  bool complete = false;         // `devices` has all of the pool
  bool absent = false;           // nothing was ever made in the pool that is there
  std::set<DeviceId> unknown{};  // whether the pool has them cannot be told
  std::vector<catalog::ImageSummary> images{};
  std::set<std::string> busy_images{};  // a run is under way for them
  std::set<std::string> busy_snapshots{};
};

class Examination {
 public:
  explicit Examination(const DoctorParts& parts) : parts_(parts) {}

  [[nodiscard]] Result<std::vector<Ailment>> run();

 private:
  [[nodiscard]] Result<> look();
  [[nodiscard]] Result<> look_at_runs();
  [[nodiscard]] Result<> look_at_images();
  [[nodiscard]] Result<std::vector<volumes::Device>> list_devices();
  [[nodiscard]] Result<> look_at_devices();
  [[nodiscard]] Result<> check_catalog();
  [[nodiscard]] Result<> check_pool();
  [[nodiscard]] Result<> check_transaction(const volumes::PoolStatus& status);
  [[nodiscard]] Result<> check_leftovers();
  [[nodiscard]] bool check_lost();
  [[nodiscard]] bool is_known_file(const std::filesystem::path& path) const;
  void check_file(const std::filesystem::path& path);
  [[nodiscard]] Result<> check_locks();
  [[nodiscard]] Result<> check_files();
  void check_volumes();
  void check_snapshots();
  void check_ids();
  void check_devices();

  [[nodiscard]] const volumes::Device* device(DeviceId id) const {
    const auto found = sight_.devices.find(id);
    return found == sight_.devices.end() ? nullptr : &found->second;
  }
  // Known to be: a light look asks only for some.
  [[nodiscard]] bool missing(DeviceId id) const { return sight_.complete && device(id) == nullptr; }
  [[nodiscard]] bool ours(const std::string& pool) const { return pool == parts_.pool->name(); }
  [[nodiscard]] bool busy(const catalog::Reservation& id) const {
    return sight_.busy_images.contains(id.image_id) || sight_.busy_snapshots.contains(id.snapshot_name);
  }
  void add(Ailment ailment) { found_.push_back(std::move(ailment)); }

  const DoctorParts& parts_;
  Sight sight_;
  std::vector<Ailment> found_;
};

Result<> Examination::look_at_runs() {
  fsm::RunFilter filter;
  filter.phase = fsm::RunFilter::Phase::kActive;
  for (;;) {
    auto runs = parts_.runs(filter);
    if (!runs) return fail(std::move(runs.error()));
    if (runs->empty()) return {};
    for (const auto& run : *runs) {
      const auto& machine = run.spec.machine;
      if (machine == kReconcileMachine) continue;
      const bool snapshot = machine == "activate-image" || machine == "deactivate-snapshot";
      (snapshot ? sight_.busy_snapshots : sight_.busy_images).insert(run.spec.id);
    }
    filter.older_than = runs->back().spec.version;
  }
}

Result<> Examination::look_at_images() {
  catalog::Page page;
  for (;;) {
    auto some = parts_.catalog->list_status({}, page);
    if (!some) return fail(std::move(some.error()));
    if (some->empty()) return {};
    page.after = some->back().image.row;
    std::ranges::move(*some, std::back_inserter(sight_.images));
  }
}

// All of them. A pool that has something to say of itself may not be able to list them: that is told then, and not that
// they cannot be listed.
Result<std::vector<volumes::Device>> Examination::list_devices() {
  if (!parts_.thorough) return parts_.pool->list_active();
  auto all = parts_.pool->list();
  sight_.complete = all.has_value();
  if (all) return all;
  const auto status = parts_.pool->status();
  if (!status || status->problems.empty()) return all;
  return parts_.pool->list_active();
}

// All devices; or the active ones, and those whose ids nothing holds.
Result<> Examination::look_at_devices() {
  const auto exists = parts_.pool->exists();
  if (!exists) return exists.error().during("look at pool {}", parts_.pool->name());
  sight_.absent = !*exists;
  auto devices = list_devices();
  if (!devices) return devices.error().during("list the devices of pool {}", parts_.pool->name());
  for (auto& device : *devices) sight_.devices.emplace(device.id, std::move(device));
  if (sight_.complete) return {};
  for (const auto& id : sight_.ids) {
    if (!ours(id.pool) || sight_.held.contains(id.device_id)) continue;
    auto device = parts_.pool->find(id.device_id);
    if (!device && parts_.thorough) {
      sight_.unknown.insert(id.device_id);
      continue;
    }
    if (!device) return device.error().during("look for device {} of pool {}", id.device_id, parts_.pool->name());
    if (*device) sight_.devices.emplace(id.device_id, std::move(**device));
  }
  return {};
}

// The runs before and after: whatever was under way while the rest was read is left out.
Result<> Examination::look() {
  if (auto done = look_at_runs(); !done) return done;
  auto volumes = parts_.catalog->list_volumes();
  if (!volumes) return fail(std::move(volumes.error()));
  sight_.volumes = std::move(*volumes);
  auto ids = parts_.catalog->list_reservations();
  if (!ids) return fail(std::move(ids.error()));
  sight_.ids = std::move(*ids);
  auto snapshots = parts_.catalog->list_snapshots();
  if (!snapshots) return fail(std::move(snapshots.error()));
  sight_.snapshots = std::move(*snapshots);
  for (const auto& volume : sight_.volumes) {
    if (ours(volume.pool)) sight_.held.insert(volume.device_id);
  }
  for (const auto& snapshot : sight_.snapshots) {
    if (ours(snapshot.pool)) sight_.held.insert(snapshot.snapshot_id);
  }
  if (auto done = look_at_devices(); !done) return done;
  if (parts_.thorough) {
    if (auto done = look_at_images(); !done) return done;
  }
  return look_at_runs();
}

Result<> Examination::check_catalog() {
  auto breaches = parts_.catalog->check_consistency();
  if (!breaches) return fail(std::move(breaches.error()));
  for (auto& breach : *breaches) {
    add({.rule = "catalog-" + breach.rule,
         .sentence = std::move(breach.sentence),
         .advice = "remove the image (slipway rm --force) and fetch it again"});
  }
  return {};
}

Result<> Examination::check_pool() {
  const auto status = parts_.pool->status();
  if (!status) return fail(status.error());
  for (const auto& problem : status->problems) {
    add({.rule = "pool",
         .sentence = fmt::format("pool {}: {}", status->name, problem),
         .advice = "look at it by hand"});
  }
  return check_transaction(*status);
}

// Adopted only where nothing is missing: else it may be another pool than the one that is recorded.
Result<> Examination::check_transaction(const volumes::PoolStatus& status) {
  if (!status.transaction_id) return {};
  const auto record = parts_.catalog->find_pool(status.name);
  if (!record) return fail(record.error());
  if (!*record || (*record)->transaction_id == *status.transaction_id) return {};
  const bool whole = std::ranges::all_of(sight_.held, [&](DeviceId id) { return device(id) != nullptr; });
  add({.rule = "pool-transaction",
       .sentence = fmt::format("pool {} has transaction id {}, and {} is recorded: another program works with it",
                               status.name, *status.transaction_id, (*record)->transaction_id),
       .cure = whole ? Cure::kNoteTransaction : Cure::kNone,
       .advice = whole ? "" : "devices of it are missing: see whether it is the right pool; heal them first",
       .subject = status.name});
  return {};
}

Result<> Examination::check_leftovers() {
  if (!sight_.busy_images.empty() || !sight_.busy_snapshots.empty()) return {};  // it may be theirs
  const auto leftovers = parts_.pool->leftovers();
  if (!leftovers) return fail(leftovers.error());
  for (const auto& leftover : *leftovers) {
    if (!leftover.ours) {
      add({.rule = "device-of-others",
           .sentence = fmt::format("{} is of no device of pool {}", leftover.what, parts_.pool->name()),
           .advice = "it may be all that is left of somebody's data: look at it, and move it away"});
      continue;
    }
    add({.rule = "leftover",
         .sentence = fmt::format("{} was left half-made", leftover.what),
         .cure = Cure::kRemoveLeftovers,
         .subject = leftover.what});
  }
  return {};
}

// Whether it may be another pool than the one that is recorded: then nothing is to be concluded from what it has not.
// One volume alone can be made again, so that is left to its own rule.
bool Examination::check_lost() {
  const bool snapshots = std::ranges::any_of(sight_.snapshots, [&](const auto& row) { return ours(row.pool); });
  const bool empty = snapshots && std::ranges::all_of(sight_.held, [&](DeviceId id) { return missing(id); });
  if (!empty && !(sight_.absent && !sight_.held.empty())) return false;
  add({.rule = "pool-lost",
       .sentence = fmt::format("pool {} has none of the {} devices that are recorded in it", parts_.pool->name(),
                               sight_.held.size()),
       .advice = "see whether its disk is mounted and whether it is the right pool; if it is lost, remove the images "
                 "(slipway rm --force) and fetch them again"});
  return true;
}

void Examination::check_volumes() {
  for (const auto& volume : sight_.volumes) {
    if (!ours(volume.pool) || sight_.busy_images.contains(volume.image_id)) continue;
    const auto* found = device(volume.device_id);
    const bool stood_on = std::ranges::any_of(
        sight_.snapshots, [&](const catalog::Snapshot& snapshot) { return snapshot.image_id == volume.image_id; });
    const volumes::DeviceSpec spec{volume.device_id, volume.device_name, volume.device_size};
    if (missing(volume.device_id)) {
      add({.rule = "volume-without-device",
           .sentence = fmt::format("the volume {} of image {} has no device {} in pool {}", volume.device_name,
                                   volume.image_id, volume.device_id, volume.pool),
           .cure = stood_on ? Cure::kNone : Cure::kForgetVolume,
           .advice = stood_on ? "new snapshots need it: take the old ones down, and fetch the image again" : "",
           .device = spec,
           .subject = volume.image_id});
    } else if (found != nullptr && found->active()) {
      add({.rule = "device-active",
           .sentence = fmt::format("{} is active at {}, and nothing needs it to be", volume.device_name, found->path),
           .cure = Cure::kDeactivate,
           .device = {volume.device_id, found->name, volume.device_size},
           .subject = volume.image_id});
    } else if (found != nullptr && found->size && volume.device_size != 0 && *found->size != volume.device_size) {
      add({.rule = "volume-damaged",
           .sentence =
               fmt::format("device {} of the volume {} of image {} has {} bytes, and was made with {}",
                           volume.device_id, volume.device_name, volume.image_id, *found->size, volume.device_size),
           .advice = "remove the image (slipway rm) and fetch it again"});
    }
  }
}

void Examination::check_snapshots() {
  for (const auto& snapshot : sight_.snapshots) {
    if (!ours(snapshot.pool) || sight_.busy_snapshots.contains(snapshot.name) ||
        sight_.busy_images.contains(snapshot.image_id)) {
      continue;
    }
    const auto* found = device(snapshot.snapshot_id);
    const volumes::DeviceSpec spec{snapshot.snapshot_id, snapshot.name, 0};
    const bool active = found != nullptr && found->active();
    if (missing(snapshot.snapshot_id)) {
      add({.rule = "snapshot-without-device",
           .sentence = fmt::format("snapshot {} of image {} has no device {} in pool {}", snapshot.name,
                                   snapshot.image_id, snapshot.snapshot_id, snapshot.pool),
           .cure = Cure::kForgetSnapshot,
           .device = spec,
           .subject = snapshot.name});
    } else if (snapshot.active && !active) {
      add({.rule = "snapshot-not-active",
           .sentence = fmt::format("snapshot {} is recorded as active, and its device is not", snapshot.name),
           .cure = Cure::kNoteInactive,
           .device = spec,
           .subject = snapshot.name});
    } else if (!snapshot.active && active) {
      add({.rule = "device-active",
           .sentence =
               fmt::format("snapshot {} is recorded as inactive, and is active at {}", snapshot.name, found->path),
           .cure = Cure::kDeactivate,
           .device = {snapshot.snapshot_id, found->name, 0},
           .subject = snapshot.name});
    }
  }
}

void Examination::check_ids() {
  for (const auto& id : sight_.ids) {
    if (!ours(id.pool) || sight_.held.contains(id.device_id) || busy(id)) continue;
    if (sight_.unknown.contains(id.device_id)) continue;
    const volumes::DeviceSpec spec{id.device_id, device_name(id), 0};
    const bool there = device(id.device_id) != nullptr;
    if (id.state == catalog::IdState::kDeleting) {
      add({.rule = "device-to-delete",
           .sentence = fmt::format("device {} of pool {}, which was {}, is still to be deleted{}", id.device_id,
                                   id.pool, spec.name, id.note.empty() ? "" : ": " + id.note),
           .cure = Cure::kDiscard,
           .device = spec,
           .subject = spec.name});
    } else if (id.state == catalog::IdState::kMade && there) {
      add({.rule = "device-without-row",
           .sentence = fmt::format("device {} of pool {} was begun as {}, and nothing is recorded of it", id.device_id,
                                   id.pool, spec.name),
           .cure = Cure::kDiscard,
           .device = spec,
           .subject = spec.name});
    } else {
      add({.rule = "id-without-device",
           .sentence = fmt::format("device id {} of pool {} is reserved for {}, which was never made", id.device_id,
                                   id.pool, spec.name),
           .cure = Cure::kReleaseId,
           .device = spec,
           .subject = spec.name});
    }
  }
}

void Examination::check_devices() {
  std::set<DeviceId> known;
  for (const auto& id : sight_.ids) {
    if (ours(id.pool) && id.state != catalog::IdState::kReserved) known.insert(id.device_id);
  }
  for (const auto& [id, device] : sight_.devices) {
    if (known.contains(id)) continue;
    add({.rule = "device-of-others",
         .sentence = fmt::format("device {}{} is in pool {}, and not of this program's making", id,
                                 device.active() ? ", active as " + device.name + "," : "", parts_.pool->name()),
         .advice = "whoever made it may remove it"});
  }
}

Result<> Examination::check_locks() {
  auto locks = parts_.catalog->list_locks();
  if (!locks) return fail(std::move(locks.error()));
  for (const auto& lock : *locks) {
    if (sight_.busy_images.contains(lock.image_id)) continue;
    add({.rule = "lock-of-dead-run",
         .sentence = fmt::format("image {} is locked by {}, which is not under way", lock.image_id, lock.holder),
         .cure = Cure::kBreakLock,
         .subject = lock.holder});
  }
  return {};
}

// By whatever path the folder is named.
bool Examination::is_known_file(const std::filesystem::path& path) const {
  return std::ranges::any_of(sight_.images, [&](const catalog::ImageSummary& summary) {
    std::error_code none;
    return path.filename() == std::filesystem::path(summary.image.local_path).filename() &&
           std::filesystem::equivalent(path, summary.image.local_path, none);
  });
}

// Only what a download has left is removed. A whole archive, which may be anybody's, is not.
void Examination::check_file(const std::filesystem::path& path) {
  constexpr std::string_view kWhole = ".tar";
  const std::string name = path.filename();
  for (const std::string_view rest : {".part", ".part.state", ".part.state.new", ""}) {
    const std::string ending = std::string(kWhole) + std::string(rest);
    if (!name.ends_with(ending)) continue;
    const std::string id = name.substr(0, name.size() - ending.size());
    const bool has_row = std::ranges::any_of(sight_.images, [&](const auto& one) { return one.image.image_id == id; });
    if (!catalog::check_image_id(id) || sight_.busy_images.contains(id) || (rest.empty() && has_row)) return;
    add({.rule = "file-without-image",
         .sentence = fmt::format("{} is no image's", path.string()),
         .cure = rest.empty() ? Cure::kNone : Cure::kRemoveFile,
         .advice = rest.empty() ? "remove it if nobody needs it" : "",
         .subject = path});
    return;
  }
}

Result<> Examination::check_files() {
  for (const auto& [image, status, scan, snapshots, active, device] : sight_.images) {
    if (image.local_path.empty()) continue;
    if (sight_.busy_images.contains(image.image_id)) continue;
    std::error_code unknown;
    if (image.download_status == catalog::DownloadStatus::kCompleted &&
        !std::filesystem::exists(image.local_path, unknown) && !unknown) {
      add({.rule = "image-without-file",
           .sentence = fmt::format("the file {} of image {} is gone", image.local_path, image.image_id),
           .advice = "nothing needs it now; the next fetch-and-create gets it again"});
    }
  }
  std::error_code failed;
  for (std::filesystem::directory_iterator at(parts_.images, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    if (at->is_regular_file(unknown) && !is_known_file(at->path())) check_file(at->path());
  }
  if (failed && failed != std::errc::no_such_file_or_directory) {
    return fail(ErrorKind::kIo, "read {}: {}", parts_.images.string(), failed.message());
  }
  return {};
}

Result<std::vector<Ailment>> Examination::run() {
  if (auto done = look(); !done) return fail(std::move(done.error()));
  if (parts_.thorough) {
    if (auto done = check_catalog(); !done) return fail(std::move(done.error()));
    if (auto done = check_files(); !done) return fail(std::move(done.error()));
    if (auto done = check_pool(); !done) return fail(std::move(done.error()));
    check_devices();
  }
  if (!check_lost()) {
    check_volumes();
    check_snapshots();
    check_ids();
  }
  if (auto done = check_leftovers(); !done) return fail(std::move(done.error()));
  if (auto done = check_locks(); !done) return fail(std::move(done.error()));
  return std::move(found_);
}

}  // namespace

Result<std::vector<Ailment>> examine(const DoctorParts& parts) { return Examination(parts).run(); }

}  // namespace slipway::pipeline
