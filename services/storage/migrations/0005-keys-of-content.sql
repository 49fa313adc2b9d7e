-- The key with which content was stored. NULL: not known, so only keys that see the content of the whole account see it.
ALTER TABLE storage.responses ADD COLUMN key_id text;
ALTER TABLE storage.files ADD COLUMN key_id text;
