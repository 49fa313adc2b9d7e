-- Most tokens that one image of a request is counted as; 0: not known.
ALTER TABLE catalog.models ADD COLUMN max_image_tokens int NOT NULL DEFAULT 0;
