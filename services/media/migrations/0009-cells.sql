-- The cell whose billing has the account; empty: home.
ALTER TABLE media.bills ADD COLUMN cell text NOT NULL DEFAULT '';
