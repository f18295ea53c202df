// What is known of every image: where it came from, what was found in it, and what was made of it. One SQLite file
// (catalog/schema.h says what is in it), for any number of threads and processes at once.
//
// Every operation is one transaction: when it has returned, its effect is on disk; when it failed, or the process died
// in it, nothing of it is there. The consistency rules hold after each one, whatever the order: an operation that would
// break one is refused with kConflict.
//
//   - an unpacked image has a completed download;
//   - a snapshot's image is unpacked, with its layout verified;
//   - activation_status is 'active' exactly where an active snapshot exists;
//   - every volume and snapshot holds the reservation of its device id.
//
// Errors: kNotFound names what is not there; kConflict names what is in the way (a holder, a row, a rule); kInvalid a
// value that can never be stored; kUnavailable when the database was busy for longer than five seconds: try again;
// kNoSpace, kIo, kCorrupt as the disk has it.
//
// There is no fake: a catalog in a temporary folder opens in milliseconds, and tests of the pipeline use one.
//
// Fault points, in every operation that writes: catalog.commit.before (all is written, nothing committed) and
// catalog.commit.after (durable, not yet reported; only a kill has an effect).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "catalog/types.h"
#include "sys/clock.h"

namespace slipway::store {
class Connection;
class Pool;
}  // namespace slipway::store

namespace slipway::catalog {

// Thread-safe. The clock must outlive it.
class Catalog {
 public:
  // Makes the file (private to the user) and missing folders; brings an older catalog up to date. kUnsupported when the
  // file is another program's, or newer than this program: then nothing is changed.
  [[nodiscard]] static Result<std::unique_ptr<Catalog>> open(const std::string& path, sys::Clock& clock);
  // For commands that only look: changes nothing, and works while another process writes. kNotFound when there is no
  // catalog yet. kUnsupported, too, when it is older than this program: open() brings it up to date. Operations that
  // write are kPermission.
  [[nodiscard]] static Result<std::unique_ptr<Catalog>> open_reader(const std::string& path, sys::Clock& clock);

  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;
  ~Catalog();

  // --- Images ---

  // A row of status pending, where there is none yet. kConflict when the id or the key is taken by another (see
  // mark_downloading).
  [[nodiscard]] Result<Image> add_image(const ImageSource& source);
  // Status downloading. An image that is completed stays so, with all its data, until store_image() has the new ones;
  // it is only noted as refreshing. kConflict when the id stands for another object, or the object has another id. A
  // row from before buckets were recorded is taken over when its key is the same.
  [[nodiscard]] Result<Image> mark_downloading(const ImageSource& source);
  // Upsert: status completed, no error, refreshing no more. The same again is no effect but the time.
  // What was made of other content stays, and is no longer current.
  [[nodiscard]] Result<Image> store_image(const DownloadedImage& image);
  // Status failed, unless an earlier download is still good (see DownloadFailure) or a volume was made of it: then it
  // stays completed, and only the reason is noted.
  [[nodiscard]] Result<Image> mark_download_failed(const std::string& image_id, const DownloadFailure& failure);
  // After the SHA-256 of the file was found to be `checksum` again. kConflict when that is not the image's.
  [[nodiscard]] Result<> record_verification(const std::string& image_id, const std::string& checksum,
                                             const FileIdentity& file);
  // kConflict for kActive without an active snapshot, and for anything else with one. `reason` is kept with kFailed.
  [[nodiscard]] Result<> update_activation_status(const std::string& image_id, ActivationStatus status,
                                                  const std::string& reason = {});

