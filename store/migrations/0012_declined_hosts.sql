-- When a person declined a request; 0 while it waits or is allowed. A declined host is remembered, so
-- that the next refusal can say so and nobody is asked twice by itself.
ALTER TABLE profile_hosts ADD COLUMN declined_at INTEGER NOT NULL DEFAULT 0;
