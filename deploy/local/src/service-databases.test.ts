import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_SERVICES, type DatabaseService, prepareDatabases, REPOSITORY } from '@gateway/local-stack';
import { createPool, type Pool, runMigration } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import { createEmptyDatabase, createTestDatabase, runSql, type TestDatabase } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const REFUSED = { code: '42501' };
const log = createLogger('test', 'silent');

let database: TestDatabase;
let owner: Pool;
const pools = new Map<DatabaseService, Pool>();

const prepare = (ownerUrl: string, more: Partial<Parameters<typeof prepareDatabases>[0]> = {}) =>
  prepareDatabases({ ownerUrl, secret: 'a secret for tests only', log: () => {}, ...more });

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool({ url: database.url, log, maxConnections: 2 });
  const urls = await prepare(database.url);
  for (const service of DATABASE_SERVICES) {
    pools.set(service, createPool({ url: urls[service], log, maxConnections: 1 }));
  }
}, 60_000);
afterAll(async () => {
  await Promise.all([owner, ...pools.values()].map((pool) => pool?.end()));
  await database?.drop();
}, 60_000);

const as = (service: DatabaseService, sql: string) => pools.get(service)!.query(sql);

/**
 * Privileges of each table for the service of its schema; other roles have none. For a new table, grant the privileges that
 * the code needs in services/<service>/migrations/grants.sql, and add them here.
 */
const EXPECTED_PRIVILEGES: Readonly<Record<string, string>> = {
  'billing.abandoned_costs': 'SELECT INSERT UPDATE DELETE',
  'billing.access_log': 'SELECT INSERT DELETE',
  'billing.accounts': 'SELECT INSERT UPDATE',
  'billing.cell_accounts': 'SELECT INSERT',
  'billing.cell_keys': 'SELECT INSERT',
  'billing.adjustments': 'SELECT INSERT',
  'billing.dead_letters': 'SELECT INSERT',
  'billing.free_calls': 'SELECT INSERT DELETE',
  'billing.holds': 'SELECT INSERT UPDATE',
  'billing.holds_default': '',
  'billing.key_values': 'SELECT INSERT UPDATE DELETE',
  'billing.keys': 'SELECT INSERT UPDATE',
  'billing.ledger': 'SELECT INSERT',
  'billing.migrations': 'SELECT',
  'billing.operator_losses': 'SELECT INSERT',
  'billing.owners': 'SELECT INSERT UPDATE',
  'billing.refusal_reporters': 'SELECT INSERT UPDATE DELETE',
  'billing.spend_windows': 'SELECT INSERT UPDATE',
  'billing.throttle': 'SELECT UPDATE',
  'billing.throttle_leases': 'SELECT INSERT UPDATE DELETE',
  'billing.topups': 'SELECT INSERT UPDATE',
  'billing.usage_days': 'SELECT INSERT UPDATE',
  'billing.usage_records': 'SELECT INSERT',
  'billing.usage_records_default': 'SELECT DELETE',
  'chat.journal': 'SELECT INSERT UPDATE DELETE',
  'chat.journal_owners': 'SELECT INSERT UPDATE DELETE',
  'chat.migrations': 'SELECT',
  'catalog.credential_costs': 'SELECT INSERT UPDATE DELETE',
  'catalog.credentials': 'SELECT INSERT UPDATE DELETE',
  'catalog.migrations': 'SELECT',
  'catalog.model_names': 'SELECT',
  'catalog.models': 'SELECT INSERT UPDATE',
  'catalog.price_versions': 'SELECT INSERT',
  'catalog.provider_revision': 'SELECT UPDATE',
  'catalog.providers': 'SELECT INSERT UPDATE DELETE',
  'catalog.revision': 'SELECT UPDATE',
  'dashboard.attempts': 'SELECT INSERT UPDATE DELETE',
  // A view for the version before: it writes as the role, which may only append to the tables.
  'dashboard.audit': 'SELECT INSERT UPDATE DELETE',
  'dashboard.audit_entries': 'SELECT',
  'dashboard.audit_outcomes': 'SELECT',
  'dashboard.invitations': 'SELECT INSERT UPDATE',
  'dashboard.migrations': 'SELECT',
  'dashboard.removed_members': 'SELECT INSERT',
  'dashboard.registrations': 'SELECT INSERT UPDATE DELETE',
  'dashboard.sessions': 'SELECT INSERT UPDATE DELETE',
  'dashboard.users': 'SELECT INSERT UPDATE DELETE',
  'media.bills': 'SELECT INSERT UPDATE DELETE',
  'media.idempotency': 'SELECT INSERT UPDATE DELETE',
  'media.instances': 'SELECT INSERT UPDATE DELETE',
  'media.migrations': 'SELECT',
  'media.tasks': 'SELECT INSERT UPDATE DELETE',
  'storage.background_calls': 'SELECT INSERT UPDATE DELETE',
  'storage.batch_calls': 'SELECT INSERT UPDATE DELETE',
  'storage.batches': 'SELECT INSERT UPDATE DELETE',
  'storage.files': 'SELECT INSERT UPDATE DELETE',
  'storage.migrations': 'SELECT',
  'storage.responses': 'SELECT INSERT UPDATE DELETE',
};

