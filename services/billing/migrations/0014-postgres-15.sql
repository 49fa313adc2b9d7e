-- Holds are counted by MERGE. An older server shall end the start, not each call.
DO $$ BEGIN
  IF current_setting('server_version_num')::int < 150000 THEN
    RAISE EXCEPTION 'PostgreSQL 15 or later is needed, this is %', current_setting('server_version');
  END IF;
END $$;
