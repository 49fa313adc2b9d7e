import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface BareProxy {
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

const START_TIMEOUT_MS = 10_000;

export async function startBareProxy(targetOrigin: string): Promise<BareProxy> {
  const child = fork(join(__dirname, 'bare-proxy.js'), [targetOrigin], { execArgv: [] });
  const stop = () => {
    child.kill('SIGKILL');
  };
  try {
    const [{ port }] = await once(child, 'message', { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
    return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop };
  } catch (error) {
    stop();
    throw new Error('the bare proxy did not start', { cause: error });
  }
}
