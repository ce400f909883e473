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
    CHECK (status IN ('pending', 'awaiting_approval', 'running', 'awaiting_llm',
      'completed', 'error', 'timeout', 'cancelled')),
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
  live                INTEGER NOT NULL DEFAULT 0 CHECK (live IN (0, 1)), -- a re-run that may ask new questions
  trace               TEXT    NOT NULL DEFAULT '', -- id of the request that submitted it (W3C trace context)
  label               TEXT    NOT NULL DEFAULT '', -- the agent's own name for it, redacted
  approval            TEXT    NOT NULL DEFAULT '', -- that it waits for, or runs by
  skill               TEXT    NOT NULL DEFAULT '', -- name@number, outlives the skill; '' if it runs a script
  skill_digest        TEXT    NOT NULL DEFAULT '', -- of its files
  CHECK ((status IN ('completed', 'error', 'timeout', 'cancelled')) = (completed_at > 0))
) STRICT;

CREATE INDEX executions_status ON executions (status, id); -- claim, reconcile, filter
CREATE INDEX executions_profile ON executions (profile_handle, id);
CREATE INDEX executions_profile_status ON executions (profile_handle, status, id);
CREATE INDEX executions_created ON executions (created_at, id);
CREATE INDEX executions_profile_row ON executions (profile_id) WHERE profile_id IS NOT NULL;

-- What waits, by profile: profiles take turns (see Claim), and counting the queue reads nothing else.
CREATE INDEX executions_pending ON executions (profile_handle, id) WHERE status = 'pending';

-- A re-run reads its original until it has ended.
CREATE INDEX executions_rerun ON executions (rerun_of) WHERE rerun_of <> '';

-- For lists by time, where an import or a clock that was set back has put row numbers out of order.
CREATE INDEX executions_profile_time ON executions (profile_handle, created_at, id);

CREATE INDEX executions_label ON executions (label, id) WHERE label <> '';
CREATE INDEX executions_approval ON executions (approval, id) WHERE approval <> '';

-- A skill's page counts what its versions did; lists find executions by a skill's name.
CREATE INDEX executions_skill_digest ON executions (skill_digest, status, completed_at) WHERE skill_digest <> '';

CREATE INDEX executions_skill ON executions (substr(skill, 1, instr(skill, '@') - 1), id) WHERE skill <> '';

-- The arrows of app.Status.CanBecome; a status that nothing leaves can't be left by mistake either.
CREATE TRIGGER executions_follow_arrows BEFORE UPDATE OF status ON executions
WHEN NEW.status IS NOT OLD.status AND NOT (
     (OLD.status = 'pending'           AND NEW.status IN ('running', 'cancelled', 'error', 'timeout'))
  OR (OLD.status = 'awaiting_approval' AND NEW.status IN ('pending', 'cancelled', 'error', 'timeout'))
  OR (OLD.status = 'running'           AND NEW.status IN ('awaiting_llm', 'completed', 'error', 'timeout', 'cancelled'))
  OR (OLD.status = 'awaiting_llm'      AND NEW.status IN ('running', 'error', 'timeout', 'cancelled')))
BEGIN SELECT RAISE(ABORT, 'the execution can not take that status'); END;

CREATE TABLE execution_scripts (
  execution_id INTEGER NOT NULL PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
  script       BLOB    NOT NULL, -- sealed
  inputs       BLOB, -- sealed; NULL if none were given
  clean        TEXT    NOT NULL DEFAULT '',
  clean_inputs TEXT    NOT NULL DEFAULT '' -- as a person may see them: JSON; '' if there are none
) STRICT;

