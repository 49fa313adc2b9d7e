import { test } from '@jest/globals';
import fc from 'fast-check';
import { mutatedJson } from './mutate';

test('whatever is changed, JSON comes out', () => {
  fc.assert(
    fc.property(mutatedJson([[1, [2]], { list: [[]] }]), (text) => {
      JSON.parse(text);
    }),
    { numRuns: 2_000 },
  );
});
