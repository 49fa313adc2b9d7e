import { describe, expect, test } from '@jest/globals';
import { googleFailure } from './google-failure';

const statusOf = (status: number, error: object) => {
  const failure = googleFailure({ status, body: { error: { code: status, message: '', ...error } } });
  return failure?.kind === 'status' ? failure.status : failure;
};
const reason = (text: string) => ({ details: [{ reason: text }] });

describe('a credential is rejected', () => {
  test.each<[string, number, object]>([
    ['an expired token', 401, { status: 'UNAUTHENTICATED' }],
    ['a bad key', 400, { status: 'INVALID_ARGUMENT', ...reason('API_KEY_INVALID') }],
    ['a bad key without details', 400, { status: 'INVALID_ARGUMENT', message: 'API key not valid. Please' }],
    [
      'a key that may not call the API',
      403,
      { status: 'PERMISSION_DENIED', ...reason('API_KEY_SERVICE_BLOCKED') },
    ],
    ['a leaked key', 403, { status: 'PERMISSION_DENIED', message: 'Your API key was reported as leaked.' }],
  ])('by the error for %s', (_what, status, error) => expect(statusOf(status, error)).toBe(401));
});

describe('other calls with the credential may work', () => {
  test.each<[string, number, object]>([
    ['a missing permission', 403, { status: 'PERMISSION_DENIED', ...reason('IAM_PERMISSION_DENIED') }],
    [
      'a file that the service account cannot read',
      403,
      {
        status: 'PERMISSION_DENIED',
        message:
          'service-1@gcp-sa-aiplatform.iam.gserviceaccount.com does not have storage.objects.get access',
      },
    ],
    ['a service that is off', 403, { status: 'PERMISSION_DENIED', ...reason('SERVICE_DISABLED') }],
    ['missing billing', 400, { status: 'FAILED_PRECONDITION', message: 'Enable billing' }],
    [
      'a location',
      400,
      { status: 'INVALID_ARGUMENT', message: 'User location is not supported for the API' },
    ],
  ])('after the error for %s', (_what, status, error) => expect(statusOf(status, error)).toBe(403));
});

test('other errors mean what their status means', () => {
  expect(
    statusOf(400, { status: 'INVALID_ARGUMENT', message: 'Invalid name: "API key not valid"' }),
  ).toBeUndefined();
  expect(statusOf(503, { status: 'UNAVAILABLE' })).toBeUndefined();
  expect(googleFailure({ status: 502, body: undefined })).toBeUndefined();
});
