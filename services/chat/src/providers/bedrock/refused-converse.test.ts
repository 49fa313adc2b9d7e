import { toGatewayError } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import { refusedConverse } from './refused-converse';

/** The header as Bedrock sends it. */
const typed = (type: string) => ({
  'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
});
const refusal = (status: number, type: string, message: string) =>
  refusedConverse({ status, headers: typed(type), body: { message } });

describe('an error response of Bedrock', () => {
  test.each<[string, number, string, string, string]>([
    [
      'invalid_request',
      400,
      'ValidationException',
      'The text field in the ContentBlock object is blank.',
      '',
    ],
    ['rate_limited', 429, 'ThrottlingException', 'Too many tokens, please wait before trying again.', ''],
    ['rate_limited', 429, 'ModelNotReadyException', 'Model is not ready.', ''],
    ['rate_limited', 400, 'ServiceQuotaExceededException', 'Your request exceeds the service quota.', ''],
    ['upstream_unavailable', 403, 'AccessDeniedException', "You don't have access to the model.", ''],
    ['upstream_unavailable', 404, 'ResourceNotFoundException', 'This model version has reached its end.', ''],
    ['upstream_failed', 408, 'ModelTimeoutException', 'Model has timed out.', ''],
    ['upstream_failed', 424, 'ModelErrorException', 'The model failed.', ''],
    ['upstream_failed', 500, 'InternalServerException', 'Internal.', ''],
    ['upstream_failed', 503, 'ServiceUnavailableException', 'Busy.', ''],
  ])('is %s for status %i, %s', (code, status, type, message) => {
    expect(toGatewayError(refusal(status, type, message)).code).toBe(code);
  });

  test.each([
    [403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'],
    [403, 'InvalidSignatureException', 'The request signature we calculated does not match.'],
    [403, 'ExpiredTokenException', 'The security token included in the request is expired'],
    [403, 'MissingAuthenticationTokenException', 'Missing Authentication Token'],
    [403, 'AccessDeniedException', 'Authentication failed: Please make sure your API Key is valid.'],
    [403, 'AccessDeniedException', 'Bearer Token has expired'],
  ])('rejects our credential with status %i, %s, "%s"', (status, type, message) =>
    expect(refusal(status, type, message)).toEqual({ kind: 'status', status: 401 }),
  );

  test.each([
    'The provided model identifier is invalid.',
    "Invocation of model ID anthropic.claude-x with on-demand throughput isn't supported. Retry your request with the ID or ARN of an inference profile that contains this model.",
    'Operation not allowed',
  ])('about our model or account does not blame the client: "%s"', (message) => {
    const failure = refusal(400, 'ValidationException', message);
    expect(failure).toEqual({ kind: 'status', status: 404 });
  });

  test('has the message of a refused parameter, without what identifies our account', () => {
    const message =
      'Malformed input request: expected maxLength: 4, at arn:aws:bedrock:us-east-1:123456789012:x';
    const { detail } = toGatewayError(refusal(400, 'ValidationException', message));
    expect(detail).toContain('Malformed input request');
    expect(detail).not.toContain('123456789012');
  });

  test('tells how long to wait if it says so', () =>
    expect(
      refusedConverse({ status: 429, headers: { 'retry-after': '7' }, body: { message: 'Slow down.' } }),
    ).toEqual({ kind: 'status', status: 429, message: 'Slow down.', retryAfterSeconds: 7 }));

  test('tells at an exhausted quota, a 400, when the limit has room again', () => {
    const headers = {
      'x-amzn-errortype': 'ServiceQuotaExceededException',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '6m0s',
    };
    expect(refusedConverse({ status: 400, headers, body: {} })).toEqual({
      kind: 'status',
      status: 429,
      retryAfterSeconds: 360,
    });
  });

  test('names its exception in the body too, and its message in capitals', () =>
    expect(
      refusedConverse({
        status: 403,
        headers: {},
        body: { __type: 'com.amazon.coral.service#UnrecognizedClientException', Message: 'No.' },
      }),
    ).toEqual({ kind: 'status', status: 401 }));

  test.each([undefined, null, 'text', [], {}])('means its status with the body %j', (body) =>
    expect(refusedConverse({ status: 503, headers: {}, body })).toEqual({ kind: 'status', status: 503 }),
  );
});
