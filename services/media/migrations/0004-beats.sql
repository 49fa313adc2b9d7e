-- Counts an instance's heartbeats, so that failure detection does not compare clocks. -1: it has shut down.
ALTER TABLE media.instances ADD COLUMN beats bigint NOT NULL DEFAULT 0;
