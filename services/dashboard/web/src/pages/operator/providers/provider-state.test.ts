import { expect, test } from '@jest/globals';
import type { CredentialHealth, Health, Provider, TargetHealth } from '../../../api/admin-providers';
import {
  credentialState,
  isUnhealthyProvider,
  isUsedProvider,
  providerState,
  totals,
} from './provider-state';

const MIDNIGHT = '2026-02-01T00:00:00.000Z';
const HEALTH: Health = {
  circuit: 'closed',
  circuits: {},
  calls: 0,
  errors: 0,
  latency: null,
  last_failure: null,
};
const target = (more: Partial<TargetHealth> = {}): TargetHealth => ({
  ...HEALTH,
  upstream_model: 'x',
  service: 'chat',
  models: ['a/x'],
  ...more,
});
const credential = (more: Partial<CredentialHealth> = {}): CredentialHealth => ({
  ...HEALTH,
  id: 'c',
  name: 'main',
  hint: '…cdef',
  weight: 1,
  enabled: true,
  rpm_limit: null,
  tpm_limit: null,
  concurrency_limit: null,
  daily_cost_limit: null,
  cost_today: 0,
  limited_until: null,
  cooling_until: null,
  rate_limits: null,
  created_at: null,
  ...more,
});
const provider = (more: Partial<Provider> = {}): Provider => ({
  id: 'a',
  source: 'catalog',
  kind: 'openai',
  name: 'A',
  base_url: null,
  headers: {},
  options: {},
  enabled: true,
  created_at: null,
  credentials: [credential()],
  served_by: 'credentials',
  targets: [target()],
  ...more,
});

test.each([
  ['nothing called it', provider(), 'No recent requests', false],
  ['its calls succeed', provider({ targets: [target({ calls: 3 })] }), 'Healthy', false],
  ['it is disabled', provider({ enabled: false }), 'Disabled', false],
  ['it has no credential', provider({ credentials: [] }), 'No usable credential', true],
  [
    'its credentials are disabled',
    provider({ credentials: [credential({ enabled: false })] }),
    'No usable credential',
    true,
  ],
  [
    'a credential is rejected and a target is rate limited',
    provider({
      credentials: [credential(), credential({ circuit: 'open' })],
      targets: [target({ circuit: 'cooling' })],
    }),
    'Credential rejected',
    true,
  ],
  [
    'a disabled credential was rejected',
    provider({ credentials: [credential(), credential({ circuit: 'open', enabled: false })] }),
    'No recent requests',
    false,
  ],
  [
    'a credential has reached its daily cost limit',
    provider({ credentials: [credential(), credential({ limited_until: MIDNIGHT })] }),
    'Daily cost limit reached',
    false,
  ],
  [
    'every enabled credential has reached its daily cost limit',
    provider({
      credentials: [credential({ enabled: false }), credential({ limited_until: MIDNIGHT })],
    }),
    'Daily cost limit reached',
    true,
  ],
  [
    'one credential is rejected and another one has reached its daily cost limit',
    provider({ credentials: [credential({ circuit: 'open' }), credential({ limited_until: MIDNIGHT })] }),
    'Credential rejected',
    true,
  ],
  ['a target is open', provider({ targets: [target(), target({ circuit: 'open' })] }), 'Failing', true],
  ['all its calls fail', provider({ targets: [target({ calls: 2, errors: 2 })] }), 'Failing', true],
  ['only models name it', provider({ source: null, served_by: 'nobody' }), 'Not configured', true],
  ['no instance answers', provider({ source: null, served_by: null }), 'Unknown', false],
])('state of a provider when %s', (_when, one, label, isUnhealthy) => {
  expect(providerState(one).label).toBe(label);
  expect(isUnhealthyProvider(one)).toBe(isUnhealthy);
});

test('the state of a provider says how many of its credentials or targets it concerns', () => {
  const { detail } = providerState(
    provider({ credentials: [credential(), credential({ circuit: 'suspect' })] }),
  );
  expect(detail).toBe('1 of 2 credentials');
});

test('a provider of the environment needs no credentials of the catalog', () => {
  expect(providerState(provider({ source: 'environment', credentials: [] })).label).toBe(
    'No recent requests',
  );
});

test('a provider is in use if one of its targets was called', () => {
  expect(isUsedProvider(provider())).toBe(false);
  expect(isUsedProvider(provider({ targets: [target(), target({ calls: 1 })] }))).toBe(true);
});

test('totals adds the calls and errors of all targets', () => {
  const targets = [target({ calls: 3, errors: 1 }), target({ calls: 2 })];
  expect(totals(provider({ targets }))).toEqual({ calls: 5, errors: 1 });
});

test.each([
  [credential({ enabled: false, circuit: 'open' }), 'Disabled'],
  [credential({ circuit: null }), 'Not used yet'],
  [credential({ circuit: 'open' }), 'Rejected'],
  [credential({ limited_until: MIDNIGHT }), 'Daily cost limit reached'],
  [credential({ limited_until: MIDNIGHT, enabled: false }), 'Disabled'],
])('describes credential %#', (one, label) => {
  expect(credentialState(one).label).toBe(label);
});
