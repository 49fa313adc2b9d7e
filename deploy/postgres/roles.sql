-- Creates the roles with which the services log in, for databases whose owner may not create roles. Run it as an
-- administrator with psql 15 or later on the gateway's database, and again to change the passwords:
--
--   export BILLING_DATABASE_PASSWORD=… CATALOG_DATABASE_PASSWORD=… DASHBOARD_DATABASE_PASSWORD=… MEDIA_DATABASE_PASSWORD=…
--   export STORAGE_DATABASE_PASSWORD=…
--   export CHAT_DATABASE_PASSWORD=…  # only if chat keeps its journal in PostgreSQL
--   psql "$ADMIN_URL" -f deploy/postgres/roles.sql
--
-- If the login that runs the migrations does not own the database, also grant it CONNECT and CREATE on the database:
-- this script revokes CONNECT from PUBLIC.
--
-- The roles are named <database>_billing, <database>_catalog, <database>_chat, <database>_dashboard, <database>_media and
-- <database>_storage. The migrations grant their privileges in the schemas.

\set ON_ERROR_STOP on
-- Statements below contain the passwords, so they must not be logged.
SET log_statement = 'none';
SET log_min_error_statement = 'panic';
SET log_min_duration_statement = -1;
\getenv billing BILLING_DATABASE_PASSWORD
\getenv catalog CATALOG_DATABASE_PASSWORD
\set chat ''
\getenv chat CHAT_DATABASE_PASSWORD
\getenv dashboard DASHBOARD_DATABASE_PASSWORD
\getenv media MEDIA_DATABASE_PASSWORD
\getenv storage STORAGE_DATABASE_PASSWORD

BEGIN;
CREATE TEMPORARY TABLE service_roles ON COMMIT DROP AS
  SELECT current_database() || '_' || service AS role, password
  FROM (VALUES ('billing', :'billing'), ('catalog', :'catalog'), ('chat', :'chat'), ('dashboard', :'dashboard'), ('media', :'media'),
    ('storage', :'storage'))
    AS given (service, password)
  WHERE service <> 'chat' OR password <> '';

SELECT format('CREATE ROLE %I LOGIN', role) FROM service_roles
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) \gexec
SELECT format('ALTER ROLE %I LOGIN PASSWORD %L', role, password) FROM service_roles \gexec

SELECT format('REVOKE CONNECT, TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()) \gexec
SELECT format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), role) FROM service_roles \gexec
COMMIT;
