import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const fdatasyncAsync = promisify(fdatasync);

/**
 * One file of the journal. It is filled with zeros when created, so that calls in flight can be recorded on a full disk and
 * a sync need not write the file's metadata.
 */
export class Segment {
  readonly number: number;
  readonly #fd: number;
  readonly #maxBytes: number;
  #bytes = 0;

  private constructor(directory: string, number: number, maxBytes: number) {
    this.number = number;
    this.#maxBytes = maxBytes;
    this.#fd = openSync(segmentPath(directory, number), 'wx', 0o600);
  }

  static create(directory: string, number: number, maxBytes: number): Segment {
    const segment = new Segment(directory, number, maxBytes);
    const zeros = Buffer.alloc(Math.min(maxBytes, 1024 * 1024));
    for (let at = 0; at < maxBytes; at += zeros.length) {
      writeSync(segment.#fd, zeros, 0, Math.min(zeros.length, maxBytes - at), at);
    }
    fsyncSync(segment.#fd);
    syncDirectory(directory);
    return segment;
  }

  hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= this.#maxBytes;
  }

  /** Writes to the page cache: survives this process, not the machine. */
  append(bytes: Buffer): void {
    let written = 0;
    while (written < bytes.length) {
      written += writeSync(this.#fd, bytes, written, bytes.length - written, this.#bytes + written);
    }
    this.#bytes += bytes.length;
  }

  sync(): Promise<void> {
    return fdatasyncAsync(this.#fd);
  }

  syncNow(): void {
    fdatasyncSync(this.#fd);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

export function removeSegment(directory: string, number: number): void {
  rmSync(segmentPath(directory, number), { force: true });
}

export function segmentPath(directory: string, number: number): string {
  return path.join(directory, `${String(number).padStart(10, '0')}.journal`);
}

/** Returns the number of a segment file, or undefined for another file. */
export function segmentNumber(name: string): number | undefined {
  const match = /^(\d{10})\.journal$/.exec(name);
  return match ? Number(match[1]) : undefined;
}

/** Returns the complete lines of a segment; zeros are unused space. */
export function readSegmentLines(directory: string, number: number): string[] {
  const bytes = readFileSync(segmentPath(directory, number));
  const end = bytes.indexOf(0);
  const text = bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
  return text.split('\n').filter((line) => line.length > 0);
}

export function syncDirectory(directory: string): void {
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
