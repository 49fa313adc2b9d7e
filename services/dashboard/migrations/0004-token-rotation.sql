-- How often the login's token was refreshed. A token carries the number at which it was issued, so that one that was
-- refreshed before is recognised when it is used again.
ALTER TABLE dashboard.sessions ADD COLUMN renewals integer NOT NULL DEFAULT 0;
