import { parseEnv } from '@gateway/process';
import { describe, expect, test } from '@jest/globals';
import { parseSlots } from './cluster-slots';
import { parseNamedPrimary } from './redis-sentinel';
import { redisOptions, redisSettings } from './redis-settings';

/** A file that exists. */
const FILE = __filename;
const read = (env: NodeJS.ProcessEnv) => redisOptions(parseEnv(redisSettings, env));

test('without a target there is no Redis', () => {
  expect(read({ REDIS_PASSWORD: 'x' })).toBeUndefined();
});

test('a URL names one server, its login and its database', () => {
  expect(read({ REDIS_URL: 'rediss://billing:p%40ss@redis.example:6380/2', REDIS_CA_FILE: FILE })).toEqual({
    target: { kind: 'server', address: { host: 'redis.example', port: 6380 }, database: 2 },
    credentials: { username: 'billing', password: 'p@ss' },
    tls: { ca: FILE },
  });
  expect(read({ REDIS_URL: 'redis://:secret@[::1]' })).toEqual({
    target: { kind: 'server', address: { host: '::1', port: 6379 }, database: 0 },
    credentials: { password: 'secret' },
  });
});

test('Sentinels and the servers that they name have their own logins', () => {
  const env = {
    ...{ REDIS_SENTINELS: 's1:26380,s2', REDIS_SENTINEL_MASTER: 'rates', REDIS_TLS: 'on' },
    ...{ REDIS_USERNAME: 'billing', REDIS_PASSWORD_FILE: FILE, REDIS_SENTINEL_PASSWORD: 'other' },
  };
  expect(read(env)).toMatchObject({
    target: {
      kind: 'sentinel',
      sentinels: [
        { host: 's1', port: 26380 },
        { host: 's2', port: 26379 },
      ],
      master: 'rates',
      credentials: { password: 'other' },
    },
    credentials: { username: 'billing', passwordFile: FILE },
    tls: {},
  });
});

test('a cluster is named by some of its nodes', () => {
  expect(read({ REDIS_CLUSTER: 'a:7001,[::1]:7002' })?.target).toEqual({
    kind: 'cluster',
    nodes: [
      { host: 'a', port: 7001 },
      { host: '::1', port: 7002 },
    ],
  });
});

describe('refuses to start with', () => {
  test.each<[string, NodeJS.ProcessEnv, RegExp]>([
    ['two targets', { REDIS_URL: 'redis://a', REDIS_CLUSTER: 'b:1' }, /REDIS_URL, REDIS_CLUSTER: only one/],
    ['a URL of another protocol', { REDIS_URL: 'http://a' }, /REDIS_URL: /],
    ['a database that is no number', { REDIS_URL: 'redis://a/rates' }, /REDIS_URL: the path/],
    ['two logins', { REDIS_URL: 'redis://:a@b', REDIS_PASSWORD: 'c' }, /REDIS_URL: contains a login/],
    [
      'two passwords',
      { REDIS_CLUSTER: 'a:1', REDIS_PASSWORD: 'c', REDIS_PASSWORD_FILE: FILE },
      /only one of them/,
    ],
    ['a certificate without TLS', { REDIS_URL: 'redis://a', REDIS_CA_FILE: FILE }, /must be rediss/],
    [
      'a certificate without TLS in a cluster',
      { REDIS_CLUSTER: 'a:1', REDIS_CA_FILE: FILE },
      /REDIS_TLS: must be on/,
    ],
    ['a certificate without its key', { REDIS_URL: 'rediss://a', REDIS_KEY_FILE: FILE }, /both or neither/],
    [
      'a file that can’t be read',
      { REDIS_URL: 'rediss://a', REDIS_CA_FILE: '/no/file' },
      /REDIS_CA_FILE: the file/,
    ],
  ])('%s', (_, env, message) => {
    expect(() => read(env)).toThrow(message);
  });
});

test('the reply of CLUSTER SLOTS names the primary of each range', () => {
  const reply = [
    [0, 5460, ['10.0.0.1', 7001, 'id', []], ['10.0.0.2', 7002, 'id', []]],
    [5461, 16383, ['', 7003, 'id', []]],
  ];
  expect(parseSlots(reply, 'asked')).toEqual([
    { from: 0, to: 5460, primary: { host: '10.0.0.1', port: 7001 } },
    { from: 5461, to: 16383, primary: { host: 'asked', port: 7003 } },
  ]);
  expect(() => parseSlots([[0, 16384, ['a', 1]]], 'asked')).toThrow('not a range');
  expect(() => parseSlots('OK', 'asked')).toThrow('not a list');
});

test('the reply of SENTINEL MASTER names the primary and the failover that made it', () => {
  const reply = ['name', 'rates', 'ip', '10.0.0.1', 'port', '6380', 'flags', 'master', 'config-epoch', '3'];
  expect(parseNamedPrimary(reply)).toEqual({ address: { host: '10.0.0.1', port: 6380 }, epoch: 3 });
  expect(() => parseNamedPrimary(['name', 'rates'])).toThrow('names no primary');
});
