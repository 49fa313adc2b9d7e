import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '../child-environment';

const SCRIPT = join(REPOSITORY, 'tools/real-engines.mjs');
const COMMAND_TIMEOUT_MS = 90_000;
const runFile = promisify(execFile);

export type EngineName = 'postgres' | 'redis' | 'kafka';

/** Injects faults into the real engines that `real-engines.mjs up --dir` has started (`ENGINES_DIR`). */
export interface EngineControl {
  /** `kill -9`. */
  kill(name: EngineName): Promise<void>;
  /** Orderly shutdown. */
  stop(name: EngineName): Promise<void>;
  /** Uses the same port and data; resolves when it is ready. */
  start(name: EngineName): Promise<void>;
  pid(name: EngineName): number;
}

export function engineControl(dir: string): EngineControl {
  const run = async (command: string, name: EngineName) => {
    await runFile(process.execPath, [SCRIPT, command, name, '--dir', dir], { timeout: COMMAND_TIMEOUT_MS });
  };
  return {
    kill: (name) => run('kill', name),
    stop: (name) => run('stop', name),
    start: (name) => run('start', name),
    pid: (name) => (JSON.parse(readFileSync(join(dir, name, 'engine.json'), 'utf8')) as { pid: number }).pid,
  };
}
