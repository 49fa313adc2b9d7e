-- All privileges of the service: applied after the migrations, replacing earlier grants. Remove a privilege one version
-- after the code that needs it, because two versions run side by side during a rollout.

GRANT SELECT, INSERT, UPDATE ON billing.accounts, billing.keys, billing.topups TO :"service";
GRANT SELECT, INSERT, UPDATE, DELETE ON billing.key_values TO :"service";
GRANT SELECT, INSERT, UPDATE ON billing.spend_windows, billing.holds, billing.owners, billing.usage_days TO :"service";
GRANT SELECT, UPDATE ON billing.throttle TO :"service";
GRANT SELECT, INSERT, UPDATE, DELETE ON billing.throttle_leases, billing.refusal_reporters TO :"service";
GRANT SELECT, INSERT, DELETE ON billing.free_calls, billing.access_log TO :"service";
GRANT SELECT, INSERT, UPDATE, DELETE ON billing.abandoned_costs TO :"service";

-- Insert-only.
GRANT SELECT, INSERT ON billing.cell_accounts, billing.cell_keys TO :"service";
GRANT SELECT, INSERT ON billing.ledger, billing.operator_losses, billing.adjustments, billing.usage_records,
  billing.dead_letters TO :"service";
-- Records whose ids contain no time are in the default partition, which is never dropped.
GRANT SELECT, DELETE ON billing.usage_records_default TO :"service";

GRANT EXECUTE ON FUNCTION billing.clock(), billing.utc_day(timestamptz), billing.month_of(date),
  billing.epoch_ms(timestamptz) TO :"service";
GRANT EXECUTE ON FUNCTION billing.create_partition(text, int), billing.drop_old_partition(int) TO :"service";
