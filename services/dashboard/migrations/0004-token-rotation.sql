-- How often the session's token was refreshed. A token contains the count at which it was issued, so that the reuse of an
-- already refreshed token is detected.
ALTER TABLE dashboard.sessions ADD COLUMN renewals integer NOT NULL DEFAULT 0;
