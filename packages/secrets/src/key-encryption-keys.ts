import { createHash, createSecretKey, type KeyObject } from 'node:crypto';

const KEY_BYTES = 32;
export const KEY_ID_BYTES = 8;

export interface KeyEncryptionKey {
  /** The first bytes of the key's SHA-256: which key a secret needs, without revealing it. */
  readonly id: Buffer;
  readonly key: KeyObject;
}

/** The first key encrypts; all of them decrypt. */
export type KeyEncryptionKeys = readonly [KeyEncryptionKey, ...KeyEncryptionKey[]];

/**
 * Parses comma-separated AES-256 keys in base64.
 * @throws Error that names the position of an invalid key, never its value
 */
export function parseKeyEncryptionKeys(text: string): KeyEncryptionKeys {
  const keys = text.split(',').map((entry, index): KeyEncryptionKey => {
    const bytes = Buffer.from(entry.trim(), 'base64');
    if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== entry.trim()) {
      throw new Error(`entry ${index + 1} is not ${KEY_BYTES} bytes in base64`);
    }
    const id = createHash('sha256').update(bytes).digest().subarray(0, KEY_ID_BYTES);
    return { id, key: createSecretKey(bytes) };
  });
  const ids = new Set(keys.map(({ id }) => id.toString('hex')));
  if (ids.size < keys.length) throw new Error('the same key is given twice');
  return keys as [KeyEncryptionKey, ...KeyEncryptionKey[]];
}
