-- The epoch of a timestamp depends on no setting, unlike that of a timestamptz as PostgreSQL sees it: only so is this
-- function made part of the statement that uses it, instead of being parsed and planned at each call.
CREATE OR REPLACE FUNCTION billing.epoch_ms(at timestamptz) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT floor(extract(epoch FROM at AT TIME ZONE 'UTC') * 1000)::bigint $$;
