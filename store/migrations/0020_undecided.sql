-- Every page counts what waits for a review, and a skill's page what its versions did.
CREATE INDEX skill_versions_waiting ON skill_versions (uploaded_at) WHERE state = 'quarantined' AND blob_id IS NOT NULL;
CREATE INDEX executions_skill_digest ON executions (skill_digest, status, completed_at) WHERE skill_digest <> '';
