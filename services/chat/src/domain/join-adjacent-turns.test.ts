import { expect, test } from '@jest/globals';
import type { TextPart, Turn } from './conversation';
import { joinAdjacentTurns } from './join-adjacent-turns';

const say = (text: string): TextPart => ({ kind: 'text', text, cache: undefined });
const user = (...texts: string[]): Turn => ({ role: 'user', parts: texts.map(say) });
const assistant = (...texts: string[]): Turn => ({ role: 'assistant', parts: texts.map(say) });

test('adjacent turns of one role are joined, and the input is not modified', () => {
  const given = [
    user('a'),
    user('b', 'c'),
    user('d'),
    assistant('e'),
    user('f'),
    assistant(),
    assistant('g'),
  ];
  const before = structuredClone(given);
  expect(joinAdjacentTurns(given)).toEqual([
    user('a', 'b', 'c', 'd'),
    assistant('e'),
    user('f'),
    assistant('g'),
  ]);
  expect(given).toEqual(before);
});

test('a turn without adjacent turns of its role is not copied', () => {
  const alone = user('a');
  expect(joinAdjacentTurns([alone, assistant('b')])[0]).toBe(alone);
  expect(joinAdjacentTurns([])).toEqual([]);
});
