// The rows of the catalog, and the words for them.
//
//   image      what was (or is to be) made of one object: a key in a bucket. Its id names files and devices.
//   volume     an image unpacked onto a device: a row of `unpacked_images`.
//   snapshot   a copy-on-write device over a volume. An image may have several, each with its own name.
//   pool       where devices live. A device id is unique within its pool, over volumes and snapshots.
//   current    made of the content that the image has now: an image that is downloaded again with other content keeps
//              its volume and its scan verdict, but they are no longer current.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/device_id.h"
#include "base/severity.h"
#include "base/time.h"

namespace slipway::catalog {

// The texts of these (to_string) are what the tables hold: they may be added to, never changed.
enum class DownloadStatus : std::uint8_t { kPending, kDownloading, kCompleted, kFailed };
enum class ActivationStatus : std::uint8_t { kInactive, kActive, kFailed };
enum class Purpose : std::uint8_t { kVolume, kSnapshot };  // of a reserved device id
enum class IdState : std::uint8_t {
  kReserved,  // the pool was not yet seen without it: what it has under this id may be another's
  kMade,      // the pool was: what it has under this id is ours
  kDeleting,  // ours, and to be deleted; whatever it was is not known any more
};

// What people are shown: derived from all tables, stored nowhere. The furthest stage that the current content has
// reached; what stopped it, kFailed.
enum class Status : std::uint8_t {
  kPending,
  kDownloading,
  kDownloaded,
  kScanned,
  kVulnerable,  // scanned, and blocked for what was found
  kUnpacked,
  kReady,  // unpacked, and a snapshot of it is active
  kFailed,
};

[[nodiscard]] std::string_view to_string(DownloadStatus status);
[[nodiscard]] std::string_view to_string(ActivationStatus status);
[[nodiscard]] std::string_view to_string(Purpose purpose);
[[nodiscard]] std::string_view to_string(IdState state);
[[nodiscard]] std::string_view to_string(Status status);
[[nodiscard]] std::optional<DownloadStatus> parse_download_status(std::string_view text);
[[nodiscard]] std::optional<ActivationStatus> parse_activation_status(std::string_view text);
[[nodiscard]] std::optional<Purpose> parse_purpose(std::string_view text);
[[nodiscard]] std::optional<IdState> parse_id_state(std::string_view text);
[[nodiscard]] std::optional<Status> parse_status(std::string_view text);

// Where an image comes from, and what it is called here.
struct ImageSource {
  std::string image_id{};  // see check_image_id()
  std::string bucket{};    // not empty
  std::string key{};
};

// A file as it was when its SHA-256 was last computed: while all of these are the same, it need not be read again.
struct FileIdentity {
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;  // since 1970
  std::int64_t ctime_ns = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// What validation learnt of the archive.
struct ArchiveFacts {
  std::string kind{};  // archive::to_string(ImageKind)
  std::uint64_t layers = 0;
  std::uint64_t entries = 0;
  std::uint64_t files = 0;
  std::uint64_t total_size = 0;  // bytes of the files, unpacked
  std::string policy{};          // the entry policy that it keeps to, as its validation wrote it down
  std::uint64_t findings = 0;    // all of them; not each may be kept
  friend bool operator==(const ArchiveFacts&, const ArchiveFacts&) = default;
};

struct Image {
  std::int64_t row = 0;  // grows with each new image; pages of a list go by it
  std::string image_id{};
  std::string bucket{};  // empty: from before buckets were recorded (schema 1 and 2)
  std::string key{};
  std::string etag{};  // of the object that was stored; empty when the server sent none
  std::string local_path{};
  std::string checksum{};  // SHA-256, lower-case hex; empty until a download has completed
  std::uint64_t size_bytes = 0;
  DownloadStatus download_status = DownloadStatus::kPending;
  ActivationStatus activation_status = ActivationStatus::kInactive;
  TimePoint created_at{};
  std::optional<TimePoint> downloaded_at{};
  std::optional<TimePoint> activated_at{};  // the last time
  TimePoint updated_at{};
  // A completed image is being downloaded again since then; all the above is still that of the completed download.
  std::optional<TimePoint> refreshing_since{};
  std::string error{};  // of the last failed download or activation; empty after one that succeeded
  std::optional<TimePoint> error_at{};
  std::optional<ArchiveFacts> archive{};
  std::optional<FileIdentity> verified_file{};
  std::optional<TimePoint> verified_at{};
};

// A rule of the entry policy that an image broke without being refused.
struct PolicyFinding {
  std::string rule{};
  std::string entry{};
  std::string detail{};
  friend bool operator==(const PolicyFinding&, const PolicyFinding&) = default;
};

// A download that is whole, validated and in place.
struct DownloadedImage {
  ImageSource source{};
  std::string etag{};
  std::string local_path{};
  std::string checksum{};  // 64 lower-case hex digits
  std::uint64_t size_bytes = 0;
  std::optional<FileIdentity> verified_file{};
  std::optional<ArchiveFacts> archive{};
  std::vector<PolicyFinding> policy_findings{};  // take the place of earlier ones
};

struct DownloadFailure {
  std::string reason{};
  // The image's file is not there any more (validation removed it). Else an earlier, completed download is still good
  // and stays so.
  bool file_removed = false;
};

struct Volume {
  std::string image_id{};
  std::string pool{};  // empty: from before pools were recorded
  DeviceId device_id{};
  std::string device_name{};
  std::string device_path{};
  std::uint64_t size_bytes = 0;  // of its files
  std::uint64_t file_count = 0;
  bool layout_verified = false;
  std::string source_checksum{};  // of the image that it was unpacked from
  TimePoint created_at{};
  std::optional<TimePoint> unpacked_at{};  // when the layout was verified
  TimePoint updated_at{};
  std::uint64_t device_size = 0;  // 0: from before it was recorded
  bool current = false;           // source_checksum is what the image has now
};

struct NewVolume {
  std::string image_id{};
  std::string pool{};
  DeviceId device_id{};
  std::string device_name{};
  std::string device_path{};
  std::uint64_t size_bytes = 0;
  std::uint64_t file_count = 0;
  bool layout_verified = false;
  std::string source_checksum{};
  std::uint64_t device_size = 0;
};

struct Snapshot {
  std::string image_id{};
  std::string pool{};
  DeviceId snapshot_id{};
  std::string name{};
  std::string device_path{};
  DeviceId origin{};
  bool active = false;
  TimePoint created_at{};
  std::optional<TimePoint> deactivated_at{};
  TimePoint updated_at{};
};

struct NewSnapshot {
  std::string image_id{};
  std::string pool{};
  DeviceId snapshot_id{};
  std::string name{};
  std::string device_path{};
  DeviceId origin{};
};

// What the caller knows of a device whose row he removes.
enum class DeviceFate : std::uint8_t {
  kGone,       // it is deleted: its id becomes free in the same transaction
  kMayRemain,  // nobody knows: its id becomes kDeleting, the note of what is to be cleaned up
};

struct Reservation {
  std::string pool{};
  DeviceId device_id{};
  Purpose purpose = Purpose::kVolume;
  std::string image_id{};
  std::string snapshot_name{};  // empty for a volume
  IdState state = IdState::kReserved;
  std::string note{};  // why it could not be deleted yet
  TimePoint reserved_at{};
};

struct ReserveRequest {
  std::string pool{};
  Purpose purpose = Purpose::kVolume;
  std::string image_id{};
  std::string snapshot_name{};
  DeviceId start{};  // catalog/identity.h: first_volume_id(), first_snapshot_id()
};

// A thin pool that this catalog's devices live in.
struct ThinPool {
  std::string name{};
  std::string data_path{};  // what it stands on; both empty: another program has set it up
  std::string metadata_path{};
  std::uint64_t transaction_id = 0;  // of the pool. Nothing here changes it: another one is another program's doing
  friend bool operator==(const ThinPool&, const ThinPool&) = default;
};

struct PoolContent {
  std::uint64_t volumes = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t active_snapshots = 0;
};

struct ImageLock {
  std::string image_id{};
  std::string holder{};
  TimePoint since{};  // whole seconds
};

struct ScanVerdict {
  std::string image_id{};
  std::string checksum{};  // of the content that was scanned
  TimePoint scanned_at{};
  bool has_critical = false;
  bool has_high = false;
  std::uint64_t vuln_count = 0;
  bool blocked = false;                      // by the threshold that was set then, and nobody has allowed it
  std::string engine{};                      // name and version
  std::optional<TimePoint> database_date{};  // of the oldest of the advisories
  std::string policy{};                      // what blocks and what is left out, for people
  bool complete = true;                      // false: some of it could not be looked at
  std::string warnings = "[]";               // JSON, a list of sentences: why this may not be all
  std::string data_dates = "{}";             // JSON, when each source of advisories was last read
  std::uint64_t suppressed = 0;              // findings that do not count
  std::string allowed_by{};                  // who let it pass although it would be blocked
  std::optional<TimePoint> allowed_at{};
  std::string allowed = "[]";     // JSON, [vulnerability, package] of each that was allowed then
  std::string findings_digest{};  // read only: as digest_of() its findings; empty: nobody knows
  bool current = false;           // read only: checksum is what the image has now
};

// The packages of an image. `body` is scan::to_json(Inventory); nothing here looks into it.
struct StoredInventory {
  std::string image_id{};
  std::string checksum{};  // of the content that it was taken of
  TimePoint taken_at{};    // by the catalog's clock
  std::uint64_t packages = 0;
  std::string body{};
};

struct Finding {
  std::string package{};
  std::string version{};
  std::string vulnerability{};  // CVE-…, GHSA-…
  Severity severity = Severity::kUnknown;
  std::string fixed_version{};  // empty: there is none
  std::string source{};         // the feed or database that says so
  std::string location{};       // where in the image the package was found; may be empty
  std::string title{};
  std::string aliases{};  // its other names, separated by blanks
  std::string status{};   // what can be done about it: scan::to_string(FixStatus)
  std::optional<double> score{};
  friend bool operator==(const Finding&, const Finding&) = default;
};

// A verdict, and what it rests on.
struct Scan {
  ScanVerdict verdict{};
  std::vector<Finding> findings{};
};

// What became of a scan that was to be recorded.
enum class Recorded : std::uint8_t {
  kNot,      // its image is gone or has other content, or there is a later verdict
  kSame,     // with the findings that were there before
  kChanged,  // with others
};

// The same for the same findings in the same order, and for no others.
[[nodiscard]] std::string digest_of(std::span<const Finding> findings);

// All that the catalog knows of one image, of one instant.
struct ImageStatus {
  Image image{};
  Status status = Status::kPending;
  std::optional<ScanVerdict> scan{};  // none: not scanned. Say so, never "clean"
  std::optional<Volume> volume{};
  std::vector<Snapshot> snapshots{};  // by name
  std::optional<ImageLock> lock{};
};

// One line of a list.
struct ImageSummary {
  Image image{};
  Status status = Status::kPending;
  std::optional<ScanVerdict> scan{};
  std::uint64_t snapshots = 0;
  std::uint64_t active_snapshots = 0;
  std::string device_path{};  // of an active snapshot; empty when there is none
};

// Pages of a list, in the order in which the images came: `after` is the `row` of the last one that was seen.
struct Page {
  std::int64_t after = 0;
  std::uint32_t limit = 1'000;
};

struct Inconsistency {
  std::string rule{};      // short and stable: "unpacked-needs-download"
  std::string image_id{};  // empty when it is not about one
  std::string sentence{};  // for people
};

}  // namespace slipway::catalog
