-- Conventions: every *_at column is UTC unix milliseconds, 0 meaning "not yet" or "never"; *_ms columns are durations;
-- JSON is TEXT; "sealed" columns hold tokens that only the keyring can open; lookup columns hold keyed hashes.
-- Actors are JSON: {"kind":…,"name":…,"address":…}.

CREATE TABLE settings (
  key        TEXT    NOT NULL PRIMARY KEY,
  value      BLOB    NOT NULL,
  sealed     INTEGER NOT NULL DEFAULT 0 CHECK (sealed IN (0, 1)),
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- ---- credentials ----

CREATE TABLE credentials (
  id           TEXT    NOT NULL PRIMARY KEY,
  name         TEXT    NOT NULL UNIQUE,
  description  TEXT    NOT NULL DEFAULT '',
  service      TEXT    NOT NULL DEFAULT '',
  mode         TEXT    NOT NULL CHECK (mode IN ('sealed', 'injected', 'plain')),
  hosts        TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(hosts)),
  places       TEXT    NOT NULL DEFAULT '["header"]' CHECK (json_valid(places)), -- where a sealed value is put in: header, query, body
  plain_http   INTEGER NOT NULL DEFAULT 0 CHECK (plain_http IN (0, 1)),          -- a person allowed a sealed value over http
  source       TEXT    NOT NULL DEFAULT 'local' CHECK (source IN ('local', 'vault')),
  reference    TEXT    NOT NULL DEFAULT '',
  version      INTEGER NOT NULL DEFAULT 0 CHECK (version >= 0),
  key_id       TEXT    NOT NULL DEFAULT '',
  value_set_at INTEGER NOT NULL DEFAULT 0,
  checked_at   INTEGER NOT NULL DEFAULT 0,
  check_error  TEXT    NOT NULL DEFAULT '',
  uses         INTEGER NOT NULL DEFAULT 0,
  last_used_at INTEGER NOT NULL DEFAULT 0,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The sealed value of a superseded version is erased; the row stays as the record of when it was set and by whom.
CREATE TABLE credential_versions (
  credential_id TEXT    NOT NULL REFERENCES credentials (id) ON DELETE CASCADE,
  version       INTEGER NOT NULL CHECK (version > 0),
  value         BLOB,
  key_id        TEXT    NOT NULL,
  created_by    TEXT    NOT NULL CHECK (json_valid(created_by)),
  created_at    INTEGER NOT NULL,
  PRIMARY KEY (credential_id, version)
) STRICT, WITHOUT ROWID;

-- ---- profiles ----

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
  backend      TEXT    NOT NULL DEFAULT '',                                          -- required; '' means any
  min_tier     TEXT    NOT NULL DEFAULT '' CHECK (min_tier IN ('', 'restricted', 'full')),
  image        TEXT    NOT NULL DEFAULT '',                                          -- chosen among the operator's; '' means the default
  policy       INTEGER NOT NULL DEFAULT 0 CHECK (policy >= 0),                       -- current version; 0 while unlocked
  executions   INTEGER NOT NULL DEFAULT 0,
  last_used_at INTEGER NOT NULL DEFAULT 0,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,                                                     -- grows with every change, so it also serves as a revision
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
  line       INTEGER NOT NULL DEFAULT 0,  -- in that execution's script
  created_at INTEGER NOT NULL,
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

CREATE TRIGGER profiles_stay_revoked BEFORE UPDATE OF revoked ON profiles WHEN OLD.revoked = 1 AND NEW.revoked = 0
BEGIN SELECT RAISE(ABORT, 'a revoked profile stays revoked'); END;

CREATE TRIGGER profile_keys_no_insert BEFORE INSERT ON profile_keys
WHEN (SELECT locked FROM profiles WHERE id = NEW.profile_id) = 1
BEGIN SELECT RAISE(ABORT, 'keys of a locked profile never change'); END;

CREATE TRIGGER profile_keys_no_delete BEFORE DELETE ON profile_keys
WHEN (SELECT locked FROM profiles WHERE id = OLD.profile_id) = 1
BEGIN SELECT RAISE(ABORT, 'keys of a locked profile never change'); END;

-- Unlinking is let through: it is what deleting a credential does to the keys of profiles that can't be used any more.
CREATE TRIGGER profile_keys_no_update BEFORE UPDATE ON profile_keys
WHEN (SELECT locked FROM profiles WHERE id = OLD.profile_id) = 1
  AND (NEW.profile_id IS NOT OLD.profile_id OR NEW.name IS NOT OLD.name OR NEW.mode IS NOT OLD.mode OR NEW.hosts IS NOT OLD.hosts
       OR (NEW.credential_id IS NOT NULL AND NEW.credential_id IS NOT OLD.credential_id))
BEGIN SELECT RAISE(ABORT, 'keys of a locked profile never change'); END;

-- ---- executions ----

-- The table is the queue: pending rows run in the order of their id.
CREATE TABLE executions (
  id                  INTEGER PRIMARY KEY AUTOINCREMENT,
  handle              TEXT    NOT NULL UNIQUE,
  lookup              BLOB    NOT NULL UNIQUE,
  sealed_id           BLOB    NOT NULL,
  profile_id          INTEGER REFERENCES profiles (id) ON DELETE SET NULL,
  profile_handle      TEXT    NOT NULL,
  profile_description TEXT    NOT NULL DEFAULT '',
  policy              INTEGER NOT NULL,
  status              TEXT    NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'running', 'awaiting_llm', 'completed', 'error', 'timeout', 'cancelled')),
  timeout_ms          INTEGER NOT NULL,
  error               TEXT    NOT NULL DEFAULT '',
  error_line          INTEGER NOT NULL DEFAULT 0,
  backend             TEXT    NOT NULL DEFAULT '',
  isolation           TEXT    NOT NULL DEFAULT '',
  warm                INTEGER NOT NULL DEFAULT 0 CHECK (warm IN (0, 1)),
  truncated           INTEGER NOT NULL DEFAULT 0 CHECK (truncated IN (0, 1)),
  redactions          INTEGER NOT NULL DEFAULT 0,
  injected            TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(injected)),
  rerun_of            TEXT    NOT NULL DEFAULT '', -- handle
  submitted_by        TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(submitted_by)),
  claimed_by          TEXT    NOT NULL DEFAULT '', -- the server run that owns it
  created_at          INTEGER NOT NULL,
  claimed_at          INTEGER NOT NULL DEFAULT 0,
  started_at          INTEGER NOT NULL DEFAULT 0,
  first_output_at     INTEGER NOT NULL DEFAULT 0,
  completed_at        INTEGER NOT NULL DEFAULT 0,
  run_ms              INTEGER NOT NULL DEFAULT 0,
  llm_ms              INTEGER NOT NULL DEFAULT 0,
  cpu_ms              INTEGER NOT NULL DEFAULT 0,
  peak_memory         INTEGER NOT NULL DEFAULT 0,
  manifest            TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(manifest)),
  CHECK ((status IN ('completed', 'error', 'timeout', 'cancelled')) = (completed_at > 0))
) STRICT;

