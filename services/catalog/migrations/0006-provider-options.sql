-- Options of a provider's kind, such as a region.
ALTER TABLE catalog.providers ADD COLUMN options jsonb NOT NULL DEFAULT '{}';