/** Privileges of columns, for the service of the schema; the other columns have their defaults, such as the time of an entry. */
const EXPECTED_COLUMN_PRIVILEGES: Readonly<Record<string, string>> = {
  'dashboard.audit_entries':
    'INSERT account_id, INSERT action, INSERT actor_email, INSERT actor_id, INSERT address, INSERT by_operator, ' +
    'INSERT changes, INSERT done, INSERT request_id, INSERT subject',
  'dashboard.audit_outcomes':
    'INSERT account_id, INSERT error_code, INSERT outcome, INSERT seq, INSERT subject',
};

/** Functions that the service of the schema may call. Other functions are for triggers and the owner. */
const CALLED_FUNCTIONS = [
  'billing.clock()',
  'billing.create_partition(text,integer)',
  'billing.drop_old_partition(integer)',
  'billing.epoch_ms(timestamp with time zone)',
  'billing.month_of(date)',
  'billing.utc_day(timestamp with time zone)',
];

const VERBS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN'];
const SCHEMAS = DATABASE_SERVICES.map((service) => `'${service}'`).join(', ');

test('every table grants the expected privileges to the service of its schema, and none to other roles', async () => {
  const { rows } = await owner.query<{ name: string; service: string; grantee: string; verbs: string[] }>(
    `SELECT format('%s.%s', nspname, relname) AS name, nspname AS service,
       coalesce(rolname, CASE WHEN grantee = 0 THEN 'PUBLIC' END) AS grantee, array_agg(privilege_type) AS verbs
     FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
       LEFT JOIN LATERAL aclexplode(relacl) ON grantee <> relowner
       LEFT JOIN pg_roles r ON r.oid = grantee
     WHERE nspname IN (${SCHEMAS}) AND relkind IN ('r', 'p', 'v', 'm', 'f')
       AND NOT (relispartition AND relname ~ '_[0-9]{4}_[0-9]{2}$')
     GROUP BY 1, 2, 3`,
  );
  const problems = rows.flatMap(({ name, service, grantee, verbs }) => {
    const expected = EXPECTED_PRIVILEGES[name];
    if (expected === undefined)
      return [
        `${name} is new: grant the privileges that ${service} needs in services/${service}/migrations/grants.sql, and add it to EXPECTED_PRIVILEGES in ${__filename}`,
      ];
    const granted = VERBS.filter((verb) => verbs.includes(verb)).join(' ');
    if (grantee !== null && !grantee.endsWith(`_${service}`))
      return [`${name} must grant nothing to ${grantee}, but grants ${granted}`];
    return granted === expected ? [] : [`${name} grants "${granted}" instead of "${expected}"`];
  });
  expect(problems).toEqual([]);
  expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(Object.keys(EXPECTED_PRIVILEGES)));
});

