import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '@gateway/local-stack';

const SCRIPT = join(REPOSITORY, 'tools/engine-set.mjs');
const UP_TIMEOUT_MS = 300_000;
const runFile = promisify(execFile);

interface Keypair {
  readonly certificate: string;
  readonly key: string;
}

/** PEM files of a set. */
interface SetFiles {
  readonly ca: string;
  readonly client: Keypair;
}

interface Sets {
  secure: {
    readonly passwords: Readonly<Record<'billing' | 'chat' | 'media' | 'admin', string>>;
    readonly redisPort: number;
    readonly kafkaPort: number;
    /** Without TLS and login. */
    readonly kafkaAdminPort: number;
  };
  'redis-sentinel': {
    readonly passwords: Readonly<Record<'billing' | 'sentinel' | 'admin', string>>;
    /** Of redis-1, the primary, and of its replica. */
    readonly ports: readonly number[];
    readonly sentinelPorts: readonly number[];
  };
  'redis-cluster': {
    readonly passwords: Readonly<Record<'billing' | 'admin', string>>;
    /** Of redis-1 to redis-3, the primaries, and redis-4 to redis-6, their replicas. */
    readonly ports: readonly number[];
  };
  'kafka-cluster': {
    /** Of kafka-1 to kafka-3. */
    readonly ports: readonly number[];
  };
}

export type EngineSetOf<Name extends keyof Sets> = Sets[Name] & {
  readonly files: SetFiles;
  /** `kill -9`. */
  kill(node: string): Promise<void>;
  /** SIGSTOP, and SIGCONT. */
  freeze(node: string): Promise<void>;
  resume(node: string): Promise<void>;
  /** Resolves when the node answers again, on the same port. */
  start(node: string): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts engines that are secured or have several nodes, by `tools/engine-set.mjs`.
 * @param host address of this machine that clients use, for `redis-sentinel` and `kafka-cluster`
 */
export async function startEngineSet<Name extends keyof Sets>(
  name: Name,
  host = '127.0.0.1',
): Promise<EngineSetOf<Name>> {
  const dir = mkdtempSync(join(tmpdir(), `${name}-`));
  const run = (...args: string[]) =>
    runFile(process.execPath, [SCRIPT, ...args, '--dir', dir], { timeout: UP_TIMEOUT_MS });
  const stop = async () => {
    await run('down');
  };
  try {
    const { stdout } = await run('up', name, '--host', host);
    const set = JSON.parse(stdout) as Sets[Name] & { files: SetFiles };
    return {
      ...set,
      kill: async (node) => void (await run('kill', node)),
      freeze: async (node) => void (await run('freeze', node)),
      resume: async (node) => void (await run('resume', node)),
      start: async (node) => void (await run('start', node)),
      stop,
    };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}

/** Settings of billing for a Redis of a set, but for its address. */
export const redisSettingsOf = ({ files }: { files: SetFiles }) => ({
  REDIS_URL: '',
  REDIS_CA_FILE: files.ca,
  REDIS_CERTIFICATE_FILE: files.client.certificate,
  REDIS_KEY_FILE: files.client.key,
});
