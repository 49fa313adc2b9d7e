import { test } from '@jest/globals';
import fc from 'fast-check';
import { mutatedJson } from './mutate';

test('mutated JSON is still valid JSON', () => {
  fc.assert(
    fc.property(mutatedJson([[1, [2]], { list: [[]] }]), (text) => {
      JSON.parse(text);
    }),
    { numRuns: 2_000 },
  );
});
