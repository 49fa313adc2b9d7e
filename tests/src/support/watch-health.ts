import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { System } from './system';

/** Log lines of an uncaught error and of a process's exit. */
const ESCAPED = /unhandled|uncaught|"level":"fatal"|MaxListenersExceeded|heap out of memory/i;

/** Records the running processes; the returned check throws if one was replaced or had an uncaught error. */
export function watchHealth({ stack }: System): () => void {
  const before = JSON.stringify(stack.processes());
  return () => {
    const after = JSON.stringify(stack.processes());
    if (after !== before) throw new Error(`processes were ${before}, are ${after}`);
    for (const file of readdirSync(stack.logDir)) {
      const lines = readFileSync(join(stack.logDir, file), 'utf8').split('\n');
      const escaped = lines.find((line) => ESCAPED.test(line));
      if (escaped) throw new Error(`${file}: ${escaped}`);
    }
  };
}