test('columns grant the expected privileges to the service of their schema, and none to other roles', async () => {
  const { rows } = await owner.query<{ name: string; grantee: string; privileges: string }>(
    `SELECT format('%s.%s', nspname, relname) AS name, coalesce(rolname, 'PUBLIC') AS grantee,
       string_agg(privilege_type || ' ' || attname, ', ' ORDER BY privilege_type, attname) AS privileges
     FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
       CROSS JOIN LATERAL aclexplode(attacl) LEFT JOIN pg_roles r ON r.oid = grantee
     WHERE nspname IN (${SCHEMAS}) GROUP BY 1, 2`,
  );
  expect(Object.fromEntries(rows.map(({ name, privileges }) => [name, privileges]))).toEqual(
    EXPECTED_COLUMN_PRIVILEGES,
  );
  for (const { name, grantee } of rows) expect(grantee).toMatch(new RegExp(`_${name.split('.')[0]}$`));
});

test.each([
  `INSERT INTO dashboard.audit_entries (seq, actor_id, actor_email, by_operator, action, request_id)
     OVERRIDING SYSTEM VALUE VALUES (1, 'user_1', 'a@example.com', false, 'keys', 'request')`,
  `INSERT INTO dashboard.audit_entries (created_at, actor_id, actor_email, by_operator, action, request_id)
     VALUES ('2020-01-01', 'user_1', 'a@example.com', false, 'keys', 'request')`,
  `INSERT INTO dashboard.audit_outcomes (seq, outcome, created_at) VALUES (1, 'done', '2020-01-01')`,
])('the dashboard chooses neither the number nor the time of an audit entry: %s', async (sql) => {
  await expect(as('dashboard', sql)).rejects.toMatchObject(REFUSED);
});

test('every write in the code of a service has the privilege that it needs', () => {
  const verbOf: Record<string, string> = {
    'INSERT INTO': 'INSERT',
    'DELETE FROM': 'DELETE',
    UPDATE: 'UPDATE',
  };
  const problems = DATABASE_SERVICES.flatMap((service) => {
    const sources = join(REPOSITORY, 'services', service, 'src');
    const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /^(?!testing\/).*(?<!\.test)\.ts$/.test(file),
    );
    return files.flatMap((file) => {
      const statements = readFileSync(join(sources, file), 'utf8').matchAll(
        /\b(INSERT INTO|DELETE FROM|UPDATE)\s+((?:billing|catalog|chat|dashboard|media|storage)\.\w+)/g,
      );
      return [...statements].flatMap(([statement, written = '', table = '']) => {
        const isGranted = [EXPECTED_PRIVILEGES, EXPECTED_COLUMN_PRIVILEGES].some((expected) =>
          expected[table]?.split(' ').includes(verbOf[written]!),
        );
        return isGranted && table.startsWith(`${service}.`) ? [] : [`${service}/src/${file}: ${statement}`];
      });
    });
  });
  expect(problems).toEqual([]);
});

