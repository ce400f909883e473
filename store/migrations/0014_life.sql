-- The agent's own name for a run, as a person may see it; '' if it gave none.
ALTER TABLE executions ADD COLUMN label TEXT NOT NULL DEFAULT '';
-- The inputs as a person may see them: JSON; '' if there are none, or in rows older than this column.
ALTER TABLE execution_scripts ADD COLUMN clean_inputs TEXT NOT NULL DEFAULT '';

CREATE INDEX executions_label ON executions (label, id) WHERE label <> '';
