import { readFileSync } from 'node:fs';

/** Returns the proportional set size: private memory plus a proportional part of shared memory. 0 if the process has exited. */
export function proportionalSetBytes(pid: number): number {
  return readKilobytes(`/proc/${pid}/smaps_rollup`, 'Pss');
}

/** Returns the peak resident set size; 0 if the process has exited. */
export function peakResidentBytes(pid: number): number {
  return readKilobytes(`/proc/${pid}/status`, 'VmHWM');
}

function readKilobytes(path: string, field: string): number {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return 0;
    throw error;
  }
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text);
  return Number(match?.[1] ?? 0) * 1024;
}
