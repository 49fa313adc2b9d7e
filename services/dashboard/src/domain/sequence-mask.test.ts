import { expect, test } from '@jest/globals';
import { SequenceMask } from './sequence-mask';

const mask = new SequenceMask(['a secret']);
const invalid = expect.objectContaining({ code: 'invalid_request' });

test('reveals a hidden number, hides it deterministically, and does not expose the order', () => {
  const words = ['0', '1', '2', '9223372036854775807'].map((number) => {
    const word = mask.hide('ledger', number);
    expect(mask.reveal('ledger', word)).toBe(number);
    expect(mask.hide('ledger', number)).toBe(word);
    expect(word).toMatch(/^[\w-]{22}$/);
    return word;
  });
  expect(new Set(words.map((word) => word.slice(0, 4))).size).toBe(4);
});

test('refuses a word that was hidden for another kind of row', () => {
  expect(mask.hide('ledger', '7')).not.toBe(mask.hide('keys', '7'));
  expect(() => mask.reveal('keys', mask.hide('ledger', '7'))).toThrow(invalid);
});

test.each([
  '',
  '7',
  'a word',
  'A'.repeat(22),
  `${mask.hide('keys', '7')}A`,
  mask.hide('keys', '7').slice(1),
  '\0',
])('refuses the word %j', (word) => {
  expect(() => mask.reveal('keys', word)).toThrow(invalid);
});

test('reveals words of the previous secret', () => {
  const word = mask.hide('keys', '7');
  expect(new SequenceMask(['a new one', 'a secret']).reveal('keys', word)).toBe('7');
  expect(() => new SequenceMask(['a new one']).reveal('keys', word)).toThrow(invalid);
});
