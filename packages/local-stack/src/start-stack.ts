import { mkdirSync, realpathSync } from 'node:fs';
import { lockDirectory } from './engines/directory-lock';
import { RunningStack } from './running-stack';
import type { Stack, StackOptions } from './stack-contract';

/** Starts engines and services, each service in a separate process. A failed start leaves nothing running. */
export async function startStack(options: StackOptions): Promise<Stack> {
  // PostgreSQL started by root runs as another user, who must be able to traverse it. Secret files have their own modes.
  mkdirSync(options.dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  const dataDir = realpathSync(options.dataDir);
  const release = lockDirectory(dataDir);
  try {
    const stack = new RunningStack({ ...options, dataDir }, release);
    await stack.start();
    return stack;
  } catch (error) {
    release();
    throw error;
  }
}
