-- How calls are spread over targets of one priority. NULL: by weight, also in rows of an older version.
ALTER TABLE catalog.models ADD COLUMN strategy text;
