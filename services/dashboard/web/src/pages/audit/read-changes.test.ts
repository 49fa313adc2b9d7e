import { expect, test } from '@jest/globals';
import { readChanges } from './read-changes';

test('lists fields by name with values in words', () => {
  const changes = {
    name: 'CI',
    daily_limit: 2.5,
    monthly_limit: null,
    rpm_limit: 1000,
    allowed_models: ['sim/chat', 'sim/image'],
    suspended: false,
    pricing: { tokens: { input: 1 } },
  };
  expect(readChanges(changes)).toEqual([
    { name: 'Name', value: 'CI' },
    { name: 'Daily limit', value: '$2.50' },
    { name: 'Monthly limit', value: 'none' },
    { name: 'Requests per minute', value: '1,000' },
    { name: 'Allowed models', value: 'sim/chat, sim/image' },
    { name: 'Suspended', value: 'no' },
    { name: 'Pricing', value: '{"tokens":{"input":1}}' },
  ]);
});

test('cuts long values, and lists no fields for a call without a body', () => {
  expect(readChanges({ name: 'x'.repeat(200) })[0]!.value).toHaveLength(121);
  expect(readChanges(null)).toEqual([]);
  expect(readChanges('text')).toEqual([]);
});
