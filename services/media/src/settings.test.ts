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
  ['the longest duration of an audio call by default', {}, 605_000],
  ['longer with a longer image timeout', { IMAGE_TIMEOUT_MS: '700000' }, 705_000],
  ['the setting if given', { DRAIN_TIMEOUT_MS: '7000' }, 7_000],
])('the drain timeout is %s', (_what, env, drainMs) => {
  expect(readSettings({ ...REQUIRED, ...env }).DRAIN_TIMEOUT_MS).toBe(drainMs);
});

test.each(['IMAGE_TIMEOUT_MS', 'IMAGE_GRACE_MS', 'VIDEO_POLL_INTERVAL_MS', 'DRAIN_TIMEOUT_MS'])(
  'a %s above the maximum of a timer is rejected',
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

test.each(['', 'api.example.com', 'ftp://api.example.com'])('the PUBLIC_API_URL %p is rejected', (value) => {
  expect(() => readSettings({ ...REQUIRED, PUBLIC_API_URL: value })).toThrow('PUBLIC_API_URL');
});
