import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isExecutable, run } from './commands.mjs';
import { freePorts, waitUntil } from './processes.mjs';

const ROOT = '/usr/lib/postgresql';
const SHARED = '/var/lib/model-gateway';
const NOBODY = 65534;

export const postgres = {
  name: 'postgres',
  variable: 'DATABASE_URL',
  readyTimeoutMs: 30_000,
  stopSteps: [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 2_000],
  ],
  missingPackages: () => (binaries() ? [] : ['postgresql']),
  address: ({ port, password }) => `postgres://gateway:${password}@127.0.0.1:${port}/gateway`,

  async prepare({ dir, logFile }) {
    const user = unprivilegedUser();
    const data = dataFolder(dir, user);
    const password = randomBytes(18).toString('base64url');
    const passwordFile = `${data}.password`;
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (user) chownSync(passwordFile, user.uid, user.gid);
    const access = ['--username=gateway', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    const init = ['-D', data, ...access, '--encoding=UTF8', '--no-locale', '--no-instructions'];
    await run(join(binaries(), 'initdb'), init, { logFile, ...user });
    rmSync(passwordFile);
    const [port] = await freePorts(1);
    return { port, data, password, ...user };
  },

  async launch({ port, data, uid, gid }) {
    await clearStaleLock(data);
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: 300,
      shared_buffers: '128MB',
      fsync: 'on',
      synchronous_commit: 'on',
      timezone: 'UTC',
      log_min_messages: 'warning',
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return { command: join(binaries(), 'postgres'), args: ['-D', data, ...args], uid, gid };
  },

  async isReady({ port, password }) {
    const env = { ...process.env, PGPASSWORD: password, PGCONNECT_TIMEOUT: '3' };
    const target = ['-h', '127.0.0.1', '-p', String(port), '-U', 'gateway'];
    try {
      await run(join(binaries(), 'createdb'), [...target, '-O', 'gateway', 'gateway'], {
        env,
        timeoutMs: 10_000,
      });
      return true;
    } catch (error) {
      return error.message.includes('already exists');
    }
  },

  remove({ data }) {
    rmSync(data, { recursive: true, force: true });
  },
};

function binaries() {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).sort((a, b) => Number(b) - Number(a)) : [];
  return versions
    .map((version) => join(ROOT, version, 'bin'))
    .find((bin) => isExecutable(join(bin, 'initdb')));
}

/**
 * Removes the lock file of a killed server. PostgreSQL does not start while that server is a zombie. Waits for its backends to
 * exit, because removing the lock earlier could corrupt the data.
 */
async function clearStaleLock(data) {
  const here = (pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === data;
    } catch {
      return false;
    }
  };
  const unused = await waitUntil(() => !readdirSync('/proc').some(here), 10_000);
  if (!unused) throw new Error(`other processes are using ${data}`);
  rmSync(join(data, 'postmaster.pid'), { force: true });
}

/** Returns the user that runs PostgreSQL for root, because PostgreSQL refuses to run as root. */
function unprivilegedUser() {
  if (process.getuid() !== 0) return undefined;
  try {
    const id = (flag) =>
      Number(execFileSync('id', [flag, 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return { uid: NOBODY, gid: NOBODY };
  }
}

/** Creates the data folder: in `dir`, or in /var/lib if PostgreSQL's user can't enter `dir`. */
function dataFolder(dir, user) {
  const canEnter = !user || spawnSync('/bin/sh', ['-c', 'cd "$0"', dir], { cwd: '/', ...user }).status === 0;
  const hash = createHash('sha256').update(realpathSync(dir)).digest('hex').slice(0, 16);
  const data = canEnter ? join(dir, 'data') : join(SHARED, `engines-${hash}`);
  if (!canEnter) mkdirSync(SHARED, { recursive: true, mode: 0o755 });
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { mode: 0o700 });
  if (user) chownSync(data, user.uid, user.gid);
  return data;
}
