-- ---- the queue ----

-- What waits, by profile: profiles take turns (see Claim), and counting the queue reads nothing else.
CREATE INDEX executions_pending ON executions (profile_handle, id) WHERE status = 'pending';

-- ---- retention ----

-- A re-run reads its original until it has ended.
CREATE INDEX executions_rerun ON executions (rerun_of) WHERE rerun_of <> '';

-- The newest executions of a profile that were removed, so that its heartbeat doesn't forget them. id is the one that the execution had.
CREATE TABLE past_beats (
  profile_handle TEXT    NOT NULL,
  id             INTEGER NOT NULL,
  status         TEXT    NOT NULL CHECK (status IN ('completed', 'error', 'timeout', 'cancelled')),
  created_at     INTEGER NOT NULL,
  run_ms         INTEGER NOT NULL,
  PRIMARY KEY (profile_handle, id)
) STRICT, WITHOUT ROWID;

-- ---- observability ----

-- The trace id of the request that submitted it (W3C trace context), "" if it had none.
ALTER TABLE executions ADD COLUMN trace TEXT NOT NULL DEFAULT '';
