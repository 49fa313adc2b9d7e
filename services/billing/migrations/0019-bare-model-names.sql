-- Whether models may be called by names without a provider. Null in a key: as its account says.
ALTER TABLE billing.accounts ADD COLUMN bare_model_names boolean NOT NULL DEFAULT false;
ALTER TABLE billing.keys ADD COLUMN bare_model_names boolean;
