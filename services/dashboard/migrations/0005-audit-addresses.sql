-- IP address of the client; null: the entry is older than this column.
ALTER TABLE dashboard.audit ADD COLUMN address text;
