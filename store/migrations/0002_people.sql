-- Who may log in to the UI. Names are kept apart by their folded form.
CREATE TABLE people (
  id              TEXT    NOT NULL PRIMARY KEY,
  name            TEXT    NOT NULL,
  folded          TEXT    NOT NULL UNIQUE,
  password        TEXT    NOT NULL, -- argon2id, in PHC form
  password_set_at INTEGER NOT NULL,
  created_by      TEXT    NOT NULL CHECK (json_valid(created_by)),
  created_at      INTEGER NOT NULL,
  last_login_at   INTEGER NOT NULL DEFAULT 0,
  last_login_from TEXT    NOT NULL DEFAULT '',
  role            TEXT    NOT NULL DEFAULT 'owner' CHECK (role IN ('owner', 'operator', 'viewer')),
  passkeys        TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(passkeys)) -- see app.Passkey
) STRICT, WITHOUT ROWID;

-- A one-time token for somebody who is to be added.
CREATE TABLE invitations (
  id         TEXT    NOT NULL PRIMARY KEY,
  token      BLOB    NOT NULL UNIQUE, -- sha256
  created_by TEXT    NOT NULL CHECK (json_valid(created_by)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  role       TEXT    NOT NULL DEFAULT 'owner' CHECK (role IN ('owner', 'operator', 'viewer')) -- of its user
) STRICT, WITHOUT ROWID;

-- A session with an invitation and no person can only choose a name and a password.
CREATE TABLE admin_sessions (
  id           TEXT    NOT NULL PRIMARY KEY, -- not secret: names the session in lists
  token        BLOB    NOT NULL UNIQUE, -- sha256 of the cookie
  person       TEXT    NOT NULL,
  address      TEXT    NOT NULL DEFAULT '',
  agent        TEXT    NOT NULL DEFAULT '',
  created_at   INTEGER NOT NULL,
  seen_at      INTEGER NOT NULL,
  confirmed_at INTEGER NOT NULL DEFAULT 0, -- when the secret was last typed
  expires_at   INTEGER NOT NULL, -- absolute
  person_id    TEXT    NOT NULL DEFAULT '',
  invitation   TEXT    NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

CREATE INDEX admin_sessions_expires ON admin_sessions (expires_at);
CREATE INDEX admin_sessions_person ON admin_sessions (person_id);
