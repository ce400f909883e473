-- The headers in which a sealed value may stand, in canonical spelling; an empty list means the usual ones.
ALTER TABLE credentials ADD COLUMN headers TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(headers));
