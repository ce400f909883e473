-- Conventions: every *_at column is UTC unix milliseconds, 0 meaning "not yet" or "never"; *_ms columns are durations;
-- JSON is TEXT; "sealed" columns hold tokens that only the keyring can open; lookup columns hold keyed hashes.
-- Actors are JSON: {"kind":…,"name":…,"address":…}.

CREATE TABLE settings (
  key        TEXT    NOT NULL PRIMARY KEY,
  value      BLOB    NOT NULL,
  sealed     INTEGER NOT NULL DEFAULT 0 CHECK (sealed IN (0, 1)),
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
CREATE INDEX audit_events_action ON audit_events (action, seq);
CREATE INDEX audit_events_at ON audit_events (at, seq);
CREATE INDEX audit_events_actor ON audit_events (actor_kind, seq);

CREATE TRIGGER audit_events_no_update BEFORE UPDATE ON audit_events
BEGIN SELECT RAISE(ABORT, 'audit events never change'); END;

CREATE TRIGGER audit_events_no_delete BEFORE DELETE ON audit_events
BEGIN SELECT RAISE(ABORT, 'audit events are never deleted'); END;

-- Audit logs that came with imports. They stay apart from this instance's own, whose chain they could
-- only break; each is a chain of its own.
CREATE TABLE audit_archive (
  source        TEXT    NOT NULL, -- label of the instance it is from
  seq           INTEGER NOT NULL,
  at            INTEGER NOT NULL,
  actor_kind    TEXT    NOT NULL,
  actor_name    TEXT    NOT NULL DEFAULT '',
  actor_address TEXT    NOT NULL DEFAULT '',
  action        TEXT    NOT NULL,
  subject       TEXT    NOT NULL DEFAULT '',
  detail        TEXT    NOT NULL DEFAULT '',
  prev          TEXT    NOT NULL,
  hash          TEXT    NOT NULL,
  PRIMARY KEY (source, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER audit_archive_no_update BEFORE UPDATE ON audit_archive
BEGIN SELECT RAISE(ABORT, 'audit events never change'); END;

CREATE TRIGGER audit_archive_no_delete BEFORE DELETE ON audit_archive
BEGIN SELECT RAISE(ABORT, 'audit events are never deleted'); END;

-- One row per attempt. A missed one stands for a time at which nobody was there to try.
CREATE TABLE backups (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  cause       TEXT    NOT NULL CHECK (cause IN ('schedule', 'person', 'command')),
  started_by  TEXT    NOT NULL CHECK (json_valid(started_by)),
  slot_at     INTEGER NOT NULL DEFAULT 0, -- the time of the schedule that it is for; 0 if it was asked for
  status      TEXT    NOT NULL CHECK (status IN ('running', 'verified', 'failed', 'missed')),
  target      TEXT    NOT NULL DEFAULT '', -- in words, without secrets
  name        TEXT    NOT NULL DEFAULT '', -- of the file there
  size        INTEGER NOT NULL DEFAULT 0,
  counts      TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(counts)), -- what was found when it was opened again
  error       TEXT    NOT NULL DEFAULT '',
  started_at  INTEGER NOT NULL,
  finished_at INTEGER NOT NULL DEFAULT 0,
  CHECK ((status = 'running') = (finished_at = 0))
) STRICT;

CREATE UNIQUE INDEX backups_one_at_a_time ON backups (status) WHERE status = 'running';
