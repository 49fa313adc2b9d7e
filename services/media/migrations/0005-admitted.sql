-- Milliseconds from a call's start until its money was reserved, for its record.
ALTER TABLE media.bills ADD COLUMN admitted_ms int NOT NULL DEFAULT 0;
