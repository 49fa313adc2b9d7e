import { expect, test } from '@jest/globals';
import { ApiError } from '../../../api/api-error';
import { isOutdated } from './is-outdated';

const refusal = (detail?: string, code = 'invalid_request') =>
  new ApiError(400, { type: 'invalid_request_error', code, message: 'No.', ...(detail && { detail }) });

test.each<[unknown, boolean]>([
  [refusal('if_version: prices have changed; the current version is 12'), true],
  // From an older dashboard that does not know the field, during a deployment.
  [refusal('Unrecognized key: "if_version"'), false],
  [refusal('if_version: Invalid input: expected number, received string'), false],
  [refusal(), false],
  [refusal(undefined, 'model_not_found'), false],
  [new TypeError('if_version: prices have changed'), false],
  [null, false],
])('whether %p reports outdated prices: %p', (error, outdated) => {
  expect(isOutdated(error)).toBe(outdated);
});
