import { expect, test } from '@jest/globals';
import type { TargetHealth } from '../../../api/admin-providers';
import { isIdle, isUnhealthy } from './target-state';

const target = (more: Partial<TargetHealth>): TargetHealth => ({
  upstream_model: 'x',
  service: 'chat',
  models: ['a/x'],
  circuit: 'closed',
  circuits: {},
  calls: 0,
  errors: 0,
  latency: null,
  last_failure: null,
  ...more,
});

test.each([
  ['some of its calls succeed', target({ calls: 3, errors: 2 }), 'credentials', false],
  ['every call fails', target({ calls: 3, errors: 3 }), 'credentials', true],
  ['its circuit is open', target({ circuit: 'open' }), 'simulator', true],
  ['no service has credentials for it, and a model uses it', target({ circuit: null }), 'nobody', true],
  [
    'no service has credentials for it, and no model uses it',
    target({ circuit: null, models: [] }),
    'nobody',
    false,
  ],
  ['the service that serves it is unreachable', target({ circuit: null }), null, false],
] as const)('state of a target when %s', (_what, health, servedBy, isExpectedUnhealthy) => {
  expect(isUnhealthy(health, servedBy)).toBe(isExpectedUnhealthy);
  expect(isIdle(health, servedBy)).toBe(!isExpectedUnhealthy && health.calls === 0);
});
