import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { until } from './until';

const DEBIAN = '/usr/lib/postgresql';
const PASSWORD = 'a-password-for-tests-only';
const READY_WITHIN_MS = 30_000;
/** User of servers that root may not run. */
export const SERVER_USER: { uid?: number; gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/**
 * Folder with all programs of PostgreSQL, which `real-engines.mjs` installs; the embedded ones lack pg_basebackup. Tests that need
 * them are skipped without them.
 */
export const POSTGRES_TOOLS: string | undefined = (existsSync(DEBIAN) ? readdirSync(DEBIAN) : [])
  .map((version) => join(DEBIAN, version, 'bin'))
  .filter((bin) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'pg_basebackup')))
  .sort()
  .at(-1);

const runFile = promisify(execFile);

export type ServerSettings = Readonly<Record<string, string>>;

/** Servers of one test, in a folder that is removed with them. */
export class PostgresCluster {
  readonly #host: string;
  readonly folder = mkdtempSync(join(tmpdir(), 'gateway-cluster-'));
  readonly #servers: PostgresServer[] = [];

  /** @param host address that the servers listen on, and allow connections to from its /24 network */
  constructor(host = '127.0.0.1') {
    this.#host = host;
    giveToServer(this.folder);
  }

  /** Starts a new, empty server. */
  async create(settings: ServerSettings = {}): Promise<PostgresServer> {
    const server = await this.allocate();
    const passwordFile = join(this.folder, 'password');
    writeFileSync(passwordFile, PASSWORD);
    const access = ['--username=gateway', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    await runTool('initdb', ['-D', server.data, ...access, '--encoding=UTF8', '--no-locale', '--no-sync']);
    writeFileSync(
      join(server.data, 'pg_hba.conf'),
      `host all,replication all ${this.#host}/24 scram-sha-256\n`,
    );
    await server.start(settings);
    return server;
  }

  /** Starts a server on a copy of the data of `primary`, as a streaming standby by the name of `standby`. */
  async createStandby(primary: PostgresServer, settings: ServerSettings = {}): Promise<PostgresServer> {
    const server = await this.allocate();
    await runTool('pg_basebackup', [
      '-d',
      primary.url,
      '-D',
      server.data,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
    ]);
    await server.start({
      ...settings,
      primary_conninfo: `${primary.connectionInfo} application_name=standby`,
    });
    return server;
  }

  /** Starts a primary and a standby that has each commit on disk before it is answered. */
  async createSynchronousPair(
    settings: ServerSettings = {},
  ): Promise<{ primary: PostgresServer; standby: PostgresServer }> {
    const primary = await this.create(settings);
    const standby = await this.createStandby(primary, settings);
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await runTool('pg_ctl', ['reload', '-D', primary.data]);
    await until(async () => {
      const [found] = await primary.query<{ sync_state: string }>(
        'SELECT sync_state FROM pg_stat_replication',
      );
      return found?.sync_state === 'sync';
    });
    return { primary, standby };
  }

  /** Returns a server whose folder the test fills before it starts it. */
  async allocate(port?: number): Promise<PostgresServer> {
    const data = join(this.folder, `data-${this.#servers.length}`);
    const server = new PostgresServer(data, port ?? (await freePort(this.#host)), this.#host);
    this.#servers.push(server);
    return server;
  }

  async remove(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.kill('SIGKILL')));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class PostgresServer {
  #child: ChildProcess | undefined;

  constructor(
    readonly data: string,
    readonly port: number,
    readonly host: string,
  ) {}

  /** As superuser; the database is `postgres`. */
  get url(): string {
    return `postgres://gateway:${PASSWORD}@${this.host}:${this.port}/postgres`;
  }

  get connectionInfo(): string {
    return `host=${this.host} port=${this.port} user=gateway password=${PASSWORD}`;
  }

  async start(settings: ServerSettings = {}): Promise<void> {
    const all = {
      port: String(this.port),
      listen_addresses: this.host,
      unix_socket_directories: '',
      max_connections: '100',
      shared_buffers: '32MB',
      ...settings,
    };
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const log = openSync(`${this.data}.log`, 'a');
    this.#child = spawn(tool('postgres'), ['-D', this.data, ...flags], {
      cwd: '/',
      stdio: ['ignore', log, log],
      ...SERVER_USER,
    });
    await until(async () => {
      if (this.#child?.exitCode !== null)
        throw new Error(readFileSync(`${this.data}.log`, 'utf8').slice(-2_000));
      return this.answers();
    }, READY_WITHIN_MS);
  }

  async answers(): Promise<boolean> {
    return this.query('SELECT 1').then(
      () => true,
      () => false,
    );
  }

  /** Runs a statement on a new connection. */
  async query<Row extends pg.QueryResultRow>(sql: string, database = 'postgres'): Promise<Row[]> {
    const client = new pg.Client({
      connectionString: this.url.replace(/postgres$/, database),
      connectionTimeoutMillis: 5_000,
      query_timeout: READY_WITHIN_MS,
    });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** Sends a signal to the postmaster; after SIGKILL, resolves when all its processes have exited. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    if (signal === 'SIGSTOP' || signal === 'SIGCONT') return;
    await exited;
    // Backends exit after their postmaster.
    await until(() => !readdirSync('/proc').some((pid) => runsIn(pid, this.data)));
  }
}

function runsIn(pid: string, folder: string): boolean {
  try {
    return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
}

/** Runs a program of PostgreSQL as the user of the servers. */
export const runTool = (name: string, args: readonly string[]): Promise<string> =>
  runAsServer(tool(name), args);

/** Runs a command as the user of the servers and returns its output. */
export async function runAsServer(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  return (await runFile(command, [...args], { cwd: '/', env, timeout: 60_000, ...SERVER_USER })).stdout;
}

/** Creates a folder that the servers may write. */
export function makeServerFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  giveToServer(path);
  return path;
}

/** Writes a file that only the servers may read. */
export function writeServerFile(path: string, content: string): void {
  writeFileSync(path, content, { mode: 0o600 });
  giveToServer(path);
}

function giveToServer(path: string): void {
  const { uid, gid } = SERVER_USER;
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

function tool(name: string): string {
  if (!POSTGRES_TOOLS) throw new Error('the programs of PostgreSQL are not installed');
  return join(POSTGRES_TOOLS, name);
}

export function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
