// The tables of the catalog.
//
// images           One row an object that was ever wanted. `image_id` names it everywhere.
// unpacked_images  The volume of an image, at most one. Its device id is unique within its pool.
// snapshots        Devices over a volume. `snapshot_id` is a device id of the same pool.
// image_locks      Who works on an image. No reference to images: a lock may come before the row.
// id_reservations  Every device id that is, or may be, in use. Written before the pool is asked for the device, so that
//                  a crash leaves the name of what to clean up; volumes and snapshots keep theirs as long as they live.
// scans, scan_findings, policy_findings   What was found in an image, of its content `checksum`.
// inventories      The packages of an image, of its content `checksum`: a scan with newer data needs nothing else.
//
// Times are INTEGER, microseconds since 1970 UTC, but image_locks.locked_at, which is in seconds. Texts of keys and
// entries may be any bytes. Digests are lower-case hex.
//
// Version 3 rebuilds unpacked_images and snapshots: versions 1 and 2 knew one pool, so a device id was unique among
// all. Each new table is made and filled under another name, first the child's reference and then the parent is taken
// away: so nothing cascades, and foreign keys stay on. Rows from before have the bucket '' and the pool '', "not
// known": keys are unique within a bucket that is known, since version 1 did not ask for it, and the ids of pool '' are
// given out in no pool. Catalog::adopt_pool() gives such rows their pool; the reference from snapshots to it follows.
//
// The road not taken: one row for each content of an image, so that a new download makes a new image. Names and device
// ids follow from the image's id, and a person who asks for a key means what it holds now.
#pragma once

#include <array>

#include "store/migrations.h"

namespace slipway::catalog {

inline constexpr std::string_view kSchemaVersion1 = R"sql(
  CREATE TABLE images (
    id INTEGER PRIMARY KEY,
    image_id TEXT NOT NULL UNIQUE,
    s3_key TEXT NOT NULL,
    local_path TEXT,
    checksum TEXT,
    size_bytes INTEGER CHECK (size_bytes >= 0),
    download_status TEXT NOT NULL DEFAULT 'pending'
      CHECK (download_status IN ('pending', 'downloading', 'completed', 'failed')),
    activation_status TEXT NOT NULL DEFAULT 'inactive' CHECK (activation_status IN ('inactive', 'active', 'failed')),
    created_at INTEGER NOT NULL,
    downloaded_at INTEGER,
    activated_at INTEGER,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX images_s3_key ON images (s3_key);
  CREATE INDEX images_image_id ON images (image_id);
  CREATE INDEX images_download_status ON images (download_status);
  CREATE INDEX images_activation_status ON images (activation_status);
  CREATE INDEX images_downloaded_at ON images (downloaded_at);

  CREATE TABLE unpacked_images (
    id INTEGER PRIMARY KEY,
    image_id TEXT NOT NULL UNIQUE REFERENCES images (image_id) ON DELETE CASCADE,
    device_id INTEGER NOT NULL UNIQUE,
    device_name TEXT NOT NULL UNIQUE,
    device_path TEXT NOT NULL,
    size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
    file_count INTEGER NOT NULL CHECK (file_count >= 0),
    layout_verified INTEGER NOT NULL DEFAULT 0 CHECK (layout_verified IN (0, 1)),
    created_at INTEGER NOT NULL,
    unpacked_at INTEGER,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX unpacked_images_image_id ON unpacked_images (image_id);
  CREATE INDEX unpacked_images_device_id ON unpacked_images (device_id);
  CREATE INDEX unpacked_images_device_name ON unpacked_images (device_name);
  CREATE INDEX unpacked_images_unpacked_at ON unpacked_images (unpacked_at);

  CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY,
    image_id TEXT NOT NULL REFERENCES images (image_id) ON DELETE CASCADE,
    snapshot_id INTEGER NOT NULL UNIQUE,
    snapshot_name TEXT NOT NULL UNIQUE,
    device_path TEXT NOT NULL,
    origin_device_id INTEGER NOT NULL REFERENCES unpacked_images (device_id) ON DELETE RESTRICT,
    active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
    created_at INTEGER NOT NULL,
    deactivated_at INTEGER,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX snapshots_image_id ON snapshots (image_id);
  CREATE INDEX snapshots_snapshot_id ON snapshots (snapshot_id);
  CREATE INDEX snapshots_snapshot_name ON snapshots (snapshot_name);
  CREATE INDEX snapshots_active ON snapshots (active);
  CREATE INDEX snapshots_origin_device_id ON snapshots (origin_device_id);
  CREATE INDEX snapshots_created_at ON snapshots (created_at);
)sql";

inline constexpr std::string_view kSchemaVersion2 = R"sql(
  CREATE TABLE image_locks (
    image_id TEXT PRIMARY KEY NOT NULL,
    locked_at INTEGER NOT NULL,
    locked_by TEXT NOT NULL
  ) STRICT;
  CREATE INDEX image_locks_locked_at ON image_locks (locked_at);
)sql";

inline constexpr std::string_view kSchemaVersion3 = R"sql(
  ALTER TABLE images ADD COLUMN bucket TEXT NOT NULL DEFAULT '';
  ALTER TABLE images ADD COLUMN etag TEXT;
  ALTER TABLE images ADD COLUMN refreshing_since INTEGER;
  ALTER TABLE images ADD COLUMN error TEXT;
  ALTER TABLE images ADD COLUMN error_at INTEGER;
  ALTER TABLE images ADD COLUMN archive_kind TEXT;
  ALTER TABLE images ADD COLUMN archive_layers INTEGER;
  ALTER TABLE images ADD COLUMN archive_entries INTEGER;
  ALTER TABLE images ADD COLUMN archive_files INTEGER;
  ALTER TABLE images ADD COLUMN archive_total_size INTEGER;
  ALTER TABLE images ADD COLUMN archive_policy TEXT;
  ALTER TABLE images ADD COLUMN archive_findings INTEGER;
  ALTER TABLE images ADD COLUMN file_size INTEGER;
  ALTER TABLE images ADD COLUMN file_mtime_ns INTEGER;
  ALTER TABLE images ADD COLUMN file_ctime_ns INTEGER;
  ALTER TABLE images ADD COLUMN file_inode INTEGER;
  ALTER TABLE images ADD COLUMN verified_at INTEGER;
  CREATE UNIQUE INDEX images_bucket_key ON images (bucket, s3_key) WHERE bucket <> '';

