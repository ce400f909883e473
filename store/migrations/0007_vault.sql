-- Leases that Vault gave for values of executions (and of tests by people) and wants back. A row is written before a value is used and goes when the lease is
-- revoked, so what stands here at the start was left by a process that died. The id is a name: only a token that may can do something with it.
CREATE TABLE vault_leases (
  id         TEXT    NOT NULL PRIMARY KEY,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL -- as last heard of
) STRICT, WITHOUT ROWID;
