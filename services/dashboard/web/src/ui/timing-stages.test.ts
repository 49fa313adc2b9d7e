import { expect, test } from '@jest/globals';
import { stagesOf, widthsOf } from './timing-stages';

const timings = { receive_ms: 1, admit_ms: 4, first_byte_ms: 15, reply_ms: 80, total_ms: 100 };

test('returns the timing stages of a call in order', () => {
  expect(stagesOf(timings).map(({ name, ms }) => [name, ms])).toEqual([
    ['Request received', 1],
    ['Authorization and reservation', 4],
    ['First byte', 15],
    ['Reply', 80],
  ]);
});

test('leaves out provider stages of a call that no provider answered', () => {
  const refused = stagesOf({ ...timings, first_byte_ms: null, reply_ms: null });
  expect(refused.map(({ name }) => name)).toEqual(['Request received', 'Authorization and reservation']);
});

test('widths fill the bar, and a short stage stays visible', () => {
  const widths = widthsOf([{ ms: 1 }, { ms: 0 }, { ms: 99_999 }]);
  expect(widths.reduce((sum, width) => sum + width)).toBeCloseTo(100);
  expect(widths[0]).toBeGreaterThan(0.9);
  expect(widths[1]).toBe(0);
  expect(widthsOf([{ ms: 0 }])).toEqual([0]);
});
