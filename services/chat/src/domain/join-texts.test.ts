import { expect, test } from '@jest/globals';
import { joinTexts } from './join-texts';

test.each([
  [['a', 'b'], 'a|b'],
  [['a\n', 'b', ' c'], 'a\nb c'],
  [['One.', '\n\n', 'Two', ' ', 'three'], 'One.\n\nTwo three'],
  [['', 'a', '', 'b', ''], 'a|b'],
  [['\n'], '\n'],
  [[], ''],
])('joins %j to %j', (texts, joined) => expect(joinTexts(texts, '|')).toBe(joined));
