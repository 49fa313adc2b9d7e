-- The service's role may not create or drop tables. These two functions do so as the owner; they therefore read the clock
-- themselves and accept only partitioned tables.

CREATE FUNCTION billing.uuid_floor(day date) RETURNS uuid
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT rpad(lpad(to_hex((extract(epoch FROM day::timestamp) * 1000)::bigint), 12, '0'), 32, '0')::uuid $$;

-- Creates the partition of this month (0) or the next (1) if it does not exist.
CREATE FUNCTION billing.create_partition(parent text, months_ahead int) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  starts_on date := billing.month_of(billing.utc_day(billing.clock())) + make_interval(months => months_ahead);
  name text := format('%s_%s', parent, to_char(starts_on, 'YYYY_MM'));
BEGIN
  IF (parent IN ('holds', 'usage_records') AND months_ahead IN (0, 1)) IS NOT TRUE THEN
    RAISE EXCEPTION 'no partition of % % months ahead', parent, months_ahead USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF to_regclass(format('billing.%I', name)) IS NOT NULL THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('billing.partitions'));
  EXECUTE format('CREATE TABLE IF NOT EXISTS billing.%I PARTITION OF billing.%I FOR VALUES FROM (%L) TO (%L)',
    name, parent, billing.uuid_floor(starts_on), billing.uuid_floor((starts_on + interval '1 month')::date));
END $$;

-- Drops the oldest month of records that ended more than the given number of days ago; returns null if there is none.
CREATE FUNCTION billing.drop_old_partition(retention_days int) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  kept_from date := billing.month_of(billing.utc_day(billing.clock() - make_interval(days => retention_days)));
  name text;
BEGIN
  IF (retention_days >= 1) IS NOT TRUE THEN
    RAISE EXCEPTION 'records are kept for a day at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT c.relname INTO name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'billing.usage_records'::regclass AND c.relname ~ '^usage_records_[0-9]{4}_[0-9]{2}$'
      AND right(c.relname, 7) < to_char(kept_from, 'YYYY_MM')
    ORDER BY c.relname LIMIT 1;
  IF name IS NOT NULL THEN EXECUTE format('DROP TABLE IF EXISTS billing.%I', name); END IF;
  RETURN name;
END $$;

REVOKE ALL ON FUNCTION billing.create_partition(text, int), billing.drop_old_partition(int) FROM PUBLIC;
