-- ---- statistics ----

-- What ended, per profile and hour (span 3600), quarter of a UTC day (21600) and UTC day (86400), so that any period is some dozens of rows per profile. It outlives the executions it counts, so it is never computed from them again.
CREATE TABLE execution_stats (
  profile_handle      TEXT    NOT NULL,
  span                INTEGER NOT NULL CHECK (span IN (3600, 21600, 86400)), -- seconds
  start               INTEGER NOT NULL,                               -- unix seconds, a multiple of span
  profile_description TEXT    NOT NULL DEFAULT '',                    -- as of the last of them
  completed           INTEGER NOT NULL DEFAULT 0,
  error               INTEGER NOT NULL DEFAULT 0,
  timeout             INTEGER NOT NULL DEFAULT 0,
  cancelled           INTEGER NOT NULL DEFAULT 0,
  started             INTEGER NOT NULL DEFAULT 0,                     -- of these; only they have durations
  run_ms              INTEGER NOT NULL DEFAULT 0,                     -- sum
  llm_ms              INTEGER NOT NULL DEFAULT 0,                     -- sum
  redactions          INTEGER NOT NULL DEFAULT 0,
  durations           TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(durations)), -- how often each run_ms came, rounded down to two digits: {"840":3}
  PRIMARY KEY (profile_handle, span, start)
) STRICT, WITHOUT ROWID;

CREATE INDEX execution_stats_start ON execution_stats (span, start);

-- Counted by a trigger, so that no way of ending can forget it.
CREATE TRIGGER executions_are_counted AFTER UPDATE OF completed_at ON executions WHEN OLD.completed_at = 0 AND NEW.completed_at > 0
BEGIN
  INSERT INTO execution_stats (profile_handle, span, start, profile_description, completed, error, timeout, cancelled, started, run_ms, llm_ms, redactions, durations)
  SELECT NEW.profile_handle, s.span, NEW.completed_at / 1000 / s.span * s.span, NEW.profile_description,
    NEW.status = 'completed', NEW.status = 'error', NEW.status = 'timeout', NEW.status = 'cancelled', NEW.started_at > 0,
    NEW.run_ms, NEW.llm_ms, NEW.redactions, CASE WHEN NEW.started_at > 0 THEN json_object(r.rounded, 1) ELSE '{}' END
  FROM (SELECT 3600 AS span UNION ALL SELECT 21600 UNION ALL SELECT 86400) s,
    (SELECT CAST(CASE WHEN NEW.run_ms < 100 THEN NEW.run_ms WHEN NEW.run_ms < 1000 THEN NEW.run_ms / 10 * 10 WHEN NEW.run_ms < 10000 THEN NEW.run_ms / 100 * 100
      WHEN NEW.run_ms < 100000 THEN NEW.run_ms / 1000 * 1000 WHEN NEW.run_ms < 1000000 THEN NEW.run_ms / 10000 * 10000 ELSE NEW.run_ms / 100000 * 100000 END AS TEXT) AS rounded) r
  WHERE true
  ON CONFLICT (profile_handle, span, start) DO UPDATE SET
    profile_description = excluded.profile_description, completed = completed + excluded.completed, error = error + excluded.error, timeout = timeout + excluded.timeout,
    cancelled = cancelled + excluded.cancelled, started = started + excluded.started, run_ms = run_ms + excluded.run_ms, llm_ms = llm_ms + excluded.llm_ms,
    redactions = redactions + excluded.redactions,
    durations = (SELECT json_set(durations, '$."' || key || '"', coalesce(json_extract(durations, '$."' || key || '"'), 0) + 1) FROM json_each(excluded.durations)
      UNION ALL SELECT durations LIMIT 1);
END;

WITH ended AS (
  SELECT x.*, s.span, x.completed_at / 1000 / s.span * s.span AS start,
    CAST(CASE WHEN run_ms < 100 THEN run_ms WHEN run_ms < 1000 THEN run_ms / 10 * 10 WHEN run_ms < 10000 THEN run_ms / 100 * 100
      WHEN run_ms < 100000 THEN run_ms / 1000 * 1000 WHEN run_ms < 1000000 THEN run_ms / 10000 * 10000 ELSE run_ms / 100000 * 100000 END AS TEXT) AS rounded
  FROM executions x, (SELECT 3600 AS span UNION ALL SELECT 21600 UNION ALL SELECT 86400) s WHERE x.completed_at > 0
),
histogram AS (
  SELECT profile_handle, span, start, json_group_object(rounded, n) AS durations FROM
    (SELECT profile_handle, span, start, rounded, count(*) AS n FROM ended WHERE started_at > 0 GROUP BY profile_handle, span, start, rounded)
  GROUP BY profile_handle, span, start
)
INSERT INTO execution_stats
SELECT e.profile_handle, e.span, e.start, max(e.profile_description), sum(e.status = 'completed'), sum(e.status = 'error'), sum(e.status = 'timeout'), sum(e.status = 'cancelled'),
  sum(e.started_at > 0), sum(e.run_ms), sum(e.llm_ms), sum(e.redactions), coalesce(max(h.durations), '{}')
FROM ended e LEFT JOIN histogram h USING (profile_handle, span, start) GROUP BY e.profile_handle, e.span, e.start;

DROP TABLE daily_stats;

-- ---- lists ----

CREATE INDEX connections_host ON connections (host, execution_id);

-- The words of an execution that has ended, by its id: its error, and the beginning of its script, output and result, as a person may see them.
CREATE VIRTUAL TABLE execution_words USING fts5 (text, content = '', contentless_delete = 1);

CREATE TRIGGER executions_take_their_words AFTER DELETE ON executions
BEGIN DELETE FROM execution_words WHERE rowid = OLD.id; END;

INSERT INTO execution_words (rowid, text)
SELECT x.id, x.handle || char(10) || x.profile_description || char(10) || x.error || char(10) || substr(coalesce(s.clean, ''), 1, 8000) || char(10) ||
  substr(coalesce(o.stdout, ''), 1, 4000) || char(10) || substr(coalesce(o.stderr, ''), 1, 4000) || char(10) || substr(coalesce(o.result, ''), 1, 4000)
FROM executions x LEFT JOIN execution_scripts s ON s.execution_id = x.id LEFT JOIN execution_outputs o ON o.execution_id = x.id
WHERE x.completed_at > 0 ORDER BY x.id;

-- ---- audit ----

CREATE INDEX audit_events_at    ON audit_events (at, seq);
CREATE INDEX audit_events_actor ON audit_events (actor_kind, seq);
