// The tables of the feeds' database. docs/feeds.md tells of them for those who query it.
//
// provider      One row a provider: its state, and what a recovery needs. Its counts are of the sync under way, or the
//               last one.
// macro         One row.
// checkpoint    Where a provider stands in its source, written with the records up to there: one row a provider.
// bad_record    What a provider could not take, of its last sync.
// node          Every thing that has a name (URN), also one that is only linked to and not known yet.
// record        What is known of a node. `generation` is the number of the provider's sync that last saw it;
//               `gone_since` is when a whole source no longer had it. `digest` tells whether it has changed.
// cve ... advisory   The columns that only this kind has.
// affected      The packages of advisories: what the scanner asks for, by ecosystem and package.
// link          From a record's node to another node; a record's links are written and deleted with it. `dead_end`: its
//               source has no other link, in either direction, so that no way leads through it. Most CVEs are such, and
//               a search for a way need not look at them. 0 may also mean that this is not known.
// search        Full text over records; it has no copy of the texts, but reads them from record.
//
// Times are INTEGER, microseconds since 1970 UTC.
//
// The road not taken: links by URN. A walk from CVE to CVE passes weaknesses with tens of thousands of links; comparing
// integers is several times faster than texts of 30 bytes, and the table a third of the size. The view `links` has the
// URNs.
#pragma once

#include <array>

#include "store/migrations.h"

namespace slipway::feeds {

inline constexpr std::string_view kSchemaVersion1 = R"sql(
  CREATE TABLE provider (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    state TEXT NOT NULL
      CHECK (state IN ('IDLE', 'ACQUIRING', 'RUNNING', 'WAITING_QUOTA', 'WAITING_BACKOFF', 'PAUSED', 'TERMINATED')),
    outcome TEXT CHECK (outcome IN ('completed', 'stopped', 'failed')),
    error TEXT,                            -- as JSON: kind, message, hint
    instance INTEGER NOT NULL,             -- a restart counts up
    resume_at INTEGER,                     -- of WAITING_BACKOFF
    generation INTEGER NOT NULL,           -- of the sync under way, or the last
    processed INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    source_tag TEXT NOT NULL DEFAULT '',   -- of the source that was last loaded whole
    completed_at INTEGER,                  -- and when
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK ((state = 'TERMINATED') = (outcome IS NOT NULL)),
    CHECK ((state = 'WAITING_BACKOFF') = (resume_at IS NOT NULL))
  ) STRICT;

  CREATE TABLE macro (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL CHECK (state IN ('BOOTSTRAPPING', 'ORCHESTRATING', 'STABILIZING', 'DRAINING')),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE checkpoint (
    provider TEXT PRIMARY KEY REFERENCES provider (id),
    urn TEXT NOT NULL,
    processed_at INTEGER NOT NULL,
    success INTEGER NOT NULL CHECK (success IN (0, 1)),
    error TEXT NOT NULL DEFAULT '',
    source_tag TEXT NOT NULL,              -- of the source that `position` is in
    position TEXT NOT NULL                 -- the provider's own; '' when its source has been read to the end
  ) STRICT;

  CREATE TABLE bad_record (
    provider TEXT NOT NULL REFERENCES provider (id),
    name TEXT NOT NULL,
    processed_at INTEGER NOT NULL,
    error TEXT NOT NULL
  ) STRICT;
  CREATE INDEX bad_record_provider ON bad_record (provider);

  CREATE TABLE node (
    id INTEGER PRIMARY KEY,
    urn TEXT NOT NULL UNIQUE
  ) STRICT;

  CREATE TABLE record (
    node INTEGER PRIMARY KEY REFERENCES node (id),
    provider TEXT NOT NULL REFERENCES provider (id),
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    standing TEXT NOT NULL,
    digest INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    processed_at INTEGER NOT NULL,
    gone_since INTEGER
  ) STRICT;
  CREATE INDEX record_provider ON record (provider, generation);
  CREATE INDEX record_name ON record (name);
  CREATE INDEX record_gone ON record (provider) WHERE gone_since IS NOT NULL;

  CREATE TABLE link (
    source INTEGER NOT NULL REFERENCES record (node),
    relation TEXT NOT NULL,
    target INTEGER NOT NULL REFERENCES node (id),
    PRIMARY KEY (source, relation, target)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX link_target ON link (target, relation, source);
  CREATE VIEW links AS
    SELECT a.urn AS source, link.relation AS relation, b.urn AS target
    FROM link JOIN node a ON a.id = link.source JOIN node b ON b.id = link.target;

  CREATE VIRTUAL TABLE search USING fts5 (
    name, title, description, content = 'record', content_rowid = 'node', tokenize = 'porter unicode61');

  CREATE TABLE cve (
    node INTEGER PRIMARY KEY REFERENCES record (node),
    published INTEGER,
    modified INTEGER,
    score REAL,
    vector TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE cwe (
    node INTEGER PRIMARY KEY REFERENCES record (node),
    category TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE capec (
    node INTEGER PRIMARY KEY REFERENCES record (node),
    category TEXT NOT NULL,
    severity TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE attack (
    node INTEGER PRIMARY KEY REFERENCES record (node),
    category TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE ssg (
    node INTEGER PRIMARY KEY REFERENCES record (node),
    category TEXT NOT NULL,
    severity TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE asvs (
    node INTEGER PRIMARY KEY REFERENCES record (node),
    category TEXT NOT NULL,
    level INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE cce (
    node INTEGER PRIMARY KEY REFERENCES record (node),
    platform TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE advisory (
    node INTEGER PRIMARY KEY REFERENCES record (node),
    published INTEGER,
    modified INTEGER,
    score REAL,
    vector TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE affected (
    ecosystem TEXT NOT NULL,
    package TEXT NOT NULL,
    node INTEGER NOT NULL REFERENCES record (node),
    place INTEGER NOT NULL,                -- in the advisory's list
    status TEXT NOT NULL,
    fixed TEXT NOT NULL,
    urgency TEXT NOT NULL,
    ranges TEXT NOT NULL,
    PRIMARY KEY (ecosystem, package, node, place)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX affected_node ON affected (node);
)sql";

inline constexpr std::string_view kSchemaVersion2 = R"sql(
  ALTER TABLE link ADD COLUMN dead_end INTEGER NOT NULL DEFAULT 0 CHECK (dead_end IN (0, 1));
  UPDATE link SET dead_end = 1
    WHERE (SELECT count(*) FROM link AS other WHERE other.source = link.source) = 1
      AND NOT EXISTS (SELECT 1 FROM link AS other WHERE other.target = link.source);
  CREATE INDEX link_ways ON link (target, source) WHERE dead_end = 0;
)sql";

inline constexpr std::array kMigrations = {
    store::Migration{1, kSchemaVersion1, "providers, checkpoints, nodes, records and links"},
    store::Migration{2, kSchemaVersion2, "links that are dead ends"},
};

inline constexpr store::Schema kFeedsSchema{.application_id = 0x736c7766,  // "slwf"
                                            .migrations = kMigrations};

}  // namespace slipway::feeds
