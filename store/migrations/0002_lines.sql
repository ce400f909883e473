-- The line of the script that asked for a connection, as the guest claims; 0 if unknown.
ALTER TABLE connections ADD COLUMN line INTEGER NOT NULL DEFAULT 0;
