import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './postgres-cluster';
import { until } from './until';

/** Path of versitygw, an S3 server: `real-engines.mjs` installs it. Tests that need it are skipped without it. */
export const S3_SERVER = process.env.TEST_S3_SERVER || undefined;

export const S3_BUCKET = 'files';
const READY_WITHIN_MS = 20_000;

export interface S3Server {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly pid: number;
  /** Returns the paths of the files that hold objects and parts of unfinished uploads, relative to the bucket. */
  files(): string[];
  /** Folder of a file of `files`. */
  readonly folder: string;
  /** Resolves when the process has exited. Its data is kept. */
  kill(): Promise<void>;
  /** Starts it again, at the same address. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/** Starts an S3 server with an empty bucket, with TLS if a certificate is given. */
export async function startS3Server(tls?: { certFile: string; keyFile: string }): Promise<S3Server> {
  if (!S3_SERVER) throw new Error('TEST_S3_SERVER is not set');
  const program = S3_SERVER;
  const root = mkdtempSync(path.join(tmpdir(), 'gateway-s3-'));
  const folder = path.join(root, 'data', S3_BUCKET);
  for (const name of [folder, path.join(root, 'meta')]) mkdirSync(name, { recursive: true });
  const port = await freePort();
  const keys = { accessKeyId: 'key-of-tests', secretAccessKey: 'secret-access-key-of-tests' };
  const args = [
    ...['--port', `127.0.0.1:${port}`, '--quiet', '--keep-alive'],
    ...(tls ? ['--cert', tls.certFile, '--key', tls.keyFile] : []),
    // Metadata in files: not every file system has extended attributes.
    ...['posix', '--sidecar', path.join(root, 'meta'), path.join(root, 'data')],
  ];
  let running: ChildProcess | undefined;
  const kill = async () => {
    const child = running;
    running = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
  };
  const endpoint = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  const start = async () => {
    running = spawn(program, args, {
      env: { ROOT_ACCESS_KEY_ID: keys.accessKeyId, ROOT_SECRET_ACCESS_KEY: keys.secretAccessKey },
      stdio: 'ignore',
    });
    await until(() => accepts(port), READY_WITHIN_MS);
  };
  const stop = async () => {
    await kill();
    rmSync(root, { recursive: true, force: true });
  };
  await start().catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    endpoint,
    ...keys,
    folder,
    get pid() {
      if (running?.pid === undefined) throw new Error('the S3 server is down');
      return running.pid;
    },
    files: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name))),
    kill,
    start,
    stop,
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}