CREATE TABLE execution_outputs (
  execution_id INTEGER NOT NULL PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
  stdout       TEXT    NOT NULL DEFAULT '',
  stderr       TEXT    NOT NULL DEFAULT '',
  result       TEXT, -- JSON, unchecked (SQLite knows fewer levels than ours); NULL if set_result was not called
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
  answer       BLOB, -- the exact answer, sealed, so that a re-run can play it back
  failed       INTEGER NOT NULL DEFAULT 0 CHECK (failed IN (0, 1)),
  answered_by  TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(answered_by)),
  asked_at     INTEGER NOT NULL,
  answered_at  INTEGER NOT NULL DEFAULT 0,
  asked        BLOB, -- keyed hash of the exact question: a re-run gives the answer to this one only
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
  line         INTEGER NOT NULL DEFAULT 0, -- of the script that asked for it, as the guest claims; 0 if unknown
  PRIMARY KEY (execution_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX connections_host ON connections (host, execution_id);

-- Requests with a sealed value that a host refused, newest first: usually none, so that every page may
-- look.
CREATE INDEX connections_rejected ON connections (execution_id)
  WHERE status IN (401, 403) AND verdict = 'allowed' AND credentials <> '[]';

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

CREATE INDEX idempotency_created ON idempotency (created_at);
CREATE INDEX idempotency_execution ON idempotency (execution_id);

-- What ended, per profile and hour (span 3600), quarter of a UTC day (21600) and UTC day (86400), so
-- that any period is some dozens of rows per profile. It outlives the executions it counts, so it is
-- never computed from them again.
CREATE TABLE execution_stats (
  profile_handle      TEXT    NOT NULL,
  span                INTEGER NOT NULL CHECK (span IN (3600, 21600, 86400)), -- seconds
  start               INTEGER NOT NULL, -- unix seconds, a multiple of span
  profile_description TEXT    NOT NULL DEFAULT '', -- as of the last of them
  completed           INTEGER NOT NULL DEFAULT 0,
  error               INTEGER NOT NULL DEFAULT 0,
  timeout             INTEGER NOT NULL DEFAULT 0,
  cancelled           INTEGER NOT NULL DEFAULT 0,
  started             INTEGER NOT NULL DEFAULT 0, -- of these; only they have durations
  run_ms              INTEGER NOT NULL DEFAULT 0, -- sum
  llm_ms              INTEGER NOT NULL DEFAULT 0, -- sum
  redactions          INTEGER NOT NULL DEFAULT 0,
  durations           TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(durations)), -- run_ms, two digits: {"840":3}
  PRIMARY KEY (profile_handle, span, start)
) STRICT, WITHOUT ROWID;

CREATE INDEX execution_stats_start ON execution_stats (span, start);

-- Counted by a trigger, so that no way of ending can forget it.
CREATE TRIGGER executions_are_counted AFTER UPDATE OF completed_at ON executions
WHEN OLD.completed_at = 0 AND NEW.completed_at > 0
BEGIN
  INSERT INTO execution_stats (profile_handle, span, start, profile_description, completed, error, timeout, cancelled,
    started, run_ms, llm_ms, redactions, durations)
  SELECT NEW.profile_handle, s.span, NEW.completed_at / 1000 / s.span * s.span, NEW.profile_description,
    NEW.status = 'completed', NEW.status = 'error', NEW.status = 'timeout', NEW.status = 'cancelled',
    NEW.started_at > 0, NEW.run_ms, NEW.llm_ms, NEW.redactions,
    CASE WHEN NEW.started_at > 0 THEN json_object(r.rounded, 1) ELSE '{}' END
  FROM (SELECT 3600 AS span UNION ALL SELECT 21600 UNION ALL SELECT 86400) s,
    (SELECT CAST(CASE
      WHEN NEW.run_ms < 100 THEN NEW.run_ms
      WHEN NEW.run_ms < 1000 THEN NEW.run_ms / 10 * 10
      WHEN NEW.run_ms < 10000 THEN NEW.run_ms / 100 * 100
      WHEN NEW.run_ms < 100000 THEN NEW.run_ms / 1000 * 1000
      WHEN NEW.run_ms < 1000000 THEN NEW.run_ms / 10000 * 10000
      ELSE NEW.run_ms / 100000 * 100000 END AS TEXT) AS rounded) r
  WHERE true
  ON CONFLICT (profile_handle, span, start) DO UPDATE SET
    profile_description = excluded.profile_description,
    completed = completed + excluded.completed,
    error = error + excluded.error,
    timeout = timeout + excluded.timeout,
    cancelled = cancelled + excluded.cancelled,
    started = started + excluded.started,
    run_ms = run_ms + excluded.run_ms,
    llm_ms = llm_ms + excluded.llm_ms,
    redactions = redactions + excluded.redactions,
    durations = (
      SELECT json_set(durations, '$."' || key || '"', coalesce(json_extract(durations, '$."' || key || '"'), 0) + 1)
      FROM json_each(excluded.durations)
      UNION ALL SELECT durations LIMIT 1);
END;

-- The words of an execution that has ended, by its id: its error, and the beginning of its script,
-- output and result, as a person may see them.
CREATE VIRTUAL TABLE execution_words USING fts5 (text, content = '', contentless_delete = 1);

CREATE TRIGGER executions_take_their_words AFTER DELETE ON executions
BEGIN DELETE FROM execution_words WHERE rowid = OLD.id; END;

-- The newest executions of a profile that were removed, so that its heartbeat doesn't forget them. id
-- is the one that the execution had.
CREATE TABLE past_beats (
  profile_handle TEXT    NOT NULL,
  id             INTEGER NOT NULL,
  status         TEXT    NOT NULL CHECK (status IN ('completed', 'error', 'timeout', 'cancelled')),
  created_at     INTEGER NOT NULL,
  run_ms         INTEGER NOT NULL,
  PRIMARY KEY (profile_handle, id)
) STRICT, WITHOUT ROWID;