test('a function can be called only by the service of its schema, if at all', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT p.oid::regprocedure::text AS name, grantee::regrole::text, nspname
     FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace,
       LATERAL aclexplode(coalesce(proacl, acldefault('f', proowner)))
     WHERE nspname IN (${SCHEMAS}) AND grantee <> proowner
       AND grantee <> (current_database() || '_' || nspname)::regrole`,
  );
  expect(rows).toEqual([]);
  const called = await owner.query<{ name: string }>(
    `SELECT p.oid::regprocedure::text AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
     WHERE nspname IN (${SCHEMAS}) AND has_function_privilege(current_database() || '_' || nspname, p.oid, 'EXECUTE')
     ORDER BY 1`,
  );
  expect(called.rows.map(({ name }) => name)).toEqual(CALLED_FUNCTIONS);
});

describe.each(DATABASE_SERVICES)('the role of %s', (service) => {
  test.each([
    'DELETE FROM billing.ledger',
    `UPDATE billing.ledger SET kind = 'topup'`,
    'TRUNCATE billing.ledger',
    'ALTER TABLE billing.ledger DISABLE TRIGGER ledger_insert_only',
    'ALTER TABLE billing.ledger DISABLE TRIGGER ALL',
    'DROP TRIGGER ledger_insert_only ON billing.ledger',
    'CREATE OR REPLACE FUNCTION billing.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    'DROP TABLE billing.ledger',
    'SET session_replication_role = replica',
    'DELETE FROM billing.operator_losses',
    'UPDATE billing.operator_losses SET amount_nano = 1',
    'TRUNCATE billing.operator_losses',
    'ALTER TABLE billing.operator_losses DISABLE TRIGGER ALL',
    'TRUNCATE billing.holds',
    'CREATE TABLE billing.created ()',
    'CREATE TABLE public.created ()',
    'CREATE TEMPORARY TABLE created ()',
    'CREATE SCHEMA created',
    'CREATE ROLE created',
  ])('may not execute %s', async (sql) => {
    await expect(as(service, sql)).rejects.toMatchObject(REFUSED);
  });

  test('may neither read nor write the schemas of other services', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
       WHERE nspname IN (${SCHEMAS}) AND nspname <> '${service}' AND relkind IN ('r', 'p')`,
    );
    const statements = rows.flatMap(({ name }) => [
      `INSERT INTO ${name} DEFAULT VALUES`,
      `DELETE FROM ${name}`,
      `TRUNCATE ${name}`,
      `SELECT FROM ${name}`,
    ]);
    expect(statements.length).toBeGreaterThan(40);
    await as(
      service,
      `DO $do$ DECLARE statement text; BEGIN
         FOREACH statement IN ARRAY '{${statements.map((sql) => `"${sql}"`)}}'::text[] LOOP
           BEGIN
             EXECUTE statement;
             RAISE '% is allowed', statement;
           EXCEPTION WHEN insufficient_privilege THEN NULL;
           END;
         END LOOP;
       END $do$`,
    );
  });

  test('owns no objects and has no role attributes, memberships or database privileges', async () => {
    const { rows } = await as(
      service,
      `SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
         (SELECT count(*)::int FROM pg_shdepend WHERE refobjid = r.oid AND deptype = 'o') AS owned,
         (SELECT count(*)::int FROM pg_auth_members WHERE member = r.oid) AS memberships,
         has_database_privilege(current_database(), 'CREATE') AS creates,
         has_database_privilege(current_database(), 'TEMPORARY') AS temporary
       FROM pg_roles r WHERE rolname = current_user`,
    );
    expect(rows).toEqual([
      {
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolbypassrls: false,
        owned: 0,
        memberships: 0,
        creates: false,
        temporary: false,
      },
    ]);
  });
});

describe('monthly partitions', () => {
  const exists = async (name: string) =>
    (await owner.query('SELECT to_regclass($1) IS NOT NULL AS exists', [name])).rows[0].exists as boolean;

  test('are created by billing for this month and the next, and only for partitioned tables', async () => {
    for (const table of ['holds', 'usage_records']) {
      for (const ahead of [0, 1])
        await as('billing', `SELECT billing.create_partition('${table}', ${ahead})`);
      const now = new Date();
      const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
      expect(await exists(`billing.${table}_${next.toISOString().slice(0, 7).replace('-', '_')}`)).toBe(true);
    }
    for (const call of [`'holds', 2`, `'holds', -1`, `'ledger', 0`, `NULL, 0`, `'holds', NULL`]) {
      const created = as('billing', `SELECT billing.create_partition(${call})`);
      await expect(created).rejects.toMatchObject({ code: '22023' });
    }
  });

  test('are dropped by billing when they are old, except those of holds', async () => {
    const bounds = `FOR VALUES FROM ('01750000-0000-0000-0000-000000000000') TO ('01760000-0000-0000-0000-000000000000')`;
    for (const table of ['holds', 'usage_records']) {
      await owner.query(`CREATE TABLE billing.${table}_2020_03 PARTITION OF billing.${table} ${bounds}`);
    }
    const drop = async (days: number) =>
      (await as('billing', `SELECT billing.drop_old_partition(${days}) AS dropped`)).rows[0].dropped;
    await expect(drop(0)).rejects.toMatchObject({ code: '22023' });
    await expect(drop(-400)).rejects.toMatchObject({ code: '22023' });
    expect(await drop(36_500)).toBe(null);
    expect(await drop(1)).toBe('usage_records_2020_03');
    expect(await drop(1)).toBe(null);
    expect(await exists('billing.usage_records_2020_03')).toBe(false);
    expect(await exists('billing.holds_2020_03')).toBe(true);
    await owner.query('DROP TABLE billing.holds_2020_03');
  });

  test('can’t be created or dropped by other services', async () => {
    for (const service of ['catalog', 'dashboard', 'media', 'storage'] as const) {
      for (const call of [`create_partition('holds', 0)`, 'drop_old_partition(1)']) {
        await expect(as(service, `SELECT billing.${call}`)).rejects.toMatchObject(REFUSED);
      }
    }
  });
});

