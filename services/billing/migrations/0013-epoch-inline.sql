-- PostgreSQL inlines a SQL function only if its body is immutable: extracting the epoch of a timestamp is, extracting that
-- of a timestamptz is not. Without inlining, each call parses and plans the function.
CREATE OR REPLACE FUNCTION billing.epoch_ms(at timestamptz) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT floor(extract(epoch FROM at AT TIME ZONE 'UTC') * 1000)::bigint $$;
