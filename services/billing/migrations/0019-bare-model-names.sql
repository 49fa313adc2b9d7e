-- Whether calls may name models without their provider. Null in a key: the account's setting applies.
ALTER TABLE billing.accounts ADD COLUMN bare_model_names boolean NOT NULL DEFAULT false;
ALTER TABLE billing.keys ADD COLUMN bare_model_names boolean;
