-- Models that are tried when every target of this one has failed. NULL: none, also in rows of an older version.
ALTER TABLE catalog.models ADD COLUMN fallback_models text[];
