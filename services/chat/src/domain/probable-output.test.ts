import { expect, test } from '@jest/globals';
import { probableOutput } from './probable-output';

test.each<[string, number, number, number, number]>([
  ['grows with the time', 2_000, 1, 4_000, 300],
  ['grows with the choices', 2_000, 3, 4_000, 900],
  ['never exceeds the maximum of the call', 60_000, 1, 4_000, 4_000],
  ['is nothing if the clock was set back', -5_000, 1, 4_000, 0],
])('the output of a reply that nobody received %s', (_, elapsedMs, choices, most, tokens) => {
  expect(probableOutput(elapsedMs, choices, most)).toBe(tokens);
});
