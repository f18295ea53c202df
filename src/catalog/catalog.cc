#include "catalog/catalog.h"

#include <chrono>
#include <filesystem>
#include <utility>

#include "catalog/consistency.h"
#include "catalog/images.h"
#include "catalog/locks.h"
#include "catalog/pools.h"
#include "catalog/reservations.h"
#include "catalog/scans.h"
#include "catalog/schema.h"
#include "catalog/snapshots.h"
#include "catalog/status.h"
#include "catalog/volumes.h"
#include "store/pool.h"
#include "store/private_file.h"
#include "store/transaction.h"
#include "sys/directories.h"
#include "sys/fault.h"

namespace slipway::catalog {
namespace {

using store::Connection;
using store::Pool;

store::PoolOptions pool_options(const std::string& path, store::OpenMode mode) {
  return {.open = {.path = path,
                   .mode = mode,
                   .cache_kib = 10'000,
                   .busy_timeout = std::chrono::milliseconds(5'000),
                   .foreign_keys = true,
                   .temp_in_memory = true,
                   .mmap_bytes = 268'435'456,
                   .application_id = kCatalogSchema.application_id},
          .most = 10,
          .most_idle = 5,
          .renew_after = std::chrono::hours(1)};
}

// A file that was made, but not yet filled by its maker, is no catalog yet.
Result<> check_there(store::Database& db) {
  auto id = db.application_id();
  if (!id) return fail(std::move(id.error()));
  if (*id != 0) return {};
  return fail(ErrorKind::kNotFound, "{} is still empty", db.path());
}

}  // namespace

Catalog::Catalog(std::unique_ptr<Pool> pool, sys::Clock& clock, bool writable)
    : pool_(std::move(pool)), clock_(clock), writable_(writable) {}

Catalog::~Catalog() = default;

Result<std::unique_ptr<Catalog>> Catalog::open(const std::string& path, sys::Clock& clock) {
  if (auto made = sys::make_directories(std::filesystem::path(path).parent_path()); !made) {
    return made.error().during("open catalog {}", path);
  }
  if (auto made = store::make_private_file(path); !made) return made.error().during("open catalog {}", path);
  auto pool = std::make_unique<Pool>(pool_options(path, store::OpenMode::kReadWriteCreate), clock);
  {
    auto lease = pool->acquire(Pool::Use::kWrite);
    if (!lease) return lease.error().during("open catalog {}", path);
    if (auto migrated = store::migrate((*lease)->db(), kCatalogSchema, clock); !migrated) {
      return migrated.error().during("open catalog {}", path);
    }
  }
  return std::unique_ptr<Catalog>(new Catalog(std::move(pool), clock, /*writable=*/true));
}

Result<std::unique_ptr<Catalog>> Catalog::open_reader(const std::string& path, sys::Clock& clock) {
  auto pool = std::make_unique<Pool>(pool_options(path, store::OpenMode::kReadOnly), clock);
  {
    auto lease = pool->acquire(Pool::Use::kRead);
    if (!lease) return lease.error().during("open catalog {} for reading", path);
    auto fits = check_there((*lease)->db());
    if (fits) fits = store::check_schema((*lease)->db(), kCatalogSchema);
    if (!fits) return fits.error().during("open catalog {} for reading", path);
  }
  return std::unique_ptr<Catalog>(new Catalog(std::move(pool), clock, /*writable=*/false));
}

template <class Query>
auto Catalog::read(std::string_view doing, const Query& query) -> std::invoke_result_t<Query, Connection&> {
  auto lease = pool_->acquire(Pool::Use::kRead);
  if (!lease) return lease.error().during("{}", doing);
  auto answer = query(**lease);
  if (!answer) return answer.error().during("{}", doing);
  return answer;
}

template <class Change>
auto Catalog::write(std::string_view doing, const Change& change)
    -> std::invoke_result_t<Change, Connection&, TimePoint> {
  if (!writable_) return fail(ErrorKind::kPermission, "{}: the catalog was opened for reading only", doing);
  auto lease = pool_->acquire(Pool::Use::kWrite);
  if (!lease) return lease.error().during("{}", doing);
  auto transaction = store::Transaction::begin((*lease)->db());
  if (!transaction) return transaction.error().during("{}", doing);
  auto answer = change(**lease, clock_.now());
  if (!answer) return answer.error().during("{}", doing);
  if (auto fault = fault::check("catalog.commit.before")) return fault->during("{}", doing);
  if (auto committed = transaction->commit(); !committed) return committed.error().during("{}", doing);
  [[maybe_unused]] const auto nothing_left_to_fail = fault::check("catalog.commit.after");
  return answer;
}

// --- Images ---

Result<Image> Catalog::add_image(const ImageSource& source) {
  return write("add image", [&](Connection& db, TimePoint now) { return images::add(db, source, now); });
}

Result<Image> Catalog::mark_downloading(const ImageSource& source) {
  return write("mark image as downloading",
               [&](Connection& db, TimePoint now) { return images::mark_downloading(db, source, now); });
}

Result<Image> Catalog::store_image(const DownloadedImage& image) {
  return write("store image", [&](Connection& db, TimePoint now) { return images::store(db, image, now); });
}

Result<Image> Catalog::mark_download_failed(const std::string& image_id, const DownloadFailure& failure) {
  return write("mark image as failed",
               [&](Connection& db, TimePoint now) { return images::mark_failed(db, image_id, failure, now); });
}

Result<> Catalog::record_verification(const std::string& image_id, const std::string& checksum,
                                      const FileIdentity& file) {
  return write("record verification", [&](Connection& db, TimePoint now) {
    return images::record_verification(db, image_id, checksum, file, now);
  });
}

Result<> Catalog::update_activation_status(const std::string& image_id, ActivationStatus status,
                                           const std::string& reason) {
  return write("update activation status", [&](Connection& db, TimePoint now) {
    return images::update_activation(db, image_id, status, reason, now);
  });
}

Result<Image> Catalog::get_image(const std::string& image_id) {
  return read("get image", [&](Connection& db) { return images::get(db, image_id); });
}

Result<std::optional<Image>> Catalog::find_image(const std::string& image_id) {
  return read("find image", [&](Connection& db) { return images::find(db, image_id); });
}

Result<std::optional<Image>> Catalog::find_image_by_key(const std::string& bucket, const std::string& key) {
  return read("find image", [&](Connection& db) { return images::find_by_key(db, bucket, key); });
}

Result<std::optional<Image>> Catalog::find_downloaded(const std::string& bucket, const std::string& key) {
  auto image = find_image_by_key(bucket, key);
  if (image && *image && (*image)->download_status != DownloadStatus::kCompleted) return std::nullopt;
  return image;
}

Result<Image> Catalog::resolve_image(const std::string& text) {
  return read("find image", [&](Connection& db) { return images::resolve(db, text); });
}

Result<std::vector<Image>> Catalog::list_images(std::optional<DownloadStatus> status, Page page) {
  return read("list images", [&](Connection& db) { return images::list(db, status, page); });
}

Result<std::vector<PolicyFinding>> Catalog::policy_findings(const std::string& image_id) {
  return read("list policy findings", [&](Connection& db) { return images::policy_findings(db, image_id); });
}

Result<> Catalog::delete_image(const std::string& image_id, DeviceFate devices, const std::string& holder) {
  return write("delete image",
               [&](Connection& db, TimePoint) { return images::remove(db, image_id, devices, holder); });
}

// --- Volumes ---

Result<std::optional<Volume>> Catalog::find_unpacked(const std::string& image_id) {
  auto volume = find_volume(image_id);
  if (volume && *volume && !((*volume)->layout_verified && (*volume)->current)) return std::nullopt;
  return volume;
}

Result<Volume> Catalog::store_volume(const NewVolume& volume) {
  return write("store volume", [&](Connection& db, TimePoint now) { return volumes::store(db, volume, now); });
}

Result<std::optional<Volume>> Catalog::find_volume(const std::string& image_id) {
  return read("find volume", [&](Connection& db) { return volumes::find(db, image_id); });
}

Result<std::optional<Volume>> Catalog::find_volume_by_device(const std::string& pool, DeviceId device_id) {
  return read("find volume", [&](Connection& db) { return volumes::find_by_device(db, pool, device_id); });
}

Result<std::vector<Volume>> Catalog::list_volumes() {
  return read("list volumes", [](Connection& db) { return volumes::list(db); });
}

Result<bool> Catalog::delete_volume(const std::string& image_id, DeviceFate device) {
  return write("delete volume", [&](Connection& db, TimePoint) { return volumes::remove(db, image_id, device); });
}

// --- Snapshots ---

Result<Snapshot> Catalog::register_snapshot(const NewSnapshot& snapshot) {
  return write("register snapshot", [&](Connection& db, TimePoint now) { return snapshots::add(db, snapshot, now); });
}

Result<std::optional<Snapshot>> Catalog::find_snapshot(const std::string& name) {
  return read("find snapshot", [&](Connection& db) { return snapshots::find(db, name); });
}

Result<std::optional<Snapshot>> Catalog::find_snapshot_by_device(const std::string& pool, DeviceId snapshot_id) {
  return read("find snapshot", [&](Connection& db) { return snapshots::find_by_device(db, pool, snapshot_id); });
}

Result<std::vector<Snapshot>> Catalog::snapshots_of(const std::string& image_id) {
  return read("list snapshots", [&](Connection& db) { return snapshots::of_image(db, image_id); });
}

Result<std::vector<Snapshot>> Catalog::list_snapshots() {
  return read("list snapshots", [](Connection& db) { return snapshots::list(db); });
}

Result<std::vector<Snapshot>> Catalog::list_active_snapshots() {
  return read("list active snapshots", [](Connection& db) { return snapshots::list_active(db); });
}

Result<bool> Catalog::deactivate_snapshot(const std::string& name) {
  return write("deactivate snapshot",
               [&](Connection& db, TimePoint now) { return snapshots::deactivate(db, name, now); });
}

Result<bool> Catalog::delete_snapshot(const std::string& name, DeviceFate device) {
  return write("delete snapshot",
               [&](Connection& db, TimePoint now) { return snapshots::remove(db, name, device, now); });
}

// --- Device ids ---

Result<Reservation> Catalog::reserve(const ReserveRequest& request) {
  return write("reserve device id",
               [&](Connection& db, TimePoint now) { return reservations::reserve(db, request, now); });
}

Result<Reservation> Catalog::reserve_next(const Reservation& collided) {
  return write("reserve next device id",
               [&](Connection& db, TimePoint now) { return reservations::reserve_next(db, collided, now); });
}

Result<> Catalog::mark_made(const Reservation& reservation) {
  return write("note device id", [&](Connection& db, TimePoint) { return reservations::mark_made(db, reservation); });
}

Result<bool> Catalog::mark_deleting(const std::string& pool, DeviceId device_id) {
  return write("note device to delete",
               [&](Connection& db, TimePoint) { return reservations::mark_deleting(db, pool, device_id); });
}

Result<> Catalog::note_failed_delete(const std::string& pool, DeviceId device_id, const std::string& why) {
  return write("note device to delete",
               [&](Connection& db, TimePoint) { return reservations::note_failed_delete(db, pool, device_id, why); });
}

Result<bool> Catalog::release_reservation(const std::string& pool, DeviceId device_id) {
  return write("release device id",
               [&](Connection& db, TimePoint) { return reservations::release(db, pool, device_id); });
}

Result<std::vector<Reservation>> Catalog::list_reservations() {
  return read("list device ids", [](Connection& db) { return reservations::list(db); });
}

Result<std::uint64_t> Catalog::adopt_pool(const std::string& pool) {
  return write("adopt volumes into pool",
               [&](Connection& db, TimePoint now) { return volumes::adopt_pool(db, pool, now); });
}

// --- Thin pools ---

Result<> Catalog::store_pool(const ThinPool& pool) {
  return write("store pool", [&](Connection& db, TimePoint now) { return pools::store(db, pool, now); });
}

Result<std::optional<ThinPool>> Catalog::find_pool(const std::string& name) {
  return read("find pool", [&](Connection& db) { return pools::find(db, name); });
}

Result<PoolContent> Catalog::pool_content(const std::string& name) {
  return read("look into pool", [&](Connection& db) { return pools::content(db, name); });
}

Result<> Catalog::forget_pool(const std::string& name) {
  return write("forget pool", [&](Connection& db, TimePoint now) { return pools::forget(db, name, now); });
}

// --- Locks ---

Result<> Catalog::acquire_lock(const std::string& image_id, const std::string& holder) {
  return write("lock image", [&](Connection& db, TimePoint now) { return locks::acquire(db, image_id, holder, now); });
}

Result<> Catalog::take_over_lock(const std::string& image_id, const std::string& dead, const std::string& holder) {
  return write("take over image lock",
               [&](Connection& db, TimePoint now) { return locks::take_over(db, image_id, dead, holder, now); });
}

Result<bool> Catalog::release_lock(const std::string& image_id, const std::string& holder) {
  return write("unlock image", [&](Connection& db, TimePoint) { return locks::release(db, image_id, holder); });
}

Result<std::optional<ImageLock>> Catalog::find_lock(const std::string& image_id) {
  return read("find image lock", [&](Connection& db) { return locks::find(db, image_id); });
}

Result<std::vector<ImageLock>> Catalog::list_locks() {
  return read("list image locks", [](Connection& db) { return locks::list(db, std::nullopt); });
}

Result<std::vector<ImageLock>> Catalog::list_locks_older_than(Duration age) {
  return read("list image locks", [&](Connection& db) { return locks::list(db, clock_.now() - age); });
}

Result<std::vector<ImageLock>> Catalog::break_locks_older_than(Duration age) {
  return write("break image locks", [&](Connection& db, TimePoint now) { return locks::break_older(db, now - age); });
}

Result<std::vector<ImageLock>> Catalog::break_locks_of(const std::string& holder) {
  return write("break image locks", [&](Connection& db, TimePoint) { return locks::break_of(db, holder); });
}

// --- Scans ---

Result<> Catalog::record_scan(const ScanVerdict& verdict, std::span<const Finding> findings) {
  return write("record scan", [&](Connection& db, TimePoint) -> Result<> {
    if (auto recorded = scans::record(db, verdict, findings); !recorded) return fail(std::move(recorded.error()));
    return {};
  });
}

Result<std::vector<Recorded>> Catalog::record_scans(std::span<const Scan> scans) {
  return write("record scans", [&](Connection& db, TimePoint) { return scans::record_all(db, scans); });
}

Result<std::optional<ScanVerdict>> Catalog::find_scan(const std::string& image_id) {
  return read("find scan", [&](Connection& db) { return scans::find(db, image_id); });
}

Result<std::vector<Finding>> Catalog::findings(const std::string& image_id) {
  return read("list findings", [&](Connection& db) { return scans::findings(db, image_id); });
}

Result<> Catalog::store_inventory(const StoredInventory& inventory) {
  return write("store inventory",
               [&](Connection& db, TimePoint now) { return scans::store_inventory(db, inventory, now); });
}

Result<std::optional<StoredInventory>> Catalog::find_inventory(const std::string& image_id) {
  return read("find inventory", [&](Connection& db) { return scans::find_inventory(db, image_id); });
}

// --- Views ---

Result<std::optional<ImageStatus>> Catalog::image_status(const std::string& image_id) {
  return read("find status of image", [&](Connection& db) { return status::of_image(db, image_id); });
}

Result<std::vector<ImageSummary>> Catalog::list_status(std::optional<Status> status, Page page) {
  return read("list images", [&](Connection& db) { return catalog::status::list(db, status, page); });
}

Result<std::vector<Inconsistency>> Catalog::check_consistency() {
  return read("check catalog", [](Connection& db) { return consistency::check(db); });
}

}  // namespace slipway::catalog
