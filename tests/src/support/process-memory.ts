import { readFileSync } from 'node:fs';

/** Returns the process's proportional set size: its private memory and its part of shared memory. */
export function pssBytes(pid: number): number {
  const kib = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  if (kib === undefined) throw new Error(`no memory figures of ${pid}`);
  return Number(kib) * 1_024;
}
