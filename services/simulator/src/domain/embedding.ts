import { createHash } from 'node:crypto';
import type { Tokenizer } from './tokenizer';

/** What is embedded: a text, or its tokens. */
export type EmbeddingInput = string | readonly number[];

export const DEFAULT_DIMENSIONS = 1_536;
export const MAX_DIMENSIONS = 4_096;

/** Returns the vector of an input: of length 1, float32, the same for the same input and dimensions. */
export function vectorOf(input: EmbeddingInput, dimensions: number): Float32Array {
  const seed = createHash('sha256').update(JSON.stringify(input)).digest();
  let state = seed.readUInt32LE(0) || 1;
  const vector = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at++) {
    // Xorshift: its quality suffices, and it is fast.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    vector[at] = (state | 0) / 2 ** 31;
  }
  const norm = Math.hypot(...vector) || 1;
  return vector.map((value) => value / norm);
}

/** Returns the tokens that the provider charges: those of each text, without any frame. */
export function countInputs(inputs: readonly EmbeddingInput[], tokenizer: Tokenizer): number {
  return inputs.reduce(
    (sum, input) => sum + (typeof input === 'string' ? tokenizer.count(input) : input.length),
    0,
  );
}
