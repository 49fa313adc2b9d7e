import { readFileSync } from 'node:fs';

/** What the process holds for itself, its part of what is shared included. */
export function pssBytes(pid: number): number {
  const kib = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  if (kib === undefined) throw new Error(`no memory figures of ${pid}`);
  return Number(kib) * 1_024;
}
