import { expect, test } from '@jest/globals';
import { readSettings } from './settings';

const REQUIRED = {
  CATALOG_ADDR: 'catalog:1',
  BILLING_ADDR: 'billing:1',
  DATABASE_URL: 'postgres://x',
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
