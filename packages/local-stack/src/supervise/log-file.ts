import { closeSync, copyFileSync, openSync, readSync, renameSync, statSync, truncateSync } from 'node:fs';

const LIMIT_BYTES = 32 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Starts a new log and keeps the log of the previous start as `.1`. */
export function rotateLog(path: string): void {
  if (sizeOf(path) > 0) renameSync(path, `${path}.1`);
}

/** Opens the log for appending, so that it can be truncated while a process writes to it. */
export function openLog(path: string): number {
  return openSync(path, 'a', 0o600);
}

/** Moves the content of a log above the limit to `.1`. Copies and truncates, because a process keeps its file open. */
export function limitLog(path: string): void {
  if (sizeOf(path) <= LIMIT_BYTES) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
}

export function lastLines(path: string, count: number): string {
  const size = sizeOf(path);
  if (size === 0) return '';
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString().trimEnd().split('\n').slice(-count).join('\n');
  } finally {
    closeSync(file);
  }
}
