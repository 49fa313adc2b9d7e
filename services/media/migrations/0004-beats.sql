-- Counts an instance's signs of life, so that nobody is taken for dead by a clock. -1: it has left in order.
ALTER TABLE media.instances ADD COLUMN beats bigint NOT NULL DEFAULT 0;
