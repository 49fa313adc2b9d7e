import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'sk-gw-';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 32 characters of 62 are 190 random bits. */
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/**
 * Creates a key value: `sk-gw-`, a random secret, and a checksum, by which a mistyped value is refused without a query and a
 * leaked one is recognized in text.
 */
export function createKeyValue(random: (bytes: number) => Buffer = randomBytes): string {
  let secret = '';
  while (secret.length < SECRET_LENGTH) {
    for (const byte of random(SECRET_LENGTH * 2)) {
      // Bytes above the last multiple of 62 would make some characters more likely than others.
      if (byte < 248 && secret.length < SECRET_LENGTH) secret += ALPHABET[byte % 62];
    }
  }
  return `${PREFIX}${secret}${checksum(secret)}`;
}

export function isWellFormedKeyValue(value: string): boolean {
  const match = SHAPE.exec(value);
  return match !== null && checksum(match[1]!) === match[2];
}

/** Returns the MAC that is stored in place of a value and by which it is found. */
export function keyValueMac(value: string, pepper: string): Buffer {
  return createHmac('sha256', pepper).update(value).digest();
}

/** A value that is shown once, and what is stored of it. */
export function newKeyValue(pepper: string): { value: string; mac: Buffer; hint: string } {
  const value = createKeyValue();
  return { value, mac: keyValueMac(value, pepper), hint: keyValueHint(value) };
}

/** Returns the part of a value that may be shown, to tell keys apart. */
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
