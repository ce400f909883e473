-- What a person may do. Whoever was there before roles may do everything.
ALTER TABLE people ADD COLUMN role TEXT NOT NULL DEFAULT 'owner' CHECK (role IN ('owner', 'operator', 'viewer'));
-- Public keys with which a person logs in instead of the password: JSON, see app.Passkey. They go with the person.
ALTER TABLE people ADD COLUMN passkeys TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(passkeys));
-- The role of whoever uses the invitation.
ALTER TABLE invitations ADD COLUMN role TEXT NOT NULL DEFAULT 'owner' CHECK (role IN ('owner', 'operator', 'viewer'));
