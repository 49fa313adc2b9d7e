import { createHmac, scryptSync } from 'node:crypto';
import { join } from 'node:path';
import { createClient, migrateService, ServiceRoleError, serverUrls, withHostsOf } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { REPOSITORY } from './child-environment';

/** Services with a schema, which has the service's name. */
export const DATABASE_SERVICES = ['billing', 'catalog', 'chat', 'dashboard', 'media', 'storage'] as const;
export type DatabaseService = (typeof DATABASE_SERVICES)[number];
/** Database URL of each service, with its login. */
export type ServiceDatabaseUrls = Readonly<Record<DatabaseService, string>>;

/** PostgreSQL truncates longer names. */
const MAX_NAME_BYTES = 63;

interface Options {
  /** Login of the owner of the schemas. */
  readonly ownerUrl: string;
  /** Logins of services whose roles an administrator has created. */
  readonly given?: Partial<ServiceDatabaseUrls> | undefined;
  /** Passwords are derived from it if the owner logs in without a password. */
  readonly secret: string;
  readonly log: (message: string) => void;
}

/**
 * Creates a role for each service and migrates its schema. If the owner may not create roles, logs a warning and lets the
 * services log in as the owner, so that a gateway on trial runs with any database.
 */
export async function prepareDatabases(options: Options): Promise<ServiceDatabaseUrls> {
  const { ownerUrl, given = {}, log } = options;
  const migrateAll = async (urlOf: (service: DatabaseService) => string): Promise<ServiceDatabaseUrls> => {
    const prepare = async (service: DatabaseService) => {
      const url = given[service] ?? urlOf(service);
      await migrateSchema(service, ownerUrl, url);
      return [service, url] as const;
    };
    return Object.fromEntries(await Promise.all(DATABASE_SERVICES.map(prepare))) as ServiceDatabaseUrls;
  };
  const allGiven = DATABASE_SERVICES.every((service) => given[service]);
  try {
    const logins = allGiven ? undefined : await serviceLogins(ownerUrl, options.secret);
    return await migrateAll((service) => logins?.[service] ?? ownerUrl);
  } catch (error) {
    if (!(error instanceof ServiceRoleError) || allGiven) throw error;
    log(`Services log in to PostgreSQL as the owner of their tables: ${error.message}.`);
    return migrateAll(() => ownerUrl);
  }
}

/** Migrates a service's schema, like its `dist/migrate.js`. */
export function migrateSchema(service: DatabaseService, ownerUrl: string, serviceUrl: string): Promise<void> {
  return migrateService({
    ownerUrl,
    serviceUrl,
    schema: service,
    directory: join(REPOSITORY, 'services', service, 'migrations'),
    log: createLogger('migrate', 'silent'),
  });
}

/**
 * Returns the database URL of each service. Role names start with the name of the database, because roles belong to the whole
 * server. Passwords are derived from the owner's, so that gateways that share a database derive the same ones.
 */
export async function serviceLogins(ownerUrl: string, secret: string): Promise<ServiceDatabaseUrls> {
  const { database, password } = await readOwner(ownerUrl);
  const key = keyOf(password || secret);
  const login = (service: DatabaseService) => {
    const role = `${database}_${service}`;
    if (Buffer.byteLength(role) > MAX_NAME_BYTES)
      throw new ServiceRoleError(`${role} is too long for the name of a role`);
    const rolePassword = createHmac('sha256', key).update(role).digest('base64url');
    return [service, withLogin(ownerUrl, role, rolePassword, database)] as const;
  };
  return Object.fromEntries(DATABASE_SERVICES.map(login)) as Record<DatabaseService, string>;
}

function withLogin(ownerUrl: string, role: string, password: string, database: string): string {
  const [first] = serverUrls(ownerUrl);
  const url = URL.canParse(first) ? new URL(first) : undefined;
  if (url && /^postgres(ql)?:$/.test(url.protocol) && url.host !== '') {
    url.username = role;
    url.password = password;
    url.pathname = `/${encodeURIComponent(database)}`;
    // Query parameters would take precedence.
    for (const name of ['user', 'password']) url.searchParams.delete(name);
    return withHostsOf(ownerUrl, url.href);
  }
  throw new ServiceRoleError('DATABASE_URL is not of the form postgres://user:password@host/database');
}

async function readOwner(url: string): Promise<{ database: string; password: string | null | undefined }> {
  const client = createClient(url, {
    applicationName: 'migrate',
    connectTimeoutMs: 10_000,
    queryTimeoutMs: 10_000,
  });
  const { password } = client;
  await client.connect();
  try {
    const { rows } = await client.query<{ database: string }>('SELECT current_database() AS database');
    return { database: rows[0]!.database, password };
  } finally {
    await client.end();
  }
}

const keys = new Map<string, Buffer>();

/** Uses a slow function, so that the owner's password can't be guessed from a service's password. */
function keyOf(secret: string): Buffer {
  const key = keys.get(secret) ?? scryptSync(secret, 'model-gateway service roles', 32);
  keys.set(secret, key);
  return key;
}
