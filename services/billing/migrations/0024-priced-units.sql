-- Usage that is not counted in tokens, by the name of the unit. NULL: none.
ALTER TABLE billing.usage_records ADD COLUMN units jsonb;
