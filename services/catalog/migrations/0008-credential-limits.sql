-- {"requestsPerMinute", "tokensPerMinute", "concurrency"}; an absent member is no limit. NULL: none, also in rows of an older version.
ALTER TABLE catalog.credentials ADD COLUMN limits jsonb;
