import { expect, test } from '@jest/globals';
import { keyState } from '../../api/key-state';
import type { ApiKey } from '../../api/keys';
import { NEW_KEY } from './key-form-values';
import { limitsAtAGlance } from './limits-at-a-glance';

const NOW = Date.UTC(2026, 10, 21);
const key = (more: Partial<ApiKey>): ApiKey => ({
  ...NEW_KEY,
  id: 'key_1',
  status: 'enabled',
  hint: 'abcd',
  revoked_at: null,
  revoke_reason: null,
  owner_limits: [],
  holder_ids: [],
  created_at: '2026-11-01T00:00:00.000Z',
  ...more,
});

test('a key expires at its time, and disabled takes precedence', () => {
  const past = new Date(NOW).toISOString();
  expect(keyState(key({}), NOW)).toBe('enabled');
  expect(keyState(key({ expires_at: new Date(NOW + 1).toISOString() }), NOW)).toBe('enabled');
  expect(keyState(key({ expires_at: past }), NOW)).toBe('expired');
  expect(keyState(key({ expires_at: past, status: 'disabled' }), NOW)).toBe('disabled');
  expect(keyState(key({ status: 'revoked' }), NOW)).toBe('revoked');
});

test('the summary lists the existing limits, including zero', () => {
  expect(limitsAtAGlance(NEW_KEY)).toEqual([]);
  expect(limitsAtAGlance({ ...NEW_KEY, daily_limit: 0, monthly_limit: 2.5, tpm_limit: 100_000 })).toEqual([
    '$0.00 per day',
    '$2.50 per month',
    '100K TPM',
  ]);
});
