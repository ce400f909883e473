-- Whether the last test request proved the value: the host refused the same request without it. Older tests did not ask.
ALTER TABLE credentials ADD COLUMN check_proved INTEGER NOT NULL DEFAULT 0;
