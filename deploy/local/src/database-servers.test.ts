import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, createPool, type Pool } from '@gateway/postgres';
import { createLogger } from '@gateway/process';
import {
  createTestDatabase,
  POSTGRES_TOOLS,
  PostgresCluster,
  type PostgresServer,
  runTool,
  TcpProxy,
  type TestDatabase,
  until,
  writeServerFile,
} from '@gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

const log = createLogger('test', 'silent');
const pools: Pool[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.end())));

function open(url: string, more: Partial<Parameters<typeof createPool>[0]> = {}): Pool {
  const pool = createPool({ url, log, maxConnections: 2, connectTimeoutMs: 2_000, ...more });
  pools.push(pool);
  return pool;
}

const portOf = async (pool: Pool): Promise<number> =>
  Number((await pool.query<{ port: string }>("SELECT current_setting('port') AS port")).rows[0]?.port);

describe('a database that is reached by two addresses', () => {
  let database: TestDatabase;
  let proxies: TcpProxy[];
  /** The URL with both addresses. */
  let url: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    const direct = new URL(database.url);
    const target = { host: direct.hostname, port: Number(direct.port) };
    proxies = [await TcpProxy.start(target), await TcpProxy.start(target)];
    url = database.url.replace(direct.host, proxies.map(({ port }) => `127.0.0.1:${port}`).join(','));
  }, 60_000);
  afterAll(async () => {
    await Promise.all(proxies?.map((proxy) => proxy.stop()) ?? []);
    await database?.drop();
  });

  test('answers again within the deadline of a statement after the address in use stops responding', async () => {
    const [first, second] = proxies as [TcpProxy, TcpProxy];
    second.stall();
    const pool = open(url, { statementTimeoutMs: 1_000, maxConnections: 5 });
    await Promise.all(Array.from({ length: 5 }, () => pool.query('SELECT 1')));
    first.stall();
    second.pass();
    const startedAtMs = performance.now();
    await expect(pool.query('SELECT 1')).rejects.toThrow('Query read timeout');
    await until(() =>
      pool.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    );
    // Two seconds for the lost answer, two for a new connection that the old address does not answer.
    expect(performance.now() - startedAtMs).toBeLessThan(8_000);
    first.pass();
  });

  test('after all connections have ended, the next query uses the address that responds', async () => {
    const direct = new URL(database.url);
    const target = { host: direct.hostname, port: Number(direct.port) };
    const [first, second] = [await TcpProxy.start(target), await TcpProxy.start(target)];
    proxies.push(first, second);
    second.stall();
    const pool = open(database.url.replace(direct.host, `127.0.0.1:${first.port},127.0.0.1:${second.port}`));
    await pool.query('SELECT 1');
    second.pass();
    await first.stop();
    await until(() => pool.totalCount === 0);
    await expect(pool.query('SELECT 1')).resolves.toMatchObject({ rowCount: 1 });
  });

  test('a listener connects by the address that responds', async () => {
    const [first, second] = proxies as [TcpProxy, TcpProxy];
    first.stall();
    second.pass();
    const client = createClient(url, {
      applicationName: 'test',
      connectTimeoutMs: 5_000,
      queryTimeoutMs: 1_000,
    });
    await client.connect();
    expect(client.port).toBe(second.port);
    await client.end();
    first.pass();
  });

  test('a client that is closed while it looks for the server does not connect', async () => {
    const client = createClient(url, {
      applicationName: 'test',
      connectTimeoutMs: 5_000,
      queryTimeoutMs: 1_000,
    });
    const connecting = client.connect();
    await client.end();
    await expect(connecting).rejects.toThrow('the client was closed');
  });
});

test('a read-only database is refused', async () => {
  const database = await createTestDatabase();
  const pool = open(`${database.url}?options=-c%20default_transaction_read_only%3Don`);
  await expect(pool.query('SELECT 1')).rejects.toThrow('the database server is read-only');
  await database.drop();
});

describe('a URL that encrypts without verifying the server', () => {
  test.each(['sslmode=no-verify', 'ssl=no-verify'])('is refused: %s', (parameter) => {
    expect(() => createPool({ url: `postgres://u@h/d?${parameter}`, log })).toThrow(
      'use sslmode=verify-full',
    );
  });
});

const withTools = POSTGRES_TOOLS ? describe : describe.skip;

