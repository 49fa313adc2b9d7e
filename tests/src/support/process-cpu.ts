import { readFileSync } from 'node:fs';

/** Linux's clock tick, a hundredth of a second. */
const TICK_MS = 10;

/** Returns the process's CPU time from Linux's /proc, which does not depend on other load. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
