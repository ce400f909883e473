-- Contents that lie in the storage, each once, sealed with a key of its own. What refers to none any
-- more is removed.
CREATE TABLE blobs (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  name    TEXT    NOT NULL UNIQUE, -- in the storage
  content BLOB    NOT NULL UNIQUE, -- keyed hash of the sha256 of the content
  key     BLOB    NOT NULL, -- of the content, sealed
  size    INTEGER NOT NULL, -- of the content, in bytes
  used_at INTEGER NOT NULL -- when something last began to refer to it
) STRICT;

-- What agents sent for their scripts.
CREATE TABLE files (
  id         TEXT    NOT NULL PRIMARY KEY, -- file_…
  profile_id INTEGER NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  name       TEXT    NOT NULL,
  size       INTEGER NOT NULL,
  sha256     TEXT    NOT NULL, -- hex
  blob_id    INTEGER NOT NULL REFERENCES blobs (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX files_profile ON files (profile_id, created_at);
CREATE INDEX files_expiry ON files (expires_at);
CREATE INDEX files_blob ON files (blob_id);

-- The files that an execution was given. blob_id is NULL once the content is not kept any more.
CREATE TABLE execution_files (
  execution_id INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  name         TEXT    NOT NULL, -- by which the script knows it
  file_id      TEXT    NOT NULL, -- no reference: files end
  size         INTEGER NOT NULL,
  sha256       TEXT    NOT NULL,
  blob_id      INTEGER REFERENCES blobs (id) ON DELETE SET NULL,
  PRIMARY KEY (execution_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX execution_files_blob ON execution_files (blob_id) WHERE blob_id IS NOT NULL;

-- What scripts left for people and agents, redacted. blob_id is NULL if it was withheld or is not kept
-- any more.
CREATE TABLE artifacts (
  execution_id   INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  ordinal        INTEGER NOT NULL CHECK (ordinal > 0),
  profile_handle TEXT    NOT NULL,
  name           TEXT    NOT NULL, -- redacted
  size           INTEGER NOT NULL,
  sha256         TEXT    NOT NULL DEFAULT '',
  media_type     TEXT    NOT NULL DEFAULT '',
  withheld       TEXT    NOT NULL DEFAULT '', -- why its content is not kept; '' if it was
  withheld_key   TEXT    NOT NULL DEFAULT '', -- whose value it holds, if that is why
  masked         INTEGER NOT NULL DEFAULT 0, -- places
  blob_id        INTEGER REFERENCES blobs (id) ON DELETE SET NULL,
  expires_at     INTEGER NOT NULL,
  PRIMARY KEY (execution_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX artifacts_profile ON artifacts (profile_handle, size) WHERE blob_id IS NOT NULL;
CREATE INDEX artifacts_expiry ON artifacts (expires_at) WHERE blob_id IS NOT NULL;
CREATE INDEX artifacts_blob ON artifacts (blob_id) WHERE blob_id IS NOT NULL;
