import { readdirSync, readFileSync } from 'node:fs';

/** What each thread of a process has spent on a processor so far, to the nanosecond; none when it is gone. */
export function threadTimesNs(pid: number): [thread: string, ns: number][] {
  const dir = `/proc/${pid}/task`;
  try {
    return readdirSync(dir).flatMap((thread) => {
      const ns = readTimeNs(`${dir}/${thread}/schedstat`);
      return ns === undefined ? [] : [[thread, ns]];
    });
  } catch {
    return [];
  }
}

/** Undefined for a thread that has just ended, and on kernels that do not tell. */
function readTimeNs(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, 'latin1'), 10);
  } catch {
    return undefined;
  }
}
