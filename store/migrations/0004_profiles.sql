CREATE TABLE profiles (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  lookup       BLOB    NOT NULL UNIQUE,
  sealed_id    BLOB    NOT NULL,
  handle       TEXT    NOT NULL UNIQUE,
  description  TEXT    NOT NULL DEFAULT '',
  pairing_code TEXT    NOT NULL DEFAULT '',
  created_by   TEXT    NOT NULL CHECK (json_valid(created_by)),
  created_from TEXT    NOT NULL DEFAULT '',
  claimed_at   INTEGER NOT NULL DEFAULT 0, -- when a person first worked on it; 0 counts against the quota
  locked       INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1)),
  locked_at    INTEGER NOT NULL DEFAULT 0,
  revoked      INTEGER NOT NULL DEFAULT 0 CHECK (revoked IN (0, 1)),
  revoked_at   INTEGER NOT NULL DEFAULT 0,
  expires_at   INTEGER NOT NULL DEFAULT 0,
  backend      TEXT    NOT NULL DEFAULT '', -- required; '' means any
  min_tier     TEXT    NOT NULL DEFAULT '' CHECK (min_tier IN ('', 'restricted', 'full')),
  image        TEXT    NOT NULL DEFAULT '', -- chosen among the operator's; '' means the default
  policy       INTEGER NOT NULL DEFAULT 0 CHECK (policy >= 0), -- current version; 0 while unlocked
  executions   INTEGER NOT NULL DEFAULT 0,
  last_used_at INTEGER NOT NULL DEFAULT 0,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL, -- grows with every change, so it also serves as a revision
  revision_revoked INTEGER NOT NULL DEFAULT 0, -- updated_at as the revocation left it; 0 if it stays
  may_run      TEXT    NOT NULL DEFAULT 'any' CHECK (may_run IN ('any', 'approved_scripts', 'approved_skills')),
  fresh        INTEGER NOT NULL DEFAULT 0 CHECK (fresh IN (0, 1)), -- boxes must not be forked from a template
  CHECK (locked = 0 OR policy > 0)
) STRICT;

CREATE INDEX profiles_unclaimed ON profiles (created_at) WHERE claimed_at = 0;

CREATE TABLE profile_keys (
  profile_id    INTEGER NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  name          TEXT    NOT NULL,
  position      INTEGER NOT NULL,
  description   TEXT    NOT NULL DEFAULT '',
  mode          TEXT    NOT NULL DEFAULT '' CHECK (mode IN ('', 'sealed', 'injected', 'plain')),
  hosts         TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(hosts)),
  credential_id TEXT    REFERENCES credentials (id) ON DELETE SET NULL,
  created_at    INTEGER NOT NULL,
  PRIMARY KEY (profile_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX profile_keys_credential ON profile_keys (credential_id);

CREATE TABLE profile_hosts (
  profile_id INTEGER NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  entry      TEXT    NOT NULL, -- short form, such as db.example.com:5432
  position   INTEGER NOT NULL,
  host       TEXT    NOT NULL CHECK (json_valid(host)),
  allowed    INTEGER NOT NULL DEFAULT 0 CHECK (allowed IN (0, 1)),
  asked_by   TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(asked_by)),
  execution  TEXT    NOT NULL DEFAULT '', -- handle of the execution whose denial asked for it
  line       INTEGER NOT NULL DEFAULT 0, -- in that execution's script
  created_at INTEGER NOT NULL,
  declined_at INTEGER NOT NULL DEFAULT 0, -- when a person declined the request; nobody is asked twice
  PRIMARY KEY (profile_id, entry)
) STRICT, WITHOUT ROWID;

-- Keyed by handle and without a reference: policies outlive their profile, as executions do.
CREATE TABLE policies (
  profile_handle TEXT    NOT NULL,
  version        INTEGER NOT NULL CHECK (version > 0),
  body           TEXT    NOT NULL CHECK (json_valid(body)),
  digest         TEXT    NOT NULL,
  created_by     TEXT    NOT NULL CHECK (json_valid(created_by)),
  created_at     INTEGER NOT NULL,
  PRIMARY KEY (profile_handle, version)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER policies_are_immutable BEFORE UPDATE ON policies
BEGIN SELECT RAISE(ABORT, 'policy versions never change'); END;

CREATE TRIGGER profiles_stay_locked BEFORE UPDATE OF locked ON profiles WHEN OLD.locked = 1 AND NEW.locked = 0
BEGIN SELECT RAISE(ABORT, 'a locked profile never unlocks'); END;

-- A revocation can be taken back within ten minutes, unless the profile has changed since. After that
-- it is for good.
CREATE TRIGGER profiles_stay_revoked BEFORE UPDATE OF revoked ON profiles
WHEN OLD.revoked = 1 AND NEW.revoked = 0
  AND (OLD.revision_revoked = 0 OR OLD.updated_at <> OLD.revision_revoked OR NEW.updated_at > OLD.revoked_at + 600000)
BEGIN SELECT RAISE(ABORT, 'a revoked profile stays revoked'); END;

CREATE TRIGGER profile_keys_no_insert BEFORE INSERT ON profile_keys
WHEN (SELECT locked FROM profiles WHERE id = NEW.profile_id) = 1
BEGIN SELECT RAISE(ABORT, 'keys of a locked profile never change'); END;

CREATE TRIGGER profile_keys_no_delete BEFORE DELETE ON profile_keys
WHEN (SELECT locked FROM profiles WHERE id = OLD.profile_id) = 1
BEGIN SELECT RAISE(ABORT, 'keys of a locked profile never change'); END;

-- Unlinking is let through: it is what deleting a credential does to the keys of profiles that can't
-- be used any more.
CREATE TRIGGER profile_keys_no_update BEFORE UPDATE ON profile_keys
WHEN (SELECT locked FROM profiles WHERE id = OLD.profile_id) = 1
  AND (NEW.profile_id IS NOT OLD.profile_id OR NEW.name IS NOT OLD.name OR NEW.mode IS NOT OLD.mode
       OR NEW.hosts IS NOT OLD.hosts
       OR (NEW.credential_id IS NOT NULL AND NEW.credential_id IS NOT OLD.credential_id))
BEGIN SELECT RAISE(ABORT, 'keys of a locked profile never change'); END;
