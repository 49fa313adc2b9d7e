import { toGatewayError } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import { geminiProvider } from './gemini-provider';
import { BAD_KEY_ERROR, QUOTA_ERROR } from './responses.fixture';

const provider = geminiProvider({ id: 'google', baseUrl: 'http://127.0.0.1:1/', apiKey: 'AIza-key' });

describe('the request', () => {
  const address = (stream: boolean) =>
    provider.address({ upstreamModel: 'gemini-3.5-flash', stream, callerHeaders: {}, body: Buffer.alloc(0) });

  test('has the key in a header, not in the URL', async () => {
    const { url, headers } = await address(false);
    expect(url.href).toBe('http://127.0.0.1:1/v1beta/models/gemini-3.5-flash:generateContent');
    expect(headers).toEqual({ 'x-goog-api-key': 'AIza-key', 'content-type': 'application/json' });
  });

  test('requests server-sent events for a stream', async () => {
    expect((await address(true)).url.href).toBe(
      'http://127.0.0.1:1/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse',
    );
  });
});

test('every candidate of a reply without usage is counted', () => {
  const candidate = { content: { parts: [{ text: 'Hello world' }] }, finishReason: 'STOP' };
  expect(provider.countReply!({ candidates: [candidate, candidate] })).toBe(4);
});

describe('an error response', () => {
  const refusal = (status: number, body: unknown) => provider.refusalOf!({ status, headers: {}, body });
  const codeOf = (status: number, body: unknown) => toGatewayError(refusal(status, body)!).code;
  const error = (status: string, message = '', details: object[] = []) => ({
    error: { status, message, details },
  });

  test('for lack of quota has the wait', () => {
    expect(refusal(429, QUOTA_ERROR)).toEqual({ kind: 'status', status: 429, retryAfterSeconds: 13 });
  });

  test.each(['0s', '999999999s'])('a wait of %s is clamped', (retryDelay) => {
    const failure = refusal(429, error('RESOURCE_EXHAUSTED', '', [{ retryDelay }])) as {
      retryAfterSeconds: number;
    };
    expect(failure.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(failure.retryAfterSeconds).toBeLessThanOrEqual(86_400);
  });

  test.each<[string, number, unknown]>([
    ['a bad key', 400, BAD_KEY_ERROR],
    ['a bad key, in an array', 400, [BAD_KEY_ERROR]],
    [
      'a bad key without details',
      400,
      error('INVALID_ARGUMENT', 'API key expired. Please renew the API key.'),
    ],
    ['our billing', 400, error('FAILED_PRECONDITION', 'Enable billing')],
    ['our country', 400, error('FAILED_PRECONDITION', 'User location is not supported for the API use.')],
    ['our rights', 403, error('PERMISSION_DENIED')],
    ['a service that is off', 403, error('PERMISSION_DENIED', '', [{ reason: 'SERVICE_DISABLED' }])],
  ])("%s concerns the gateway's own account and reveals nothing", (_name, status, body) => {
    expect(codeOf(status, body)).toBe('upstream_unavailable');
    expect(toGatewayError(refusal(status, body)!).detail).toBeUndefined();
  });

  test.each<[string, number, unknown]>([
    ['a bad parameter', 400, error('INVALID_ARGUMENT', 'Invalid function name: 3_billing, about an API key')],
    ['an outage', 503, error('UNAVAILABLE')],
    ['quota without a wait', 429, error('RESOURCE_EXHAUSTED')],
    ['no JSON', 502, undefined],
  ])('%s means what its status means', (_name, status, body) => {
    expect(refusal(status, body)).toBeUndefined();
  });
});

describe('the opening of a stream', () => {
  const of = (parts: object[], fields: object = {}) =>
    provider.readOpening({
      candidates: [{ content: { role: 'model', parts }, ...fields }],
      usageMetadata: {},
    });

  test.each([
    [{ text: 'a' }],
    [{ text: 'hm', thought: true }],
    [{ functionCall: { name: 'f', args: {} } }],
    [{ text: '', thoughtSignature: 'c2k=' }],
  ])('%j is content', (part) => expect(of([part])).toBe('content'));

  test.each([[[]], [[{ text: '' }]], [[{ executableCode: { code: '1' } }]]])('%j is not content', (parts) =>
    expect(of(parts)).toBe('waiting'),
  );

  test('is a whole reply if it is refused or ends without content', () => {
    expect(of([], { finishReason: 'STOP' })).toBe('ended');
    expect(provider.readOpening({ promptFeedback: { blockReason: 'SAFETY' } })).toBe('ended');
  });

  test('fails with a finish reason that means a failure', () => {
    expect(() => of([], { finishReason: 'MALFORMED_FUNCTION_CALL' })).toThrow('MALFORMED_FUNCTION_CALL');
  });
});
