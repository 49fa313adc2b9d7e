-- How to find a task at its provider if the process that submitted it died before it stored the task's id. Null: the
-- provider can't be searched, or an earlier version wrote the row.
ALTER TABLE media.bills ADD COLUMN sought jsonb;