  [[nodiscard]] Result<Image> get_image(const std::string& image_id);  // kNotFound
  [[nodiscard]] Result<std::optional<Image>> find_image(const std::string& image_id);
  [[nodiscard]] Result<std::optional<Image>> find_image_by_key(const std::string& bucket, const std::string& key);
  // The same, when its download is completed.
  [[nodiscard]] Result<std::optional<Image>> find_downloaded(const std::string& bucket, const std::string& key);
  // By what a person typed: an id, a key of whatever bucket, or the beginning of an id. kNotFound; kConflict when it
  // may mean several, which are named.
  [[nodiscard]] Result<Image> resolve_image(const std::string& text);
  [[nodiscard]] Result<std::vector<Image>> list_images(std::optional<DownloadStatus> status = {}, Page page = {});
  [[nodiscard]] Result<std::vector<PolicyFinding>> policy_findings(const std::string& image_id);

  // With all that is recorded of it. kConflict while it is locked by anybody but `holder`, and while a snapshot is
  // active.
  [[nodiscard]] Result<> delete_image(const std::string& image_id, DeviceFate devices, const std::string& holder = {});

  // --- Volumes ---

  // The volume, when its layout is verified and it is of the image's current content.
  [[nodiscard]] Result<std::optional<Volume>> find_unpacked(const std::string& image_id);
  // Upsert, one volume an image. Takes the reservation of the device id when there is none. kConflict when the image is
  // not downloaded, when device id or name belong to something else, when snapshots stand on the volume that it
  // would replace or on one that would no longer be verified.
  [[nodiscard]] Result<Volume> store_volume(const NewVolume& volume);
  [[nodiscard]] Result<std::optional<Volume>> find_volume(const std::string& image_id);
  [[nodiscard]] Result<std::optional<Volume>> find_volume_by_device(const std::string& pool, DeviceId device_id);
  [[nodiscard]] Result<std::vector<Volume>> list_volumes();
  // False: there was none. kConflict while it has snapshots, active or not.
  [[nodiscard]] Result<bool> delete_volume(const std::string& image_id, DeviceFate device);

  // --- Snapshots ---

  // Upsert as active, and the image with it. The same again is no effect but the time. Takes the reservation when there
  // is none. kConflict when the image has no verified volume with that origin, when the name or id belongs to
  // something else, or when the snapshot is active as another device.
  [[nodiscard]] Result<Snapshot> register_snapshot(const NewSnapshot& snapshot);
  [[nodiscard]] Result<std::optional<Snapshot>> find_snapshot(const std::string& name);
  [[nodiscard]] Result<std::optional<Snapshot>> find_snapshot_by_device(const std::string& pool, DeviceId snapshot_id);
  [[nodiscard]] Result<std::vector<Snapshot>> snapshots_of(const std::string& image_id);
  [[nodiscard]] Result<std::vector<Snapshot>> list_active_snapshots();
  [[nodiscard]] Result<std::vector<Snapshot>> list_snapshots();
  // Both: false when there was nothing to do. With the last active snapshot the image becomes inactive.
  [[nodiscard]] Result<bool> deactivate_snapshot(const std::string& name);
  [[nodiscard]] Result<bool> delete_snapshot(const std::string& name, DeviceFate device);

  // --- Device ids ---

  // The first free id of the pool from `start` on, around the end; the one that is reserved already for the same thing.
  // kNoSpace when all are taken. kNotFound when there is no such image.
  [[nodiscard]] Result<Reservation> reserve(const ReserveRequest& request);
  // The pool has a device of this id that nobody knows: gives it up for the next free one. kConflict when the
  // reservation is not what is stored, or its row is stored already.
  [[nodiscard]] Result<Reservation> reserve_next(const Reservation& collided);
  // The pool has no device of this id: one that it will have is ours. kConflict when it is not what is stored.
  [[nodiscard]] Result<> mark_made(const Reservation& reservation);
  // Its device is to be deleted, when that can be done. kConflict while a volume or snapshot holds it.
  // False: nothing is reserved under this id, and what the pool may have there is not ours.
  [[nodiscard]] Result<bool> mark_deleting(const std::string& pool, DeviceId device_id);
  // It could not be done, again; no effect on one that is not to be deleted.
  [[nodiscard]] Result<> note_failed_delete(const std::string& pool, DeviceId device_id, const std::string& why);
  // False: it was free. kConflict while a volume or snapshot holds it.
  [[nodiscard]] Result<bool> release_reservation(const std::string& pool, DeviceId device_id);
  [[nodiscard]] Result<std::vector<Reservation>> list_reservations();
  // Volumes and snapshots from before pools were recorded are this pool's: there was only the configured one. To be
  // called once it is known; answers how many volumes it was about. kConflict when the pool has one of the ids already.
  [[nodiscard]] Result<std::uint64_t> adopt_pool(const std::string& pool);

