/** So many in a row are looked at together. */
const RUN_CHUNKS = 256;
/** On the average of a run: each chunk takes some hundred bytes beside its own. */
const SMALL_BYTES = 1024;

/** The chunks of a body as they come, also byte by byte, in about as much memory as its bytes take. */
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
