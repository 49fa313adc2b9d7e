import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from '@gateway/process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { kafkaConnection, kafkaSettings } from './kafka-settings';

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kafka-settings-'));
  file = join(folder, 'file.pem');
  writeFileSync(file, 'content\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const BROKERS = { KAFKA_BROKERS: 'a:9092, b:9092' };
const read = (env: NodeJS.ProcessEnv) => kafkaConnection(parseEnv(kafkaSettings, env));

test('without brokers there is no connection', () => {
  expect(read({ KAFKA_TLS: 'on' })).toBeUndefined();
});

test('without other settings the connection is not encrypted and has no login', () => {
  expect(read(BROKERS)).toEqual({ brokers: ['a:9092', 'b:9092'], topicPrefix: '' });
});

test('TLS, a client certificate and a login are read from their settings', () => {
  const env = {
    ...BROKERS,
    ...{ KAFKA_TLS: 'on', KAFKA_CA_FILE: file, KAFKA_CERTIFICATE_FILE: file, KAFKA_KEY_FILE: file },
    ...{ KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_USERNAME: 'chat', KAFKA_PASSWORD_FILE: file },
  };
  expect(read(env)).toMatchObject({
    tls: { ca: file, certificate: file, key: file },
    sasl: { mechanism: 'SCRAM-SHA-512', username: 'chat', passwordFile: file },
  });
});

describe('refuses to start with', () => {
  test.each<[string, NodeJS.ProcessEnv, RegExp]>([
    ['a mechanism that is not supported', { KAFKA_SASL_MECHANISM: 'GSSAPI' }, /KAFKA_SASL_MECHANISM: /],
    ['a login without a mechanism', { KAFKA_USERNAME: 'chat' }, /KAFKA_SASL_MECHANISM: required/],
    ['a mechanism without a username', { KAFKA_SASL_MECHANISM: 'PLAIN' }, /KAFKA_USERNAME: required/],
    [
      'a username without a password',
      { KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_USERNAME: 'chat' },
      /KAFKA_PASSWORD/,
    ],
    ['a certificate without TLS', { KAFKA_CA_FILE: '/etc/hostname' }, /KAFKA_TLS: must be on/],
    [
      'a certificate without its key',
      { KAFKA_TLS: 'on', KAFKA_CERTIFICATE_FILE: '/etc/hostname' },
      /both or neither/,
    ],
    [
      'a file that can’t be read',
      { KAFKA_TLS: 'on', KAFKA_CA_FILE: '/no/file' },
      /KAFKA_CA_FILE: the file can't be read/,
    ],
  ])('%s', (_, env, message) => {
    expect(() => read({ ...BROKERS, ...env })).toThrow(message);
  });
});

test('an error about settings does not contain the password', () => {
  const env = { ...BROKERS, KAFKA_PASSWORD: 'a secret password' };
  expect(() => read(env)).toThrow(expect.not.stringContaining('a secret password') as never);
});
