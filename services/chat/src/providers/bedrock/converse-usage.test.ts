import { expect, test } from '@jest/globals';
import { readConverseUsage } from './converse-usage';

const BASE = { inputTokens: 5, outputTokens: 3, totalTokens: 8 };
const READ = { input: 5, cache_read: 0, cache_write: 0, output: 3, reasoning: 0 };

test.each<[string, object, object]>([
  ['no cache figures', {}, {}],
  ['cache reads, which the input excludes', { cacheReadInputTokens: 9 }, { cache_read: 9 }],
  ['cache writes of an unknown lifetime', { cacheWriteInputTokens: 9 }, { cache_write: 9 }],
  [
    'cache writes by lifetime',
    {
      cacheWriteInputTokens: 9,
      cacheDetails: [
        { ttl: '1h', inputTokens: 4 },
        { ttl: '5m', inputTokens: 5 },
      ],
    },
    { cache_write: 5, cache_write_1h: 4 },
  ],
  [
    'more long writes than writes',
    { cacheWriteInputTokens: 9, cacheDetails: [{ ttl: '1h', inputTokens: 40 }] },
    { cache_write: 0, cache_write_1h: 9 },
  ],
  [
    'figures that are not credible',
    { cacheReadInputTokens: -1, cacheWriteInputTokens: 1.5, cacheDetails: [null, { ttl: '1h' }] },
    {},
  ],
])('reads usage with %s', (_what, more, expected) =>
  expect(readConverseUsage({ ...BASE, ...more })).toEqual({ ...READ, ...expected }),
);

test.each<[object, object]>([
  [{ inputTokens: 5 }, { input: 5, output: 0 }],
  [{ outputTokens: 3 }, { input: 0, output: 3 }],
  [
    { inputTokens: 5, cacheReadInputTokens: 2, cacheWriteInputTokens: 1, totalTokens: 11 },
    { input: 5, output: 3 },
  ],
  [
    { ...BASE, inputTokens: 1e9 },
    { input: 5, output: 3 },
  ],
])('a figure that is missing in %j follows from the total, else it is 0', (usage, expected) =>
  expect(readConverseUsage(usage)).toMatchObject(expected),
);

test.each([undefined, {}, { totalTokens: 8 }])('there is no usage in %j', (usage) =>
  expect(readConverseUsage(usage)).toBeUndefined(),
);