test('gateways that prepare one database concurrently derive the same passwords', async () => {
  const own = await createTestDatabase();
  try {
    const [first, ...others] = await Promise.all(
      ['one folder', 'another folder', 'a third folder'].map((secret) => prepare(own.url, { secret })),
    );
    for (const urls of others) expect(urls).toEqual(first);
    await runSql(first!.media, 'SELECT 1 FROM media.tasks');
  } finally {
    await own.drop();
  }
});

test('the migration job of a service creates its role and schema, and can be repeated', async () => {
  const own = await createTestDatabase();
  const url = new URL(own.url);
  url.username = `${url.pathname.slice(1)}_catalog`;
  url.password = 'a password';
  const env = { MIGRATION_DATABASE_URL: own.url, DATABASE_URL: url.href, LOG_LEVEL: 'silent' };
  const directory = join(REPOSITORY, 'services/catalog/migrations');
  try {
    await Promise.all([runMigration('catalog', directory, env), runMigration('catalog', directory, env)]);
    await runMigration('catalog', directory, env);
    expect(process.exitCode ?? 0).toBe(0);
    await runSql(url.href, 'SELECT 1 FROM catalog.models');
    await runMigration('catalog', join(directory, 'none'), env);
    expect(process.exitCode).toBe(1);
  } finally {
    process.exitCode = 0;
    await own.drop();
  }
});

test('a role whose password was changed manually gets its password reset', async () => {
  await owner.query(`ALTER ROLE ${new URL(database.url).pathname.slice(1)}_media PASSWORD 'another'`);
  const { media } = await prepare(database.url);
  await runSql(media, 'SELECT 1 FROM media.tasks');
});

test('an owner with CREATEROLE that is not a superuser creates the roles of the services', async () => {
  const name = `creator_${randomBytes(6).toString('hex')}`;
  const own = await createEmptyDatabase(database.url, name);
  try {
    await owner.query(
      `CREATE ROLE ${name} LOGIN CREATEROLE PASSWORD 'creator'; ALTER DATABASE ${name} OWNER TO ${name}`,
    );
    const url = new URL(own.url);
    url.username = name;
    url.password = 'creator';
    await prepare(url.href);
    await owner.query(`ALTER ROLE ${name}_billing PASSWORD 'another'`);
    const { billing } = await prepare(url.href);
    expect(new URL(billing).username).toBe(`${name}_billing`);
    await runSql(billing, `SELECT billing.create_partition('holds', 1)`);
    await expect(runSql(billing, 'TRUNCATE billing.ledger')).rejects.toMatchObject(REFUSED);
  } finally {
    await own.drop();
    await owner.query(`DROP ROLE IF EXISTS ${name}`);
  }
});

