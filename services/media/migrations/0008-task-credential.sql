-- The credential that created the task: it is polled with it. Null: an earlier version wrote the row.
ALTER TABLE media.tasks ADD COLUMN credential_id text;
