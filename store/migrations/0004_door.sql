-- ---- people ----

-- Who may log in to the UI. Names are kept apart by their folded form.
CREATE TABLE people (
  id              TEXT    NOT NULL PRIMARY KEY,
  name            TEXT    NOT NULL,
  folded          TEXT    NOT NULL UNIQUE,
  password        TEXT    NOT NULL,               -- argon2id, in PHC form
  password_set_at INTEGER NOT NULL,
  created_by      TEXT    NOT NULL CHECK (json_valid(created_by)),
  created_at      INTEGER NOT NULL,
  last_login_at   INTEGER NOT NULL DEFAULT 0,
  last_login_from TEXT    NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

-- A one-time token for somebody who is to be added.
CREATE TABLE invitations (
  id         TEXT    NOT NULL PRIMARY KEY,
  token      BLOB    NOT NULL UNIQUE,              -- sha256
  created_by TEXT    NOT NULL CHECK (json_valid(created_by)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Sessions belong to a person now; those of the time when the admin token was all there was end here.
-- A session with an invitation and no person may do nothing but choose a name and a password.
DELETE FROM admin_sessions;
ALTER TABLE admin_sessions ADD COLUMN person_id TEXT NOT NULL DEFAULT '';
ALTER TABLE admin_sessions ADD COLUMN invitation TEXT NOT NULL DEFAULT '';
CREATE INDEX admin_sessions_person ON admin_sessions (person_id);

-- A revocation can be taken back within ten minutes by the person who finds that it was a mistake, if nothing else about the profile has changed:
-- updated_at is then still what the revocation made it. After that it is for good.
ALTER TABLE profiles ADD COLUMN revision_revoked INTEGER NOT NULL DEFAULT 0;
DROP TRIGGER profiles_stay_revoked;
CREATE TRIGGER profiles_stay_revoked BEFORE UPDATE OF revoked ON profiles
WHEN OLD.revoked = 1 AND NEW.revoked = 0
  AND (OLD.revision_revoked = 0 OR OLD.updated_at <> OLD.revision_revoked OR NEW.updated_at > OLD.revoked_at + 600000)
BEGIN SELECT RAISE(ABORT, 'a revoked profile stays revoked'); END;