test('a role with more privileges than a service may have is refused and keeps its password', async () => {
  const name = `${new URL(database.url).pathname.slice(1)}_powerful`;
  await owner.query(`CREATE ROLE ${name} LOGIN CREATEDB PASSWORD 'kept'`);
  try {
    const url = new URL(database.url);
    url.username = name;
    url.password = 'another';
    await expect(prepare(database.url, { given: { media: url.href } })).rejects.toThrow(
      `role ${name} has more privileges than a service may have`,
    );
    url.password = 'kept';
    url.pathname = '/postgres';
    await runSql(url.href, 'SELECT 1');
  } finally {
    await owner.query(`DROP ROLE ${name}`);
  }
});

test('the roles of one gateway can’t connect to the database of another', async () => {
  const other = await createTestDatabase();
  try {
    await prepare(other.url);
    const url = new URL((await prepare(database.url)).billing);
    url.pathname = new URL(other.url).pathname;
    await expect(runSql(url.href, 'SELECT 1')).rejects.toMatchObject(REFUSED);
  } finally {
    await other.drop();
  }
});

describe('an owner that may not create roles', () => {
  const name = `plain_${randomBytes(6).toString('hex')}`;
  let adminUrl: string;
  let ownerUrl: string;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const own = await createEmptyDatabase(database.url, name);
    adminUrl = own.url;
    drop = own.drop;
    await owner.query(`CREATE ROLE ${name} LOGIN PASSWORD 'plain'; ALTER DATABASE ${name} OWNER TO ${name}`);
    const url = new URL(own.url);
    url.username = name;
    url.password = 'plain';
    ownerUrl = url.href;
  });
  afterAll(async () => {
    await drop?.();
    await owner.query(`DROP ROLE IF EXISTS ${name}`);
  });

  test('lets the services log in as the owner, and logs how to create the roles', async () => {
    const messages: string[] = [];
    const urls = await prepare(ownerUrl, { log: (message) => messages.push(message) });
    expect(Object.values(urls)).toEqual(DATABASE_SERVICES.map(() => ownerUrl));
    expect(messages).toEqual([expect.stringContaining('run deploy/postgres/roles.sql')]);
    await runSql(ownerUrl, 'SELECT 1 FROM media.tasks');
  });

  test('is refused a service login whose role does not exist', async () => {
    const url = new URL(ownerUrl);
    url.username = `${name}_missing`;
    await expect(prepare(ownerUrl, { given: { media: url.href } })).rejects.toThrow(
      `${name} may not create role ${name}_missing`,
    );
  });

  const psql = findPsql();
  (psql ? test : test.skip)('uses the roles that an administrator created with roles.sql', async () => {
    const passwordOf = (service: string) => `${service}'s "password"`;
    const env = Object.fromEntries(
      DATABASE_SERVICES.map((service) => [`${service.toUpperCase()}_DATABASE_PASSWORD`, passwordOf(service)]),
    );
    const script = join(REPOSITORY, 'deploy/postgres/roles.sql');
    const run = () => execFileSync(psql!, [adminUrl, '-f', script], { env: { ...process.env, ...env } });
    run();
    run();
    const given = Object.fromEntries(
      DATABASE_SERVICES.map((service) => {
        const url = new URL(ownerUrl);
        url.username = `${name}_${service}`;
        url.password = passwordOf(service);
        return [service, url.href];
      }),
    );
    const messages: string[] = [];
    const urls = await prepare(ownerUrl, { given, log: (message) => messages.push(message) });
    expect(urls).toEqual(given);
    expect(messages).toEqual([]);
    await runSql(urls.billing, 'SELECT 1 FROM billing.ledger');
    await expect(runSql(urls.billing, 'DELETE FROM billing.ledger')).rejects.toMatchObject(REFUSED);
  });
});

function findPsql(): string | undefined {
  const root = '/usr/lib/postgresql';
  const folders = existsSync(root) ? readdirSync(root).map((version) => join(root, version, 'bin')) : [];
  return [...folders, ...(process.env.PATH ?? '').split(':')]
    .map((folder) => join(folder, 'psql'))
    .find((file) => existsSync(file));
}
