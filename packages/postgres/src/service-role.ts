import pg from 'pg';
import { type Pool, type PoolClient, withTransaction } from './postgres';
import { scramVerifier } from './scram-verifier';
import { createClient } from './writable-server';

const LOGIN_TIMEOUT_MS = 5_000;
const INSUFFICIENT_PRIVILEGE = '42501';
const INVALID_PASSWORD = '28P01';

/** A service's role is missing or has a different password, and the owner may not create or change roles. */
export class ServiceRoleError extends Error {
  override readonly name = 'ServiceRoleError';
}

/**
 * Ensures that the user of `serviceUrl` is a role that can log in to this database with the password given there. If an
 * administrator has created the role, no privilege to create roles is needed. Safe to run concurrently. Returns the
 * role, or undefined if it is the owner.
 */
export async function ensureServiceRole(owner: Pool, serviceUrl: string): Promise<string | undefined> {
  const { user: role, password } = loginClient(serviceUrl);
  if (!role) throw new ServiceRoleError('the service database URL has no user name');
  const { rows } = await owner.query<{ owner: string }>('SELECT current_user AS owner');
  if (rows[0]?.owner === role) return undefined;
  try {
    const created = await withTransaction(owner, (client) => createRole(client, role, password));
    if (!created && password) await withTransaction(owner, (client) => setPassword(client, role, serviceUrl));
  } catch (error) {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new ServiceRoleError(
      `${rows[0]?.owner} may not create role ${role} or set its password: an administrator must run deploy/postgres/roles.sql`,
      { cause: error },
    );
  }
  return role;
}

/** Creates the role if it does not exist, and allows it, but not PUBLIC, to connect. Returns whether it was created. */
async function createRole(client: PoolClient, role: string, password?: string | null): Promise<boolean> {
  await lockRoles(client);
  const { rows } = await client.query<{
    hasExtraPrivileges: boolean | null;
    database: string;
    publicMayCreate: boolean | null;
  }>(
    `SELECT (SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls
         OR pg_has_role(oid, current_user, 'MEMBER') FROM pg_roles WHERE rolname = $1) AS "hasExtraPrivileges",
       current_database() AS database,
       has_schema_privilege('public', to_regnamespace('public'), 'CREATE') AS "publicMayCreate"`,
    [role],
  );
  const { hasExtraPrivileges, database, publicMayCreate } = rows[0]!;
  // Probably an administrator's login: its password must not be changed.
  if (hasExtraPrivileges) throw new Error(`role ${role} has more privileges than a service may have`);
  const exists = hasExtraPrivileges !== null;
  const [service, quotedDatabase] = [role, database].map(pg.escapeIdentifier);
  if (!exists) {
    const secret = password ? ` PASSWORD ${pg.escapeLiteral(scramVerifier(password))}` : '';
    // Another process may create the same role from another database at the same time.
    await client.query(`DO $create$ BEGIN CREATE ROLE ${service} LOGIN${secret};
      EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $create$`);
  }
  // Neither statement fails if another role owns the database; that role must then grant access.
  await client.query(`
    REVOKE CONNECT, TEMPORARY ON DATABASE ${quotedDatabase} FROM PUBLIC;
    GRANT CONNECT ON DATABASE ${quotedDatabase} TO ${service}`);
  if (publicMayCreate) await client.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
  return !exists;
}

async function setPassword(client: PoolClient, role: string, serviceUrl: string): Promise<void> {
  await lockRoles(client);
  const login = loginClient(serviceUrl);
  const { password } = login;
  try {
    await login.connect();
  } catch (error) {
    // Other failures are left for the service to report: it may be allowed to log in only from its own host.
    if ((error as { code?: string }).code !== INVALID_PASSWORD || !password) return;
    await client.query(
      `ALTER ROLE ${pg.escapeIdentifier(role)} PASSWORD ${pg.escapeLiteral(scramVerifier(password))}`,
    );
  } finally {
    await login.end().catch(() => {});
  }
}

const loginClient = (url: string) =>
  createClient(url, {
    applicationName: 'migrate',
    connectTimeoutMs: LOGIN_TIMEOUT_MS,
    queryTimeoutMs: LOGIN_TIMEOUT_MS,
  });

/** Serializes changes of roles: a database's privileges are one row, which concurrent transactions can't update. */
const lockRoles = (client: PoolClient) =>
  client.query(`SELECT pg_advisory_xact_lock(hashtext('gateway.roles'))`);