  CREATE TABLE new_unpacked_images (
    id INTEGER PRIMARY KEY,
    image_id TEXT NOT NULL UNIQUE REFERENCES images (image_id) ON DELETE CASCADE,
    pool TEXT NOT NULL DEFAULT '',
    device_id INTEGER NOT NULL,
    device_name TEXT NOT NULL UNIQUE,
    device_path TEXT NOT NULL,
    size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
    file_count INTEGER NOT NULL CHECK (file_count >= 0),
    layout_verified INTEGER NOT NULL DEFAULT 0 CHECK (layout_verified IN (0, 1)),
    source_checksum TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    unpacked_at INTEGER,
    updated_at INTEGER NOT NULL,
    UNIQUE (pool, device_id)
  ) STRICT;
  INSERT INTO new_unpacked_images (id, image_id, device_id, device_name, device_path, size_bytes, file_count,
                                   layout_verified, source_checksum, created_at, unpacked_at, updated_at)
    SELECT u.id, u.image_id, u.device_id, u.device_name, u.device_path, u.size_bytes, u.file_count,
           u.layout_verified, coalesce(i.checksum, ''), u.created_at, u.unpacked_at, u.updated_at
    FROM unpacked_images u JOIN images i USING (image_id);

  CREATE TABLE new_snapshots (
    id INTEGER PRIMARY KEY,
    image_id TEXT NOT NULL REFERENCES images (image_id) ON DELETE CASCADE,
    pool TEXT NOT NULL DEFAULT '',
    snapshot_id INTEGER NOT NULL,
    snapshot_name TEXT NOT NULL UNIQUE,
    device_path TEXT NOT NULL,
    origin_device_id INTEGER NOT NULL,
    active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
    created_at INTEGER NOT NULL,
    deactivated_at INTEGER,
    updated_at INTEGER NOT NULL,
    UNIQUE (pool, snapshot_id),
    FOREIGN KEY (pool, origin_device_id) REFERENCES new_unpacked_images (pool, device_id)
      ON DELETE RESTRICT ON UPDATE CASCADE
  ) STRICT;
  INSERT INTO new_snapshots (id, image_id, snapshot_id, snapshot_name, device_path, origin_device_id, active,
                             created_at, deactivated_at, updated_at)
    SELECT id, image_id, snapshot_id, snapshot_name, device_path, origin_device_id, active, created_at,
           deactivated_at, updated_at
    FROM snapshots;

