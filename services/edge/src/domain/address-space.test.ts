import { expect, test } from '@jest/globals';
import { spaceByHost } from './address-space';

test('the Host header selects the API or dashboard space, ignoring case and port', () => {
  const spaceOf = spaceByHost(['api.example.com', '[::1]'], ['Dash.example.com']);
  expect(spaceOf('api.example.com')).toBe('api');
  expect(spaceOf('API.Example.com:8080')).toBe('api');
  expect(spaceOf('[::1]:8080')).toBe('api');
  expect(spaceOf('dash.example.com')).toBe('dashboard');
  for (const host of [
    'example.com',
    'x.api.example.com',
    'api.example.com.',
    'api.example.com:x',
    '',
    undefined,
  ]) {
    expect(spaceOf(host)).toBeUndefined();
  }
});