  // --- Thin pools ---

  [[nodiscard]] Result<> store_pool(const ThinPool& pool);  // upsert
  [[nodiscard]] Result<std::optional<ThinPool>> find_pool(const std::string& name);
  // What is recorded as being in a pool, thin or not.
  [[nodiscard]] Result<PoolContent> pool_content(const std::string& name);
  // The pool is gone, with all its devices: so is all that is recorded of it and them. Images stay, inactive.
  [[nodiscard]] Result<> forget_pool(const std::string& name);

  // --- Locks ---

  // For one holder (a run's version) at a time; again by the same one is no error. kConflict names the holder.
  [[nodiscard]] Result<> acquire_lock(const std::string& image_id, const std::string& holder);
  // From a holder that is known to be dead, in one step. kConflict when it is not his any more.
  [[nodiscard]] Result<> take_over_lock(const std::string& image_id, const std::string& dead,
                                        const std::string& holder);
  // Idempotent; never lets go of another's. True: it was held.
  [[nodiscard]] Result<bool> release_lock(const std::string& image_id, const std::string& holder);
  [[nodiscard]] Result<std::optional<ImageLock>> find_lock(const std::string& image_id);
  // Oldest first.
  [[nodiscard]] Result<std::vector<ImageLock>> list_locks();
  [[nodiscard]] Result<std::vector<ImageLock>> list_locks_older_than(Duration age);
  // Both return what they broke.
  [[nodiscard]] Result<std::vector<ImageLock>> break_locks_older_than(Duration age);
  [[nodiscard]] Result<std::vector<ImageLock>> break_locks_of(const std::string& holder);

  // --- Scans ---

  // Takes the place of the image's earlier verdict and findings. kConflict when the image is not downloaded.
  // vuln_count may be greater than the number of findings that are kept.
  [[nodiscard]] Result<> record_scan(const ScanVerdict& verdict, std::span<const Finding> findings);
  // The same for many, in one transaction: what became of each, in their order.
  [[nodiscard]] Result<std::vector<Recorded>> record_scans(std::span<const Scan> scans);
  [[nodiscard]] Result<std::optional<ScanVerdict>> find_scan(const std::string& image_id);
  // The worst first.
  [[nodiscard]] Result<std::vector<Finding>> findings(const std::string& image_id);

  // Takes the place of the one before. kConflict when the image is not downloaded.
  [[nodiscard]] Result<> store_inventory(const StoredInventory& inventory);
  [[nodiscard]] Result<std::optional<StoredInventory>> find_inventory(const std::string& image_id);

  // --- Views ---

  [[nodiscard]] Result<std::optional<ImageStatus>> image_status(const std::string& image_id);
  [[nodiscard]] Result<std::vector<ImageSummary>> list_status(std::optional<Status> status = {}, Page page = {});

  // What breaks the rules above, or the file itself. Empty is what it should be. Reads the whole file.
  [[nodiscard]] Result<std::vector<Inconsistency>> check_consistency();

 private:
  Catalog(std::unique_ptr<store::Pool> pool, sys::Clock& clock, bool writable);

  // Both put `doing` in front of an error.
  template <class Query>
  auto read(std::string_view doing, const Query& query) -> std::invoke_result_t<Query, store::Connection&>;
  template <class Change>
  auto write(std::string_view doing, const Change& change)
      -> std::invoke_result_t<Change, store::Connection&, TimePoint>;

  std::unique_ptr<store::Pool> pool_;
  sys::Clock& clock_;
  const bool writable_;
};

}  // namespace slipway::catalog