  DROP TABLE snapshots;
  DROP TABLE unpacked_images;
  ALTER TABLE new_unpacked_images RENAME TO unpacked_images;
  ALTER TABLE new_snapshots RENAME TO snapshots;
  CREATE INDEX unpacked_images_image_id ON unpacked_images (image_id);
  CREATE INDEX unpacked_images_device_id ON unpacked_images (device_id);
  CREATE INDEX unpacked_images_device_name ON unpacked_images (device_name);
  CREATE INDEX unpacked_images_unpacked_at ON unpacked_images (unpacked_at);
  CREATE INDEX snapshots_image_id ON snapshots (image_id);
  CREATE INDEX snapshots_snapshot_id ON snapshots (snapshot_id);
  CREATE INDEX snapshots_snapshot_name ON snapshots (snapshot_name);
  CREATE INDEX snapshots_active ON snapshots (active);
  CREATE INDEX snapshots_origin_device_id ON snapshots (origin_device_id);
  CREATE INDEX snapshots_origin ON snapshots (pool, origin_device_id);
  CREATE INDEX snapshots_created_at ON snapshots (created_at);

  CREATE TABLE id_reservations (
    pool TEXT NOT NULL,
    device_id INTEGER NOT NULL CHECK (device_id BETWEEN 0 AND 16777215),
    purpose TEXT NOT NULL CHECK (purpose IN ('volume', 'snapshot')),
    image_id TEXT NOT NULL REFERENCES images (image_id) ON DELETE RESTRICT,
    snapshot_name TEXT NOT NULL DEFAULT '',
    reserved_at INTEGER NOT NULL,
    PRIMARY KEY (pool, device_id)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX id_reservations_thing ON id_reservations (image_id, purpose, snapshot_name, pool);
  INSERT OR IGNORE INTO id_reservations (pool, device_id, purpose, image_id, reserved_at)
    SELECT pool, device_id, 'volume', image_id, created_at FROM unpacked_images
    WHERE device_id BETWEEN 0 AND 16777215;
  INSERT OR IGNORE INTO id_reservations (pool, device_id, purpose, image_id, snapshot_name, reserved_at)
    SELECT pool, snapshot_id, 'snapshot', image_id, snapshot_name, created_at FROM snapshots
    WHERE snapshot_id BETWEEN 0 AND 16777215;

  CREATE TABLE scans (
    image_id TEXT PRIMARY KEY NOT NULL REFERENCES images (image_id) ON DELETE CASCADE,
    checksum TEXT NOT NULL,
    scanned_at INTEGER NOT NULL,
    has_critical INTEGER NOT NULL CHECK (has_critical IN (0, 1)),
    has_high INTEGER NOT NULL CHECK (has_high IN (0, 1)),
    vuln_count INTEGER NOT NULL CHECK (vuln_count >= 0),
    blocked INTEGER NOT NULL CHECK (blocked IN (0, 1)),
    engine TEXT NOT NULL,
    database_date INTEGER
  ) STRICT;
  CREATE TABLE scan_findings (
    id INTEGER PRIMARY KEY,
    image_id TEXT NOT NULL REFERENCES scans (image_id) ON DELETE CASCADE,
    package TEXT NOT NULL,
    version TEXT NOT NULL,
    vulnerability TEXT NOT NULL,
    severity INTEGER NOT NULL CHECK (severity BETWEEN 0 AND 5),
    fixed_version TEXT NOT NULL,
    source TEXT NOT NULL,
    location TEXT NOT NULL,
    title TEXT NOT NULL
  ) STRICT;
  CREATE INDEX scan_findings_worst ON scan_findings (image_id, severity DESC, id);
  CREATE INDEX scan_findings_vulnerability ON scan_findings (vulnerability);
  CREATE TABLE policy_findings (
    id INTEGER PRIMARY KEY,
    image_id TEXT NOT NULL REFERENCES images (image_id) ON DELETE CASCADE,
    rule TEXT NOT NULL,
    entry TEXT NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;
  CREATE INDEX policy_findings_image_id ON policy_findings (image_id, id);
)sql";

// What is to become of an id's device is kept until it has: also when the image is not known any more.
inline constexpr std::string_view kSchemaVersion4 = R"sql(
  ALTER TABLE unpacked_images ADD COLUMN device_size INTEGER NOT NULL DEFAULT 0 CHECK (device_size >= 0);

  CREATE TABLE new_id_reservations (
    pool TEXT NOT NULL,
    device_id INTEGER NOT NULL CHECK (device_id BETWEEN 0 AND 16777215),
    purpose TEXT NOT NULL CHECK (purpose IN ('volume', 'snapshot')),
    image_id TEXT NOT NULL,
    snapshot_name TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'reserved' CHECK (state IN ('reserved', 'made', 'deleting')),
    note TEXT NOT NULL DEFAULT '',
    reserved_at INTEGER NOT NULL,
    PRIMARY KEY (pool, device_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO new_id_reservations (pool, device_id, purpose, image_id, snapshot_name, state, reserved_at)
    SELECT pool, device_id, purpose, image_id, snapshot_name,
           CASE WHEN EXISTS (SELECT 1 FROM unpacked_images u WHERE u.pool = r.pool AND u.device_id = r.device_id)
                  OR EXISTS (SELECT 1 FROM snapshots s WHERE s.pool = r.pool AND s.snapshot_id = r.device_id)
                THEN 'made' ELSE 'reserved' END,
           reserved_at
    FROM id_reservations r;
  DROP TABLE id_reservations;
  ALTER TABLE new_id_reservations RENAME TO id_reservations;
  CREATE UNIQUE INDEX id_reservations_thing ON id_reservations (image_id, purpose, snapshot_name, pool)
    WHERE state <> 'deleting';

  CREATE TABLE thin_pools (
    name TEXT PRIMARY KEY,
    data_path TEXT NOT NULL,
    metadata_path TEXT NOT NULL,
    transaction_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
)sql";

inline constexpr std::string_view kSchemaVersion5 = R"sql(
  ALTER TABLE scans ADD COLUMN policy TEXT NOT NULL DEFAULT '';
  ALTER TABLE scans ADD COLUMN complete INTEGER NOT NULL DEFAULT 1 CHECK (complete IN (0, 1));
  ALTER TABLE scans ADD COLUMN warnings TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE scans ADD COLUMN data_dates TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE scans ADD COLUMN suppressed INTEGER NOT NULL DEFAULT 0 CHECK (suppressed >= 0);
  ALTER TABLE scans ADD COLUMN allowed_by TEXT NOT NULL DEFAULT '';
  ALTER TABLE scans ADD COLUMN allowed_at INTEGER;
  ALTER TABLE scan_findings ADD COLUMN aliases TEXT NOT NULL DEFAULT '';
  ALTER TABLE scan_findings ADD COLUMN status TEXT NOT NULL DEFAULT '';
  ALTER TABLE scan_findings ADD COLUMN score REAL;

  CREATE TABLE inventories (
    image_id TEXT PRIMARY KEY NOT NULL REFERENCES images (image_id) ON DELETE CASCADE,
    checksum TEXT NOT NULL,
    taken_at INTEGER NOT NULL,
    packages INTEGER NOT NULL CHECK (packages >= 0),
    body TEXT NOT NULL
  ) STRICT;
)sql";

// Of verdicts from before nobody knows the digest: their findings count as others. Who allowed an image then has seen
// all that was found in it.
inline constexpr std::string_view kSchemaVersion6 = R"sql(
  ALTER TABLE scans ADD COLUMN findings_digest TEXT NOT NULL DEFAULT '';
  ALTER TABLE scans ADD COLUMN allowed TEXT NOT NULL DEFAULT '[]';
  UPDATE scans SET allowed =
    (SELECT json_group_array(json_array(f.vulnerability, f.package)) FROM scan_findings f
     WHERE f.image_id = scans.image_id)
    WHERE allowed_by <> '';
)sql";

inline constexpr std::array kCatalogMigrations{
    store::Migration{.version = 1, .sql = kSchemaVersion1, .why = "images, unpacked images and snapshots"},
    store::Migration{.version = 2, .sql = kSchemaVersion2, .why = "image locks"},
    store::Migration{.version = 3,
                     .sql = kSchemaVersion3,
                     .why = "buckets, pools, id reservations, file identities, scans and findings"},
    store::Migration{
        .version = 4, .sql = kSchemaVersion4, .why = "sizes of devices, what is to become of them, thin pools"},
    store::Migration{.version = 5, .sql = kSchemaVersion5, .why = "inventories, and what a scan's verdict rests on"},
    store::Migration{
        .version = 6, .sql = kSchemaVersion6, .why = "whether findings are the same again, and what was allowed"},
};

inline constexpr store::Schema kCatalogSchema{
    .application_id = 0x534C5743,  // "SLWC"
    .migrations = kCatalogMigrations,
    .keeps_ledger = true,
};

}  // namespace slipway::catalog
