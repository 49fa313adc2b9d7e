import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { EmbeddedRedis } from '../../engines/embedded-redis.cjs';

const SCRIPT = join(__dirname, '../../engines/redis-child.cjs');

export interface EmbeddedRedisProcess extends EmbeddedRedis {
  pid: number;
}

/**
 * Starts the embedded Redis in a separate process, which exits with this one. For tests that kill Redis, and because its Lua
 * engine can't be loaded in jest's sandbox.
 */
export async function startEmbeddedRedisProcess(): Promise<EmbeddedRedisProcess> {
  const child = fork(SCRIPT, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const first = await Promise.race([once(child, 'message'), exited.then(() => undefined)]);
  const { url } = (first?.[0] ?? {}) as { url?: string };
  if (url === undefined || child.pid === undefined) throw new Error('the embedded Redis did not start');
  child.unref();
  child.channel?.unref();
  const stop = async () => {
    child.ref();
    child.kill('SIGKILL');
    await exited;
  };
  return { url, pid: child.pid, stop };
}
