import { readdirSync, readFileSync } from 'node:fs';

/** Returns the CPU time of each running thread of a process in nanoseconds; none if the process has exited. */
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

/** Returns undefined for a thread that has just ended, and on kernels without schedstat. */
function readTimeNs(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, 'latin1'), 10);
  } catch {
    return undefined;
  }
}
