import { expect, test } from '@jest/globals';
import { sameOriginPath } from './same-origin-path';

const ORIGIN = 'https://dashboard.example';

test.each(['/', '/keys/key_1', '/requests?model=openai%2Fgpt-5.5&status=failed'])(
  'follows the path %p',
  (next) => {
    expect(sameOriginPath(next, ORIGIN)).toBe(next);
  },
);

test.each([
  null,
  '',
  'keys',
  'https://evil.example/',
  'javascript:alert(1)',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/a/..//evil.example',
  '/.//evil.example',
])('does not follow the path %p', (next) => {
  expect(sameOriginPath(next, ORIGIN)).toBe('/');
});
