import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort, makeServerFolder, SERVER_USER, until, writeServerFile } from '@gateway/testing';

/** Path of PgBouncer: `real-engines.mjs` builds it. Tests that need it are skipped without it. */
export const PGBOUNCER = process.env.TEST_PGBOUNCER || undefined;

export interface PgBouncer {
  /** Returns the URL that leads through it, as a service configures it. */
  urlOf(url: string): string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode for the logins of these URLs.
 * @param poolSize connections to the server for each login
 */
export async function startPgBouncer(
  folder: string,
  urls: readonly string[],
  poolSize: number,
): Promise<PgBouncer> {
  if (!PGBOUNCER) throw new Error('TEST_PGBOUNCER is not set');
  makeServerFolder(folder);
  const program = join(folder, 'pgbouncer');
  cpSync(PGBOUNCER, program);
  const port = await freePort();
  const logins = urls.map((url) => new URL(url));
  const users = logins.map((url) => `"${url.username}" "${decodeURIComponent(url.password)}"\n`);
  writeServerFile(join(folder, 'users'), users.join(''));
  writeServerFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${logins[0]!.hostname} port=${logins[0]!.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users')}
pool_mode = transaction
max_prepared_statements = 200
default_pool_size = ${poolSize}
max_client_conn = 500
`,
  );
  const child = spawn(program, ['-q', join(folder, 'pgbouncer.ini')], {
    cwd: '/',
    stdio: 'ignore',
    ...SERVER_USER,
  });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer exited with ${child.exitCode}`);
    return accepts(port);
  });
  return {
    urlOf(url) {
      const pooled = new URL(url);
      pooled.port = String(port);
      pooled.searchParams.set('pgbouncer', 'true');
      return pooled.href;
    },
    async stop() {
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
