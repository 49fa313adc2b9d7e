import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { GatewayError } from '@gateway/errors';

const CIPHER = 'aes-128-ecb';
const KEY_BYTES = 16;
const TAG_BYTES = 8;

/**
 * Encrypts row numbers for callers. Rows are numbered across all accounts, so their numbers would reveal the activity of
 * others. The result is one cipher block of the kind and the number: the same row always has the same result, and an invented
 * one is refused.
 */
export class SequenceMask {
  readonly #keys: readonly Buffer[];

  /** @param secrets the first encrypts, all decrypt; a new first secret changes the results, and nothing else */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', CIPHER, KEY_BYTES)));
  }

  /** @param of the kind of row */
  hide(of: string, number: string): string {
    const block = Buffer.alloc(TAG_BYTES + 8);
    tagOf(of).copy(block);
    block.writeBigInt64BE(BigInt(number), TAG_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keys[0]!, null).setAutoPadding(false);
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
  }

  /** Throws `invalid_request`. */
  reveal(of: string, word: string): string {
    const block = Buffer.from(word, 'base64url');
    if (block.length === TAG_BYTES + 8 && block.toString('base64url') === word) {
      for (const key of this.#keys) {
        const decipher = createDecipheriv(CIPHER, key, null).setAutoPadding(false);
        const open = Buffer.concat([decipher.update(block), decipher.final()]);
        if (tagOf(of).equals(open.subarray(0, TAG_BYTES))) return String(open.readBigInt64BE(TAG_BYTES));
      }
    }
    throw new GatewayError('invalid_request', { detail: 'cursor: invalid cursor' });
  }
}

const tagOf = (of: string): Buffer => createHash('sha256').update(of).digest().subarray(0, TAG_BYTES);
