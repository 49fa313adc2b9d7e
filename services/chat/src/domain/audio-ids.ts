import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

const PURPOSE = 'ids of spoken replies';
const KEY_BYTES = 32;
/** Too many to be guessed, and half of what a longer id would have. */
const TAG_BYTES = 16;
const SEPARATOR = '.';
/** Providers' ids are much shorter. */
const MAX_ID_CHARS = 512;

/** The ids of spoken replies as the callers of one account see them. */
export interface AudioIds {
  /** Returns the id for the caller. @param id the provider's */
  seal(id: string): string;
  /** Returns the provider's id; undefined for an id that this account has not received. */
  open(id: string): string | undefined;
}

/**
 * Ties the ids of spoken replies to accounts: all callers share the provider's account, which returns to any of them what it
 * said to another.
 * @param secrets the first one signs, the others are still accepted
 */
export class AudioIdSealer {
  readonly #keys: readonly Buffer[];

  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, KEY_BYTES)));
  }

  of(accountId: string): AudioIds {
    const tagOf = (key: Buffer, id: string) =>
      createHmac('sha256', key)
        .update(JSON.stringify([accountId, id]))
        .digest()
        .subarray(0, TAG_BYTES);
    return {
      seal: (id) => `${id}${SEPARATOR}${tagOf(this.#keys[0]!, id).toString('base64url')}`,
      open: (text) => {
        const at = text.lastIndexOf(SEPARATOR);
        if (at < 1 || text.length > MAX_ID_CHARS) return undefined;
        const id = text.slice(0, at);
        const tag = Buffer.from(text.slice(at + 1), 'base64url');
        const isOwn = (key: Buffer) => tag.length === TAG_BYTES && timingSafeEqual(tag, tagOf(key, id));
        return this.#keys.some(isOwn) ? id : undefined;
      },
    };
  }
}
