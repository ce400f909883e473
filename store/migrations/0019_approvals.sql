-- What a profile may run: any script; scripts and skills that a person approved; or approved skills only.
ALTER TABLE profiles ADD COLUMN may_run TEXT NOT NULL DEFAULT 'any'
  CHECK (may_run IN ('any', 'approved_scripts', 'approved_skills'));

-- What a person approved or refused, or is asked to: one exact thing for one profile. Decisions are kept, also those that don't count any more.
CREATE TABLE approvals (
  id             TEXT    NOT NULL PRIMARY KEY, -- appr_…
  kind           TEXT    NOT NULL,             -- script; others may follow
  subject        TEXT    NOT NULL,             -- what exactly: of a script the sha256, hex
  shown          TEXT    NOT NULL DEFAULT '',  -- the script as people may see it
  profile_handle TEXT    NOT NULL,             -- no reference: decisions outlive their profile
  execution      TEXT    NOT NULL DEFAULT '',  -- handle of the one that asked first
  state          TEXT    NOT NULL CHECK (state IN ('open', 'approved', 'used', 'refused', 'revoked', 'withdrawn')),
  scope          TEXT    NOT NULL DEFAULT '' CHECK (scope IN ('', 'once', 'always')),
  reason         TEXT    NOT NULL DEFAULT '',  -- of a refusal, for the agent
  asked_at       INTEGER NOT NULL,
  decided_by     TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(decided_by)),
  decided_at     INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- One record at most says what holds for a thing now.
CREATE UNIQUE INDEX approvals_current ON approvals (profile_handle, kind, subject)
  WHERE state IN ('open', 'approved', 'refused');
CREATE INDEX approvals_state ON approvals (state, asked_at);
CREATE INDEX approvals_decided ON approvals (profile_handle, kind, decided_at);

-- The approval that an execution waits for, or runs by; '' if it needs none.
ALTER TABLE executions ADD COLUMN approval TEXT NOT NULL DEFAULT '';

-- The skill that an execution runs, name@number, and the digest of its files; '' if it runs a script. They outlive the skill.
ALTER TABLE executions ADD COLUMN skill TEXT NOT NULL DEFAULT '';
ALTER TABLE executions ADD COLUMN skill_digest TEXT NOT NULL DEFAULT '';

CREATE INDEX executions_approval ON executions (approval, id) WHERE approval <> '';

-- One more status. A check can't be altered, and this one holds for all rows that are there, so that its text is replaced instead of a large table being rewritten.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'status IN (''pending'', ''running'', ''awaiting_llm'', ''completed''',
  'status IN (''pending'', ''awaiting_approval'', ''running'', ''awaiting_llm'', ''completed''') WHERE type = 'table' AND name = 'executions';
PRAGMA writable_schema = RESET;

DROP TRIGGER executions_follow_arrows;
CREATE TRIGGER executions_follow_arrows BEFORE UPDATE OF status ON executions
WHEN NEW.status IS NOT OLD.status AND NOT (
     (OLD.status = 'pending'           AND NEW.status IN ('running', 'cancelled', 'error', 'timeout'))
  OR (OLD.status = 'awaiting_approval' AND NEW.status IN ('pending', 'cancelled', 'error', 'timeout'))
  OR (OLD.status = 'running'           AND NEW.status IN ('awaiting_llm', 'completed', 'error', 'timeout', 'cancelled'))
  OR (OLD.status = 'awaiting_llm'      AND NEW.status IN ('running', 'error', 'timeout', 'cancelled')))
BEGIN SELECT RAISE(ABORT, 'the execution can not take that status'); END;

-- Nobody is asked any more when the last execution that waited has ended, in whichever way.
CREATE TRIGGER approvals_are_withdrawn AFTER UPDATE OF status ON executions
WHEN OLD.status = 'awaiting_approval' AND NEW.status NOT IN ('pending', 'awaiting_approval')
BEGIN
  UPDATE approvals SET state = 'withdrawn' WHERE id = NEW.approval AND state = 'open'
    AND NOT EXISTS (SELECT 1 FROM executions WHERE approval = NEW.approval AND status = 'awaiting_approval');
END;

CREATE TRIGGER approvals_keep_their_subject BEFORE UPDATE OF kind, subject, profile_handle ON approvals
BEGIN SELECT RAISE(ABORT, 'an approval never changes what it is for'); END;
