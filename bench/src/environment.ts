import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';

export interface Environment {
  readonly at: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly node: string;
  readonly commit: string;
  /** Load average of the minute before. Above a few tenths, other programs were using the machine. */
  readonly loadBefore: number;
}

export function describeEnvironment(): Environment {
  const cores = cpus();
  return {
    at: new Date().toISOString(),
    cpu: cores[0]?.model ?? 'unknown',
    cores: cores.length,
    memoryBytes: totalmem(),
    node: process.version,
    commit: commit(),
    loadBefore: loadavg()[0] ?? 0,
  };
}

function commit(): string {
  try {
    const args = ['describe', '--always', '--dirty'];
    return execFileSync('git', args, { cwd: __dirname, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}
