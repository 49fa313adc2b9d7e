import { mkdirSync, realpathSync } from 'node:fs';
import { claimHome } from './engines/home-claim';
import { RunningStack } from './running-stack';
import type { Stack, StackOptions } from './stack-contract';

/** Starts engines and services, each service in a process of its own. A failed start leaves nothing running. */
export async function startStack(options: StackOptions): Promise<Stack> {
  // Root's PostgreSQL runs as another user, who must be able to pass through; secret files have their own permissions.
  mkdirSync(options.dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  const dataDir = realpathSync(options.dataDir);
  const release = claimHome(dataDir);
  try {
    const stack = new RunningStack({ ...options, dataDir }, release);
    await stack.start();
    return stack;
  } catch (error) {
    release();
    throw error;
  }
}
