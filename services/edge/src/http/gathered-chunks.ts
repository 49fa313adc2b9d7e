/** Number of consecutive chunks that are checked together. */
const RUN_CHUNKS = 256;
/** Average chunk size of such a run below which they are merged: each chunk has an overhead of some hundred bytes. */
const SMALL_BYTES = 1024;

/** Collects the chunks of a body, even single bytes, in about as much memory as the body takes. */
export class GatheredChunks {
  #chunks: Buffer[] = [];
  #runStart = 0;
  #runBytes = 0;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#runBytes += chunk.length;
    if (this.#chunks.length - this.#runStart < RUN_CHUNKS) return;
    if (this.#runBytes < RUN_CHUNKS * SMALL_BYTES) {
      this.#chunks.push(Buffer.concat(this.#chunks.splice(this.#runStart)));
    }
    this.#runStart = this.#chunks.length;
    this.#runBytes = 0;
  }

  whole(): Buffer {
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
  }

  drop(): void {
    this.#chunks = [];
  }
}
