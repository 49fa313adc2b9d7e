-- From which address it was done; null: an older entry.
ALTER TABLE dashboard.audit ADD COLUMN address text;
