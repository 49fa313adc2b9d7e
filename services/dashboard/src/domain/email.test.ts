import { expect, test } from '@jest/globals';
import { normaliseEmail } from './email';

test.each([
  ['a@b.co', 'a@b.co'],
  ['  Ann.Lee+x@Example.COM\n', 'ann.lee+x@example.com'],
  ['ａnn@example.com', 'ann@example.com'],
  ['jürgen@example.com', 'jürgen@example.com'],
])('normalizes the email %p', (given, normal) => expect(normaliseEmail(given)).toBe(normal));

test.each([
  '',
  'a',
  'a@b',
  '@b.co',
  'a@',
  'a b@c.de',
  'a@b@c.de',
  'a\u0000@b.co',
  'a@b.co\u0007',
  '\ud800@b.co',
  '<a@b.co>',
  `${'a'.repeat(65)}@b.co`,
  `a@${'b'.repeat(260)}.co`,
])('refuses the email %p', (given) => expect(normaliseEmail(given)).toBeUndefined());
