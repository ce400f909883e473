-- What a person approved or refused, or is asked to: one exact thing for one profile. Decisions are
-- kept, also those that don't count any more.
CREATE TABLE approvals (
  id             TEXT    NOT NULL PRIMARY KEY, -- appr_…
  kind           TEXT    NOT NULL, -- script; others may follow
  subject        TEXT    NOT NULL, -- what exactly: of a script the sha256, hex
  shown          TEXT    NOT NULL DEFAULT '', -- the script as people may see it
  profile_handle TEXT    NOT NULL, -- no reference: decisions outlive their profile
  execution      TEXT    NOT NULL DEFAULT '', -- handle of the one that asked first
  state          TEXT    NOT NULL CHECK (state IN ('open', 'approved', 'used', 'refused', 'revoked', 'withdrawn')),
  scope          TEXT    NOT NULL DEFAULT '' CHECK (scope IN ('', 'once', 'always')),
  reason         TEXT    NOT NULL DEFAULT '', -- of a refusal, for the agent
  asked_at       INTEGER NOT NULL,
  decided_by     TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(decided_by)),
  decided_at     INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- One record at most says what holds for a thing now.
CREATE UNIQUE INDEX approvals_current ON approvals (profile_handle, kind, subject)
  WHERE state IN ('open', 'approved', 'refused');

CREATE INDEX approvals_state ON approvals (state, asked_at);
CREATE INDEX approvals_decided ON approvals (profile_handle, kind, decided_at);

-- Nobody is asked any more when the last execution that waited has ended, in whichever way.
CREATE TRIGGER approvals_are_withdrawn AFTER UPDATE OF status ON executions
WHEN OLD.status = 'awaiting_approval' AND NEW.status NOT IN ('pending', 'awaiting_approval')
BEGIN
  UPDATE approvals SET state = 'withdrawn' WHERE id = NEW.approval AND state = 'open'
    AND NOT EXISTS (SELECT 1 FROM executions WHERE approval = NEW.approval AND status = 'awaiting_approval');
END;

CREATE TRIGGER approvals_keep_their_subject BEFORE UPDATE OF kind, subject, profile_handle ON approvals
BEGIN SELECT RAISE(ABORT, 'an approval never changes what it is for'); END;
