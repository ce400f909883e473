-- Skills: named bundles that people approve. A deleted one stays as a record, and its name can be
-- taken anew.
CREATE TABLE skills (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT    NOT NULL UNIQUE,
  owner      TEXT    NOT NULL DEFAULT '', -- handle of the profile whose agent took the name; '' if a person did
  enabled    INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  deleted_at INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What was uploaded never changes; only what people decided about it does. Numbers are not used again.
CREATE TABLE skill_versions (
  skill_id    INTEGER NOT NULL REFERENCES skills (id),
  number      INTEGER NOT NULL CHECK (number > 0),
  digest      TEXT    NOT NULL, -- of the files: sha256:…
  manifest    TEXT    NOT NULL CHECK (json_valid(manifest)), -- what SKILL.md says of itself
  size        INTEGER NOT NULL, -- of all files, in bytes
  files       INTEGER NOT NULL,
  uploader    TEXT    NOT NULL DEFAULT '', -- handle of the profile whose agent uploaded it
  uploaded_by TEXT    NOT NULL CHECK (json_valid(uploaded_by)),
  uploaded_at INTEGER NOT NULL,
  state       TEXT    NOT NULL CHECK (state IN ('quarantined', 'approved', 'revoked')),
  approved_by TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(approved_by)),
  approved_at INTEGER NOT NULL DEFAULT 0,
  revoked_by  TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(revoked_by)),
  revoked_at  INTEGER NOT NULL DEFAULT 0,
  reason      TEXT    NOT NULL DEFAULT '', -- of the revocation
  blob_id     INTEGER REFERENCES blobs (id), -- NULL once the skill was deleted
  PRIMARY KEY (skill_id, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX skill_versions_digest ON skill_versions (digest) WHERE blob_id IS NOT NULL;
CREATE INDEX skill_versions_blob ON skill_versions (blob_id) WHERE blob_id IS NOT NULL;
CREATE INDEX skill_versions_uploader ON skill_versions (uploader, size) WHERE blob_id IS NOT NULL;

-- Every page counts what waits for a review.
CREATE INDEX skill_versions_waiting ON skill_versions (uploaded_at) WHERE state = 'quarantined' AND blob_id IS NOT NULL;

CREATE TRIGGER skill_versions_are_immutable
BEFORE UPDATE OF skill_id, number, digest, manifest, size, files, uploader, uploaded_by, uploaded_at ON skill_versions
BEGIN SELECT RAISE(ABORT, 'versions of skills never change'); END;

-- Whose agents may run a skill once a version is approved.
CREATE TABLE skill_profiles (
  skill_id   INTEGER NOT NULL REFERENCES skills (id),
  profile_id INTEGER NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  allowed_by TEXT    NOT NULL CHECK (json_valid(allowed_by)),
  allowed_at INTEGER NOT NULL,
  PRIMARY KEY (skill_id, profile_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX skill_profiles_profile ON skill_profiles (profile_id);
