import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { parseKeyEncryptionKeys } from './key-encryption-keys';
import { openSecret, resealSecret, sealSecret, UnsealError } from './sealed-secret';

const key = () => randomBytes(32).toString('base64');
const OLD = key();
const NEW = key();
const SECRET = 'sk-üpstream-123';

test('a sealed secret opens with its key and its context, and contains no part of the secret', () => {
  const keys = parseKeyEncryptionKeys(OLD);
  const sealed = sealSecret(keys, SECRET, 'credential-1');
  expect(openSecret(keys, sealed, 'credential-1')).toBe(SECRET);
  expect(sealed.includes('upstream')).toBe(false);
  expect(sealed.includes(Buffer.from(SECRET))).toBe(false);
});

test('sealing a secret twice gives different bytes', () => {
  const keys = parseKeyEncryptionKeys(OLD);
  expect(sealSecret(keys, SECRET, 'a').equals(sealSecret(keys, SECRET, 'a'))).toBe(false);
});

test('an empty secret can be sealed', () => {
  const keys = parseKeyEncryptionKeys(OLD);
  expect(openSecret(keys, sealSecret(keys, '', 'a'), 'a')).toBe('');
});

test('a sealed secret does not open in another context', () => {
  const keys = parseKeyEncryptionKeys(OLD);
  const sealed = sealSecret(keys, SECRET, 'credential-1');
  expect(() => openSecret(keys, sealed, 'credential-2')).toThrow(UnsealError);
});

test('a change of any byte is detected', () => {
  const keys = parseKeyEncryptionKeys(OLD);
  const sealed = sealSecret(keys, SECRET, 'a');
  for (let at = 0; at < sealed.length; at++) {
    const damaged = Buffer.from(sealed);
    damaged[at]! ^= 1;
    expect(() => openSecret(keys, damaged, 'a')).toThrow(UnsealError);
  }
  expect(() => openSecret(keys, sealed.subarray(0, -1), 'a')).toThrow(UnsealError);
  expect(() => openSecret(keys, Buffer.alloc(0), 'a')).toThrow(UnsealError);
});

test('after a rotation old secrets open, and resealing makes them independent of the old key', () => {
  const sealed = sealSecret(parseKeyEncryptionKeys(OLD), SECRET, 'a');
  const both = parseKeyEncryptionKeys(`${NEW},${OLD}`);
  expect(openSecret(both, sealed, 'a')).toBe(SECRET);
  const resealed = resealSecret(both, sealed, 'a')!;
  expect(openSecret(parseKeyEncryptionKeys(NEW), resealed, 'a')).toBe(SECRET);
  expect(resealSecret(both, resealed, 'a')).toBeUndefined();
});

test('without its key-encryption key a secret does not open, and the error names the key by its id', () => {
  const sealed = sealSecret(parseKeyEncryptionKeys(OLD), SECRET, 'a');
  expect(() => openSecret(parseKeyEncryptionKeys(NEW), sealed, 'a')).toThrow(
    /no key-encryption key with id [0-9a-f]{16}/,
  );
});

test.each([
  ['a key that is too short', Buffer.alloc(16).toString('base64'), 'entry 1 is not 32 bytes in base64'],
  ['text that is not base64', `${OLD},my secret passphrase`, 'entry 2 is not 32 bytes in base64'],
  ['an empty setting', '', 'entry 1 is not 32 bytes in base64'],
  ['the same key twice', `${OLD},${OLD}`, 'the same key is given twice'],
])('refuses %s without repeating its value', (_what, text, message) => {
  expect(() => parseKeyEncryptionKeys(text)).toThrow(message);
});
