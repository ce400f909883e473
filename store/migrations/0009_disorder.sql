-- Row numbers of executions grow with their time, but for what an import brought into a history that was newer, and where the clock was set back by more than an hour. Then lists
-- and retention don't rely on it: see disorder.go.
CREATE INDEX executions_profile_time ON executions (profile_handle, created_at, id);

INSERT INTO settings (key, value, updated_at)
SELECT 'executions.disorder', x'31', 0 WHERE EXISTS (SELECT 1 FROM (
  SELECT id, max(id) OVER (ORDER BY created_at RANGE BETWEEN UNBOUNDED PRECEDING AND 3600001 PRECEDING) AS before FROM executions
) WHERE before > id);