CREATE INDEX executions_status         ON executions (status, id);                 -- claim, reconcile, filter
CREATE INDEX executions_profile        ON executions (profile_handle, id);
CREATE INDEX executions_profile_status ON executions (profile_handle, status, id);
CREATE INDEX executions_created        ON executions (created_at, id);
CREATE INDEX executions_profile_row    ON executions (profile_id) WHERE profile_id IS NOT NULL;

-- The arrows of app.Status.CanBecome; a status that nothing leaves can't be left by mistake either.
CREATE TRIGGER executions_follow_arrows BEFORE UPDATE OF status ON executions
WHEN NEW.status IS NOT OLD.status AND NOT (
     (OLD.status = 'pending'      AND NEW.status IN ('running', 'cancelled', 'error', 'timeout'))
  OR (OLD.status = 'running'      AND NEW.status IN ('awaiting_llm', 'completed', 'error', 'timeout', 'cancelled'))
  OR (OLD.status = 'awaiting_llm' AND NEW.status IN ('running', 'error', 'timeout', 'cancelled')))
BEGIN SELECT RAISE(ABORT, 'the execution can not take that status'); END;

CREATE TABLE execution_scripts (
  execution_id INTEGER NOT NULL PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
  script       BLOB    NOT NULL, -- sealed
  inputs       BLOB,             -- sealed; NULL if none were given
  clean        TEXT    NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE execution_outputs (
  execution_id INTEGER NOT NULL PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
  stdout       TEXT    NOT NULL DEFAULT '',
  stderr       TEXT    NOT NULL DEFAULT '',
  result       TEXT,             -- JSON; NULL if set_result was not called. Not checked: SQLite's parser knows fewer levels than ours
  segments     TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(segments)) -- how stdout and stderr interleave
) STRICT;

