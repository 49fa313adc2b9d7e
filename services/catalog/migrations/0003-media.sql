-- Options of image and video models: {"image": {...}, "video": {...}}. Null: the row is older than this column, and the
-- seed may fill it.
ALTER TABLE catalog.models ADD COLUMN features jsonb;
