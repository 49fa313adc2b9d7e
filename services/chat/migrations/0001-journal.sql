-- The usage journal of chat's instances, for those that have no volume.

-- Owners of holds: one for each run of the process. `epoch` is increased by the instance that takes over its journal, which
-- excludes the owner itself from writing. `beats` counts its heartbeats; -1: it has stopped.
CREATE TABLE chat.journal_owners (
  id uuid PRIMARY KEY,
  epoch bigint NOT NULL DEFAULT 1,
  beats bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Each dispatched call until billing has its end. The columns are JSON that only chat reads.
CREATE TABLE chat.journal (
  request_id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES chat.journal_owners,
  dispatched text,
  progress text,
  final text
) WITH (
  fillfactor = 50,
  -- Rows live for seconds: dead ones are collected by their number, not by the size of the table.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 10000
);
CREATE INDEX journal_by_owner ON chat.journal (owner_id);
