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
  ['calls go there', target({ calls: 3, errors: 2 }), 'credentials', false],
  ['every call fails', target({ calls: 3, errors: 3 }), 'credentials', true],
  ['its circuit is open', target({ circuit: 'open' }), 'simulator', true],
  ['nobody can call it, and a model has it', target({ circuit: null }), 'nobody', true],
  ['nobody can call it, and no model has it', target({ circuit: null, models: [] }), 'nobody', false],
  ['who could call it is away', target({ circuit: null }), null, false],
] as const)('%s', (_what, health, servedBy, isExpectedUnhealthy) => {
  expect(isUnhealthy(health, servedBy)).toBe(isExpectedUnhealthy);
  expect(isIdle(health, servedBy)).toBe(!isExpectedUnhealthy && health.calls === 0);
});
