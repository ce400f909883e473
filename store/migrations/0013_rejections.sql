-- Requests with a sealed value that a host refused, newest first: usually none, so that every page may look.
CREATE INDEX connections_rejected ON connections (execution_id)
  WHERE status IN (401, 403) AND verdict = 'allowed' AND credentials <> '[]';
