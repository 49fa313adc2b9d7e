import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { KEY_ID_BYTES, type KeyEncryptionKeys } from './key-encryption-keys';

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const DATA_KEY_BYTES = 32;
const WRAPPED_KEY_BYTES = IV_BYTES + DATA_KEY_BYTES + TAG_BYTES;
const HEADER_BYTES = 1 + KEY_ID_BYTES + WRAPPED_KEY_BYTES;

/** The secret can't be decrypted: an unknown key, another context, or damaged bytes. Never contains the secret. */
export class UnsealError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnsealError';
  }
}

/**
 * Encrypts a secret with a random data key (AES-256-GCM), and the data key with the first key-encryption key.
 * Layout: version, id of the key-encryption key, encrypted data key, encrypted secret; each encrypted part is the initialization
 * vector, the ciphertext and the tag.
 * @param context what the secret belongs to, for example the credential's id; required to decrypt it, so that a sealed secret
 *   can't be copied to another place
 */
export function sealSecret(keys: KeyEncryptionKeys, secret: string, context: string): Buffer {
  return sealBytes(keys, Buffer.from(secret, 'utf8'), context);
}

/** As `sealSecret`, for other content. */
export function sealBytes(keys: KeyEncryptionKeys, content: Buffer, context: string): Buffer {
  const dataKey = randomBytes(DATA_KEY_BYTES);
  const sealed = encrypt(createSecretKey(dataKey), content, context);
  return Buffer.concat([wrapDataKey(keys, dataKey, context), sealed]);
}

/** @throws UnsealError */
export function openSecret(keys: KeyEncryptionKeys, sealed: Buffer, context: string): string {
  return openBytes(keys, sealed, context).toString('utf8');
}

/** @throws UnsealError */
export function openBytes(keys: KeyEncryptionKeys, sealed: Buffer, context: string): Buffer {
  const dataKey = createSecretKey(unwrapDataKey(keys, sealed, context));
  return decrypt(dataKey, sealed.subarray(HEADER_BYTES), context);
}

/**
 * Returns the sealed secret with its data key encrypted by the first key-encryption key; undefined if it is already.
 * @throws UnsealError
 */
export function resealSecret(keys: KeyEncryptionKeys, sealed: Buffer, context: string): Buffer | undefined {
  if (keyIdOf(sealed).equals(keys[0].id)) return undefined;
  const dataKey = unwrapDataKey(keys, sealed, context);
  return Buffer.concat([wrapDataKey(keys, dataKey, context), sealed.subarray(HEADER_BYTES)]);
}

function wrapDataKey([first]: KeyEncryptionKeys, dataKey: Buffer, context: string): Buffer {
  return Buffer.concat([Buffer.of(VERSION), first.id, encrypt(first.key, dataKey, context)]);
}

function unwrapDataKey(keys: KeyEncryptionKeys, sealed: Buffer, context: string): Buffer {
  const id = keyIdOf(sealed);
  const wrapping = keys.find((key) => key.id.equals(id));
  if (!wrapping) throw new UnsealError(`no key-encryption key with id ${id.toString('hex')}`);
  return decrypt(wrapping.key, sealed.subarray(1 + KEY_ID_BYTES, HEADER_BYTES), context);
}

function keyIdOf(sealed: Buffer): Buffer {
  if (sealed[0] !== VERSION || sealed.length < HEADER_BYTES + IV_BYTES + TAG_BYTES) {
    throw new UnsealError('not a sealed secret of this version');
  }
  return sealed.subarray(1, 1 + KEY_ID_BYTES);
}

function encrypt(key: KeyObject, plaintext: Buffer, context: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(context, 'utf8'));
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: KeyObject, encrypted: Buffer, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(encrypted.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new UnsealError('the secret is damaged or belongs to another context');
  }
}
