-- Spend windows are updated by MERGE (PostgreSQL 15). An older server fails here instead of at every call.
DO $$ BEGIN
  IF current_setting('server_version_num')::int < 150000 THEN
    RAISE EXCEPTION 'PostgreSQL 15 or later is needed, this is %', current_setting('server_version');
  END IF;
END $$;
