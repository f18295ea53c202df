// Catalogs as earlier versions of the program left them, with rows in them. Written down here by themselves: what the
// current program would make is not what is to be shown.
#pragma once

#include <string>
#include <string_view>

#include "catalog/schema.h"
#include "store/database.h"

namespace slipway::catalog {

inline constexpr std::string_view kVersion1Sql = R"sql(
  PRAGMA application_id = 1397512003;
  PRAGMA user_version = 1;
  CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL,
    description TEXT NOT NULL) STRICT;
  INSERT INTO schema_migrations VALUES (1, 1600000000000000, 'images, unpacked images and snapshots');
  CREATE TABLE images (id INTEGER PRIMARY KEY, image_id TEXT NOT NULL UNIQUE, s3_key TEXT NOT NULL, local_path TEXT,
    checksum TEXT, size_bytes INTEGER CHECK (size_bytes >= 0),
    download_status TEXT NOT NULL DEFAULT 'pending'
      CHECK (download_status IN ('pending', 'downloading', 'completed', 'failed')),
    activation_status TEXT NOT NULL DEFAULT 'inactive' CHECK (activation_status IN ('inactive', 'active', 'failed')),
    created_at INTEGER NOT NULL, downloaded_at INTEGER, activated_at INTEGER, updated_at INTEGER NOT NULL) STRICT;
  CREATE INDEX images_s3_key ON images (s3_key);
  CREATE INDEX images_image_id ON images (image_id);
  CREATE INDEX images_download_status ON images (download_status);
  CREATE INDEX images_activation_status ON images (activation_status);
  CREATE INDEX images_downloaded_at ON images (downloaded_at);
  CREATE TABLE unpacked_images (id INTEGER PRIMARY KEY,
    image_id TEXT NOT NULL UNIQUE REFERENCES images (image_id) ON DELETE CASCADE,
    device_id INTEGER NOT NULL UNIQUE, device_name TEXT NOT NULL UNIQUE, device_path TEXT NOT NULL,
    size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0), file_count INTEGER NOT NULL CHECK (file_count >= 0),
    layout_verified INTEGER NOT NULL DEFAULT 0 CHECK (layout_verified IN (0, 1)),
    created_at INTEGER NOT NULL, unpacked_at INTEGER, updated_at INTEGER NOT NULL) STRICT;
  CREATE INDEX unpacked_images_image_id ON unpacked_images (image_id);
  CREATE INDEX unpacked_images_device_id ON unpacked_images (device_id);
  CREATE INDEX unpacked_images_device_name ON unpacked_images (device_name);
  CREATE INDEX unpacked_images_unpacked_at ON unpacked_images (unpacked_at);
  CREATE TABLE snapshots (id INTEGER PRIMARY KEY,
    image_id TEXT NOT NULL REFERENCES images (image_id) ON DELETE CASCADE,
    snapshot_id INTEGER NOT NULL UNIQUE, snapshot_name TEXT NOT NULL UNIQUE, device_path TEXT NOT NULL,
    origin_device_id INTEGER NOT NULL REFERENCES unpacked_images (device_id) ON DELETE RESTRICT,
    active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
    created_at INTEGER NOT NULL, deactivated_at INTEGER, updated_at INTEGER NOT NULL) STRICT;
  CREATE INDEX snapshots_image_id ON snapshots (image_id);
  CREATE INDEX snapshots_snapshot_id ON snapshots (snapshot_id);
  CREATE INDEX snapshots_snapshot_name ON snapshots (snapshot_name);
  CREATE INDEX snapshots_active ON snapshots (active);
  CREATE INDEX snapshots_origin_device_id ON snapshots (origin_device_id);
  CREATE INDEX snapshots_created_at ON snapshots (created_at);

  INSERT INTO images VALUES (1, 'ready', 'images/ready.tar', '/images/ready.tar',
    '7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed', 3, 'completed', 'active', 11, 12, 13, 14);
  INSERT INTO images VALUES (2, 'new', 'images/same.tar', NULL, NULL, NULL, 'pending', 'inactive', 21, NULL, NULL, 22);
  INSERT INTO images VALUES (5, 'twin', 'images/same.tar', NULL, NULL, NULL, 'failed', 'inactive', 51, NULL, NULL, 52);
  INSERT INTO unpacked_images VALUES (3, 'ready', 7, 'thin-ready', '/dev/mapper/thin-ready', 1000, 10, 1, 31, 32, 33);
  INSERT INTO snapshots VALUES (4, 'ready', 8, 'snap-ready', '/dev/mapper/snap-ready', 7, 1, 41, NULL, 42);
  INSERT INTO snapshots VALUES (6, 'ready', 9, 'old-ready', '/dev/mapper/old-ready', 7, 0, 61, 62, 63);
)sql";

// On top of version 1.
inline constexpr std::string_view kVersion2Sql = R"sql(
  PRAGMA user_version = 2;
  INSERT INTO schema_migrations VALUES (2, 1600000000000000, 'image locks');
  CREATE TABLE image_locks (image_id TEXT PRIMARY KEY NOT NULL, locked_at INTEGER NOT NULL,
    locked_by TEXT NOT NULL) STRICT;
  CREATE INDEX image_locks_locked_at ON image_locks (locked_at);
  INSERT INTO image_locks VALUES ('new', 1600000000, 'run-1');
)sql";

// On top of version 2: the step itself, and what a program of that version did with it.
inline constexpr std::string_view kVersion3Rows = R"sql(
  PRAGMA user_version = 3;
  INSERT INTO schema_migrations VALUES (3, 1600000000000000, 'buckets, pools, id reservations');
  INSERT INTO id_reservations VALUES ('p', 77, 'volume', 'new', '', 71);
)sql";

// On top of version 3, in the same way.
inline constexpr std::string_view kVersion4Rows = R"sql(
  PRAGMA user_version = 4;
  INSERT INTO schema_migrations VALUES (4, 1600000000000000, 'sizes of devices');
  INSERT INTO scans VALUES ('ready', '00', 81, 0, 1, 1, 0, 'builtin 0', 80);
  INSERT INTO scan_findings VALUES (1, 'ready', 'bash', '5', 'CVE-1', 4, '', 'debian', '', 'a hole');
)sql";

inline constexpr std::string_view kVersion5Rows = R"sql(
  PRAGMA user_version = 5;
  INSERT INTO schema_migrations VALUES (5, 1600000000000000, 'inventories');
  UPDATE scans SET allowed_by = 'alice', allowed_at = 90;
)sql";

// Version 0 is an empty file. Throws when the SQL is wrong.
inline void make_old_catalog(const std::string& path, int version) {
  auto db = store::Database::open({.path = path}).value();
  if (version >= 1) db.execute(kVersion1Sql).value();
  if (version >= 2) db.execute(kVersion2Sql).value();
  if (version >= 3) {
    db.execute(kSchemaVersion3).value();
    db.execute(kVersion3Rows).value();
  }
  if (version >= 4) {
    db.execute(kSchemaVersion4).value();
    db.execute(kVersion4Rows).value();
  }
  if (version >= 5) {
    db.execute(kSchemaVersion5).value();
    db.execute(kVersion5Rows).value();
  }
}

}  // namespace slipway::catalog