-- Which version of which credential each key of an execution had.
CREATE TABLE execution_values (
  execution_id    INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  key             TEXT    NOT NULL,
  credential_id   TEXT    NOT NULL, -- no reference: credentials may be deleted
  credential_name TEXT    NOT NULL DEFAULT '',
  version         INTEGER NOT NULL,
  mode            TEXT    NOT NULL CHECK (mode IN ('sealed', 'injected', 'plain')),
  PRIMARY KEY (execution_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX execution_values_credential ON execution_values (credential_id, execution_id);

CREATE TABLE llm_exchanges (
  execution_id INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  ordinal      INTEGER NOT NULL CHECK (ordinal > 0),
  request_id   TEXT    NOT NULL UNIQUE,
  prompt       TEXT    NOT NULL,
  model        TEXT    NOT NULL,
  response     TEXT    NOT NULL DEFAULT '', -- redacted
  answer       BLOB,                        -- the exact answer, sealed, so that a re-run can play it back
  failed       INTEGER NOT NULL DEFAULT 0 CHECK (failed IN (0, 1)),
  answered_by  TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(answered_by)),
  asked_at     INTEGER NOT NULL,
  answered_at  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (execution_id, ordinal)
) STRICT;

CREATE TABLE connections (
  execution_id INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  ordinal      INTEGER NOT NULL CHECK (ordinal > 0),
  host         TEXT    NOT NULL,
  port         INTEGER NOT NULL,
  verdict      TEXT    NOT NULL CHECK (verdict IN ('allowed', 'denied', 'failed')),
  rule         TEXT    NOT NULL DEFAULT '',
  address      TEXT    NOT NULL DEFAULT '',
  method       TEXT    NOT NULL DEFAULT '', -- method, path, status and credentials: of intercepted requests
  path         TEXT    NOT NULL DEFAULT '',
  status       INTEGER NOT NULL DEFAULT 0,
  credentials  TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(credentials)),
  bytes_up     INTEGER NOT NULL DEFAULT 0,
  bytes_down   INTEGER NOT NULL DEFAULT 0,
  started_at   INTEGER NOT NULL,
  duration_ms  INTEGER NOT NULL DEFAULT 0,
  count        INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (execution_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What the redactor masked, never the text.
CREATE TABLE redaction_hits (
  execution_id INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  channel      TEXT    NOT NULL,
  name         TEXT    NOT NULL DEFAULT '', -- of the credential's key, or '' for a pattern
  rule         TEXT    NOT NULL DEFAULT '', -- of the pattern, or '' for a known value
  encoding     TEXT    NOT NULL DEFAULT '',
  count        INTEGER NOT NULL CHECK (count > 0),
  PRIMARY KEY (execution_id, channel, name, rule, encoding)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  profile_id   INTEGER NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
  key          BLOB    NOT NULL, -- sha256 of what the agent sent
  body         BLOB    NOT NULL, -- sha256 of the request's body
  execution_id INTEGER NOT NULL REFERENCES executions (id) ON DELETE CASCADE,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (profile_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_created   ON idempotency (created_at);
CREATE INDEX idempotency_execution ON idempotency (execution_id);

-- One row per profile and UTC day; it outlives the executions it counts.
CREATE TABLE daily_stats (
  profile_handle TEXT    NOT NULL,
  day            INTEGER NOT NULL, -- days since 1970-01-01 UTC
  completed      INTEGER NOT NULL DEFAULT 0,
  error          INTEGER NOT NULL DEFAULT 0,
  timeout        INTEGER NOT NULL DEFAULT 0,
  cancelled      INTEGER NOT NULL DEFAULT 0,
  run_ms         INTEGER NOT NULL DEFAULT 0, -- sum
  run_ms_max     INTEGER NOT NULL DEFAULT 0,
  llm_ms         INTEGER NOT NULL DEFAULT 0, -- sum
  durations      TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(durations)), -- counts of run_ms by power of two
  redactions     INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (profile_handle, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX daily_stats_day ON daily_stats (day);

-- ---- people and the record ----

CREATE TABLE admin_sessions (
  id           TEXT    NOT NULL PRIMARY KEY, -- not secret: names the session in lists
  token        BLOB    NOT NULL UNIQUE,      -- sha256 of the cookie
  person       TEXT    NOT NULL,
  address      TEXT    NOT NULL DEFAULT '',
  agent        TEXT    NOT NULL DEFAULT '',
  created_at   INTEGER NOT NULL,
  seen_at      INTEGER NOT NULL,
  confirmed_at INTEGER NOT NULL DEFAULT 0,   -- when the secret was last typed
  expires_at   INTEGER NOT NULL              -- absolute
) STRICT, WITHOUT ROWID;

CREATE INDEX admin_sessions_expires ON admin_sessions (expires_at);

CREATE TABLE audit_events (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  at            INTEGER NOT NULL,
  actor_kind    TEXT    NOT NULL CHECK (actor_kind IN ('agent', 'person', 'command', 'system')),
  actor_name    TEXT    NOT NULL DEFAULT '',
  actor_address TEXT    NOT NULL DEFAULT '',
  action        TEXT    NOT NULL,
  subject       TEXT    NOT NULL DEFAULT '',
  detail        TEXT    NOT NULL DEFAULT '',
  prev          TEXT    NOT NULL UNIQUE,
  hash          TEXT    NOT NULL UNIQUE
) STRICT;

CREATE INDEX audit_events_subject ON audit_events (subject, seq);
CREATE INDEX audit_events_action  ON audit_events (action, seq);

CREATE TRIGGER audit_events_no_update BEFORE UPDATE ON audit_events
BEGIN SELECT RAISE(ABORT, 'audit events never change'); END;

CREATE TRIGGER audit_events_no_delete BEFORE DELETE ON audit_events
BEGIN SELECT RAISE(ABORT, 'audit events are never deleted'); END;
