-- ---- values that hosts may still show ----

-- What a credential's value was and where it belonged until it was replaced, or a host was taken from it. It is searched for in
-- what comes back and never given to anybody. value is the token of credential_versions, bound to credential and version.
CREATE TABLE superseded_values (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  credential_id TEXT    NOT NULL REFERENCES credentials (id) ON DELETE CASCADE,
  version       INTEGER NOT NULL CHECK (version > 0),
  value         BLOB    NOT NULL,
  mode          TEXT    NOT NULL CHECK (mode IN ('sealed', 'injected')),
  hosts         TEXT    NOT NULL CHECK (json_valid(hosts)),
  superseded_at INTEGER NOT NULL
) STRICT;

CREATE INDEX superseded_values_credential ON superseded_values (credential_id, id);
CREATE INDEX superseded_values_age        ON superseded_values (superseded_at);

-- One row, which counts changes of what belongs to which host, by whichever process: see store.Tx.ValueChanges.
CREATE TABLE value_changes (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  n  INTEGER NOT NULL
) STRICT;

INSERT INTO value_changes (id, n) VALUES (1, 0);

CREATE TRIGGER value_changes_credential_insert AFTER INSERT ON credentials
BEGIN UPDATE value_changes SET n = n + 1; END;

CREATE TRIGGER value_changes_credential_update AFTER UPDATE OF mode, hosts, source, reference, version ON credentials
BEGIN UPDATE value_changes SET n = n + 1; END;

CREATE TRIGGER value_changes_credential_delete AFTER DELETE ON credentials
BEGIN UPDATE value_changes SET n = n + 1; END;

CREATE TRIGGER value_changes_value_insert AFTER INSERT ON credential_versions
BEGIN UPDATE value_changes SET n = n + 1; END;

CREATE TRIGGER value_changes_value_erase AFTER UPDATE OF value ON credential_versions WHEN NEW.value IS NULL
BEGIN UPDATE value_changes SET n = n + 1; END;

CREATE TRIGGER value_changes_superseded_insert AFTER INSERT ON superseded_values
BEGIN UPDATE value_changes SET n = n + 1; END;

CREATE TRIGGER value_changes_superseded_delete AFTER DELETE ON superseded_values
BEGIN UPDATE value_changes SET n = n + 1; END;
