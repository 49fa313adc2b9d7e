import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'sk-gw-';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 32 characters of 62 are 190 random bits. */
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/**
 * A new key value: `sk-gw-`, a random secret, and a checksum by which a mistyped value is refused without
 * a look at the database and a leaked one is recognised in text.
 */
export function mintKeyValue(random: (bytes: number) => Buffer = randomBytes): string {
  let secret = '';
  while (secret.length < SECRET_LENGTH) {
    for (const byte of random(SECRET_LENGTH * 2)) {
      // Bytes past the last whole multiple of 62 would make some characters likelier than others.
      if (byte < 248 && secret.length < SECRET_LENGTH) secret += ALPHABET[byte % 62];
    }
  }
  return `${PREFIX}${secret}${checksum(secret)}`;
}

export function isWellFormedKeyValue(value: string): boolean {
  const match = SHAPE.exec(value);
  return match !== null && checksum(match[1]!) === match[2];
}

/** What is stored in place of a value, and what it is found by. */
export function keyValueMac(value: string, pepper: string): Buffer {
  return createHmac('sha256', pepper).update(value).digest();
}

/** A value to be shown once, and what is kept of it. */
export function newKeyValue(pepper: string): { value: string; mac: Buffer; hint: string } {
  const value = mintKeyValue();
  return { value, mac: keyValueMac(value, pepper), hint: keyValueHint(value) };
}

/** The part of a value that may be shown, to tell keys apart. */
export const keyValueHint = (value: string): string => value.slice(-4);

function checksum(secret: string): string {
  let rest = crc32(PREFIX + secret);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