withTools('a server with a certificate', () => {
  let cluster: PostgresCluster;
  let server: PostgresServer;
  beforeAll(async () => {
    cluster = new PostgresCluster();
    makeAuthority('ca', 'other-ca');
    makeCertificate('localhost', 'DNS:localhost');
    makeCertificate('elsewhere', 'DNS:elsewhere.test');
    server = await cluster.create();
    await useCertificate('localhost');
  }, 60_000);
  afterAll(() => cluster?.remove());

  const file = (name: string) => join(cluster.folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

  function makeAuthority(...names: string[]): void {
    for (const name of names)
      openssl(
        'req',
        '-x509',
        ...KEY,
        '-keyout',
        file(`${name}.key`),
        '-out',
        file(`${name}.pem`),
        '-subj',
        `/CN=${name}`,
      );
  }

  function makeCertificate(name: string, subject: string): void {
    openssl(
      'req',
      ...KEY,
      '-keyout',
      file(`${name}.key`),
      '-out',
      file(`${name}.csr`),
      '-subj',
      `/CN=${name}`,
    );
    writeFileSync(file('extensions'), `subjectAltName=${subject}`);
    const authority = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-in',
      file(`${name}.csr`),
      ...authority,
      '-out',
      file(`${name}.pem`),
      '-extfile',
      file('extensions'),
    );
  }

  async function useCertificate(name: string): Promise<void> {
    for (const kind of ['pem', 'key'])
      writeServerFile(
        join(server.data, `server.${kind}`),
        execFileSync('cat', [file(`${name}.${kind}`)], { encoding: 'utf8' }),
      );
    await server.query("ALTER SYSTEM SET ssl_cert_file = 'server.pem'");
    await server.query("ALTER SYSTEM SET ssl_key_file = 'server.key'");
    await server.query('ALTER SYSTEM SET ssl = on');
    await runTool('pg_ctl', ['reload', '-D', server.data]);
    await until(async () => (await server.query<{ ssl: string }>('SHOW ssl'))[0]?.ssl === 'on');
  }

  const url = (query: string) => `${server.url.replace('127.0.0.1', 'localhost')}?${query}`;
  const isEncrypted = async (pool: Pool) =>
    (await pool.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).rows[0]
      ?.ssl;

  test.each(['verify-full', 'verify-ca', 'require', 'prefer'])(
    'is accepted with sslmode=%s if its certificate is signed by the given authority',
    async (mode) => {
      expect(await isEncrypted(open(url(`sslmode=${mode}&sslrootcert=${file('ca.pem')}`)))).toBe(true);
    },
  );

  test.each(['verify-full', 'verify-ca', 'require', 'prefer', 'require&uselibpqcompat=true'])(
    'is refused with sslmode=%s if another authority is given, or none',
    async (mode) => {
      const other = open(url(`sslmode=${mode}&sslrootcert=${file('other-ca.pem')}`));
      await expect(other.query('SELECT 1')).rejects.toMatchObject({
        code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      });
      await expect(open(url(`sslmode=${mode}`)).query('SELECT 1')).rejects.toMatchObject({
        code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      });
    },
  );

  test.each(['verify-full', 'verify-ca', 'require'])(
    'is refused with sslmode=%s if its certificate is for another host',
    async (mode) => {
      await useCertificate('elsewhere');
      await until(() =>
        open(url(`sslmode=${mode}&sslrootcert=${file('ca.pem')}`))
          .query('SELECT 1')
          .then(
            () => false,
            (error) => error.code === 'ERR_TLS_CERT_ALTNAME_INVALID',
          ),
      );
    },
  );
});

withTools('a primary and a standby', () => {
  let cluster: PostgresCluster;
  let primary: PostgresServer;
  let standby: PostgresServer;
  beforeAll(async () => {
    cluster = new PostgresCluster();
    primary = await cluster.create();
    standby = await cluster.createStandby(primary);
  }, 60_000);
  afterAll(() => cluster?.remove());

  test('connections are to the primary, and to the standby once it is promoted, even if the old primary returns', async () => {
    const { host } = new URL(primary.url);
    const url = primary.url.replace(host, `${host},127.0.0.1:${standby.port}`);
    const pool = open(url);
    expect(await portOf(pool)).toBe(primary.port);
    await primary.kill('SIGKILL');
    await expect(pool.query('SELECT 1')).rejects.toThrow();
    await runTool('pg_ctl', ['promote', '-D', standby.data]);
    await until(() =>
      portOf(pool).then(
        (port) => port === standby.port,
        () => false,
      ),
    );
    await primary.start();
    expect(await portOf(open(primary.url))).toBe(primary.port);
    expect(await portOf(open(url))).toBe(standby.port);
  });
});
