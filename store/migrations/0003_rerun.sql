-- Keyed hash of the exact question, so that a re-run plays an answer back only to the question it belongs to; NULL in rows older than this column.
ALTER TABLE llm_exchanges ADD COLUMN asked BLOB;

-- Of a re-run: what it asks besides the recorded questions is asked for real, instead of ending it.
ALTER TABLE executions ADD COLUMN live INTEGER NOT NULL DEFAULT 0 CHECK (live IN (0, 1));
