import { readFileSync } from 'node:fs';

/** Its own memory and its share of what it has in common with others; 0 when it is gone. */
export function proportionalSetBytes(pid: number): number {
  return readKilobytes(`/proc/${pid}/smaps_rollup`, 'Pss');
}

/** The most that it ever had resident; 0 when it is gone. */
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
