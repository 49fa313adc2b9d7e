import { expect, test } from '@jest/globals';
import { loggedPath } from './logged-path';

test.each([
  ['/api/v1/keys/key_1', '/api/v1/keys/key_1'],
  ['/api/v1/playground/videos/files/eyJh.b-c_d', '/api/v1/playground/videos/files/…'],
  ['/api/v1/playground/videos/files/eyJh/files/more', '/api/v1/playground/videos/files/…'],
  ['/api/v1/playground/videos/FILES/eyJh%0Ax', '/api/v1/playground/videos/FILES/…'],
  [`/${'x'.repeat(300)}`, `/${'x'.repeat(199)}`],
])('%s is logged as %s', (path, logged) => {
  expect(loggedPath(path)).toBe(logged);
});
