import type { FileHandle } from 'node:fs/promises';
import { noteLargeBuffer } from '@gateway/link';
import { openNameless } from './open-nameless';

const READ_BYTES = 64 * 1024;

/** A temporary file: written once sequentially, then read any number of times. */
export class SpoolFile {
  readonly #handle: FileHandle;
  #bytes = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async create(directory: string): Promise<SpoolFile> {
    return new SpoolFile(await openNameless(directory));
  }

  get bytes(): number {
    return this.#bytes;
  }

  async append(bytes: Buffer): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      const { bytesWritten } = await this.#handle.write(bytes, written, bytes.length - written, this.#bytes);
      written += bytesWritten;
      this.#bytes += bytesWritten;
    }
  }

  /** Reads from the first byte to the current end. */
  async *read(): AsyncGenerator<Buffer> {
    const endsAt = this.#bytes;
    for (let at = 0; at < endsAt; ) {
      const piece = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, endsAt - at));
      const { bytesRead } = await this.#handle.read(piece, 0, piece.length, at);
      if (bytesRead === 0) throw new Error('a temporary file became shorter');
      at += bytesRead;
      noteLargeBuffer(bytesRead);
      yield piece.subarray(0, bytesRead);
    }
  }

  /** Frees its disk space; readers fail then. */
  close(): Promise<void> {
    return this.#handle.close();
  }
}
