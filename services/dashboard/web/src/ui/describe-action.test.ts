import { expect, test } from '@jest/globals';
import { describeAction } from './describe-action';

test('describes known actions in words, and unknown actions by their path', () => {
  expect(describeAction('keys/:id/rotate')).toBe('Key rotated');
  expect(describeAction('new/thing', { a: 1 })).toBe('new/thing');
});

test('describes a toggle by the requested state', () => {
  const suspend = 'admin/accounts/:id/suspend';
  expect(describeAction(suspend, { suspended: false })).toBe('Account resumed');
  expect(describeAction(suspend, { suspended: true })).toBe('Account suspended');
  expect(describeAction(suspend, null)).toBe('Account suspended');
  expect(describeAction('admin/models/*slug/status', { status: 'active' })).toBe('Model enabled');
  expect(describeAction('admin/models/*slug/status', { status: 'disabled' })).toBe('Model disabled');
});
