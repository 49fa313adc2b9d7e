-- How a video's provider can be asked for a task whose id nobody was told, because who ordered it died before that.
-- Null: it can't be, or was written by an earlier version.
ALTER TABLE media.bills ADD COLUMN sought jsonb;
