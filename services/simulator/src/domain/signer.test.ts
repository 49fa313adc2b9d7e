import { expect, test } from '@jest/globals';
import { hide, isHidden, sign } from './signer';

test('a signature is of one text and one kind', () => {
  expect(sign('thinking', 'a')).toBe(sign('thinking', 'a'));
  expect(new Set([sign('thinking', 'a'), sign('thinking', 'b'), sign('call', 'a')]).size).toBe(3);
});

test('what is hidden is known again, and nothing else', () => {
  const data = hide('a thought');
  expect(isHidden(data)).toBe(true);
  for (const other of [
    '',
    data.slice(1),
    data.slice(0, -1),
    `${data}x`,
    hide('x').slice(0, 44) + data.slice(44),
  ]) {
    expect(isHidden(other)).toBe(false);
  }
});
