import { expect, test } from '@jest/globals';
import { isRedacted, redact, sign } from './signer';

test('a signature depends on the text and its kind', () => {
  expect(sign('thinking', 'a')).toBe(sign('thinking', 'a'));
  expect(new Set([sign('thinking', 'a'), sign('thinking', 'b'), sign('call', 'a')]).size).toBe(3);
});

test('redacted thinking is recognized, and nothing else', () => {
  const data = redact('a thought');
  expect(isRedacted(data)).toBe(true);
  for (const other of [
    '',
    data.slice(1),
    data.slice(0, -1),
    `${data}x`,
    redact('x').slice(0, 44) + data.slice(44),
  ]) {
    expect(isRedacted(other)).toBe(false);
  }
});
