CREATE TABLE credentials (
  id           TEXT    NOT NULL PRIMARY KEY,
  name         TEXT    NOT NULL UNIQUE,
  description  TEXT    NOT NULL DEFAULT '',
  service      TEXT    NOT NULL DEFAULT '',
  mode         TEXT    NOT NULL CHECK (mode IN ('sealed', 'injected', 'plain')),
  hosts        TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(hosts)),
  places       TEXT    NOT NULL DEFAULT '["header"]' CHECK (json_valid(places)), -- of sealed ones: header, path, query, body
  plain_http   INTEGER NOT NULL DEFAULT 0 CHECK (plain_http IN (0, 1)), -- a person allowed a sealed value over http
  source       TEXT    NOT NULL DEFAULT 'local' CHECK (source IN ('local', 'vault')),
  reference    TEXT    NOT NULL DEFAULT '',
  version      INTEGER NOT NULL DEFAULT 0 CHECK (version >= 0),
  key_id       TEXT    NOT NULL DEFAULT '',
  value_set_at INTEGER NOT NULL DEFAULT 0,
  checked_at   INTEGER NOT NULL DEFAULT 0,
  check_error  TEXT    NOT NULL DEFAULT '',
  uses         INTEGER NOT NULL DEFAULT 0,
  last_used_at INTEGER NOT NULL DEFAULT 0,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  headers      TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(headers)), -- for a sealed value; empty: the usual ones
  check_proved INTEGER NOT NULL DEFAULT 0 -- the last test request was refused without the value
) STRICT, WITHOUT ROWID;

-- The sealed value of a superseded version is erased; the row stays as the record of when it was set
-- and by whom.
CREATE TABLE credential_versions (
  credential_id TEXT    NOT NULL REFERENCES credentials (id) ON DELETE CASCADE,
  version       INTEGER NOT NULL CHECK (version > 0),
  value         BLOB,
  key_id        TEXT    NOT NULL,
  created_by    TEXT    NOT NULL CHECK (json_valid(created_by)),
  created_at    INTEGER NOT NULL,
  PRIMARY KEY (credential_id, version)
) STRICT, WITHOUT ROWID;

-- What a credential's value was and where it belonged until it was replaced, or a host was taken from
-- it. It is searched for in what comes back and never given to anybody. value is the token of
-- credential_versions, bound to credential and version.
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
CREATE INDEX superseded_values_age ON superseded_values (superseded_at);

-- One row, which counts changes of what belongs to which host, by whichever process: see
-- store.Store.ValueChanges.
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

-- Leases that Vault gave for values of executions (and of tests by people) and wants back. A row is
-- written before a value is used and goes when the lease is revoked, so what stands here at the start
-- was left by a process that died. The id is a name: only a token that may can do something with it.
CREATE TABLE vault_leases (
  id         TEXT    NOT NULL PRIMARY KEY,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL -- as last heard of
) STRICT, WITHOUT ROWID;
