-- Maximum tokens that the model counts per input image; 0: unknown.
ALTER TABLE catalog.models ADD COLUMN max_image_tokens int NOT NULL DEFAULT 0;
