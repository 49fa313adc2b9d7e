import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseKeyEncryptionKeys, parseSecretReference, sealSecret } from '@gateway/secrets';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { resolveSecret, type SecretSources } from './resolve-secret';

const KEYS = parseKeyEncryptionKeys(randomBytes(32).toString('base64'));
let directory: string;
let sources: SecretSources;

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'gateway-credentials-'));
  writeFileSync(path.join(directory, 'vllm-key'), 'sk-file\n');
  writeFileSync(path.join(directory, 'empty'), '\n');
  sources = { keys: KEYS, env: { CREDENTIAL_VLLM: 'sk-env', SERVICE_SECRET: 'not for this' }, directory };
});
afterAll(() => rmSync(directory, { recursive: true }));

const resolve = (stored: { sealed?: Buffer; reference?: string }, more: Partial<SecretSources> = {}) =>
  resolveSecret({ ...sources, ...more }, stored, 'credential-1');

test('an encrypted secret is decrypted in the context of its credential', () => {
  expect(resolve({ sealed: sealSecret(KEYS, 'sk-sealed', 'credential-1') })).toBe('sk-sealed');
  expect(() => resolve({ sealed: sealSecret(KEYS, 'sk-sealed', 'credential-2') })).toThrow(/another context/);
});

test('a reference reads its variable or its file, without surrounding white space', () => {
  expect(resolve({ reference: 'env:CREDENTIAL_VLLM' })).toBe('sk-env');
  expect(resolve({ reference: 'file:vllm-key' })).toBe('sk-file');
});

test.each(['env:SERVICE_SECRET', 'env:PATH', 'file:../secrets.json', 'file:/etc/passwd', 'file:..', 'x', ''])(
  'the reference "%s" can read nothing',
  (reference) => {
    expect(parseSecretReference(reference)).toBeUndefined();
    expect(() => resolve({ reference })).toThrow(/neither a secret nor a valid reference/);
  },
);

test.each([
  ['env:CREDENTIAL_OTHER', {}, 'the variable CREDENTIAL_OTHER is not set'],
  ['file:missing', {}, "the file missing in CREDENTIALS_DIR can't be used: ENOENT"],
  ['file:empty', {}, "the file empty in CREDENTIALS_DIR can't be used: is empty"],
  ['file:vllm-key', { directory: undefined }, 'CREDENTIALS_DIR is not set'],
])('the reference %s fails with what is missing', (reference, more, message) => {
  expect(() => resolve({ reference }, more)).toThrow(message);
});

test('an encrypted secret fails without CREDENTIALS_KEY', () => {
  const sealed = sealSecret(KEYS, 'sk-sealed', 'credential-1');
  expect(() => resolve({ sealed }, { keys: undefined })).toThrow('CREDENTIALS_KEY is not set');
});
