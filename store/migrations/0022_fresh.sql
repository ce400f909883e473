-- A profile may require boxes that were not forked from a template.
ALTER TABLE profiles ADD COLUMN fresh INTEGER NOT NULL DEFAULT 0 CHECK (fresh IN (0, 1));
