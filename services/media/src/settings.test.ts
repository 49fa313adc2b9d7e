import { expect, test } from '@jest/globals';
import { readSettings } from './settings';

const REQUIRED = {
  CATALOG_ADDR: 'catalog:1',
  BILLING_ADDR: 'billing:1',
  DATABASE_URL: 'postgres://x',
  PUBLIC_API_URL: 'https://api.example.com',
  SERVICE_SECRET: 'x'.repeat(64),
};

test.each([
  ['as long as an image may take', {}, 125_000],
  ['whatever that is', { IMAGE_TIMEOUT_MS: '300000' }, 305_000],
  ['or as long as it is told to', { DRAIN_TIMEOUT_MS: '7000' }, 7_000],
])('a process that stops waits %s', (_what, env, drainMs) => {
  expect(readSettings({ ...REQUIRED, ...env }).DRAIN_TIMEOUT_MS).toBe(drainMs);
});

test.each(['IMAGE_TIMEOUT_MS', 'IMAGE_GRACE_MS', 'VIDEO_POLL_INTERVAL_MS', 'DRAIN_TIMEOUT_MS'])(
  'a %s that no timer can hold is refused',
  (name) => {
    expect(() => readSettings({ ...REQUIRED, [name]: '2592000000' })).toThrow(name);
  },
);

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/v1/', 'https://api.example.com'],
  ['connection', undefined],
])('PUBLIC_API_URL may be %s', (value, origin) => {
  expect(readSettings({ ...REQUIRED, PUBLIC_API_URL: value }).PUBLIC_API_URL).toBe(origin);
});

test.each(['', 'api.example.com', 'ftp://api.example.com'])('a PUBLIC_API_URL of %p is refused', (value) => {
  expect(() => readSettings({ ...REQUIRED, PUBLIC_API_URL: value })).toThrow('PUBLIC_API_URL');
});
