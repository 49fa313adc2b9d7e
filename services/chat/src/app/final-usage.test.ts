import { expect, test } from '@jest/globals';

import { type Sent, tierOf } from './final-usage';

test('a translated call that names no tier is charged at the standard one, because it could not ask for another', () => {
  const sent = (wire: string) => ({ request: { wire: 'openai' }, provider: { wire } }) as unknown as Sent;
  expect(tierOf(sent('anthropic'))).toBe('default');
  expect(tierOf(sent('openai'))).toBeUndefined();
});
