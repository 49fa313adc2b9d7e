-- What the provider charges for the usage, at the cost of the target that answered. NULL: not known.
ALTER TABLE billing.usage_records ADD COLUMN provider_cost_nano bigint;
