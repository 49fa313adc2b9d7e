-- Whether fallback models must not answer calls of the key.
ALTER TABLE billing.keys ADD COLUMN no_fallback_models boolean NOT NULL DEFAULT false;
-- The model that the client named, if a fallback model answered. NULL: none did.
ALTER TABLE billing.usage_records ADD COLUMN requested_model text;
