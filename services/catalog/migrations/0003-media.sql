-- What image and video models take: {"image": {...}, "video": {...}}, each where the model makes such. Null: written
-- before there were any, so that the seed may still say.
ALTER TABLE catalog.models ADD COLUMN features jsonb;
