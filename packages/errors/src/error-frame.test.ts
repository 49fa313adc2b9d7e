import { expect, test } from '@jest/globals';
import { toEnvelope } from './envelope';
import { toErrorFrame } from './error-frame';
import { GatewayError } from './gateway-error';

test('the event that ends a broken stream of a response has the members that its clients require', () => {
  const call = { requestId: 'r1', createdAtMs: 1_999 };
  const frame = toErrorFrame(new GatewayError('upstream_failed'), 'response', call);
  const data = JSON.parse(frame.slice('event: response.failed\ndata: '.length));
  expect(data.response).toMatchObject({ id: 'resp_r1', created_at: 1, status: 'failed', output: [] });
});

test('an error within a stream has its detail in every form', () => {
  const error = new GatewayError('invalid_request', { detail: 'stop: too long' });
  for (const format of ['data', 'event', 'response', 'google'] as const) {
    const frame = toErrorFrame(error, format, { requestId: 'r1', createdAtMs: 1 });
    expect(frame).toContain('"message":"Invalid request body.","detail":"stop: too long"');
  }
});

test('the detail follows in the message where the key asks for it, in every form of the error', () => {
  const error = new GatewayError('invalid_request', { detail: 'stop: too long', retryAfterSeconds: 1 });
  const detailed = error
    .withDetailedMessage(true)
    .withRates({ requests: { limit: 1n, remaining: 0n, resetSeconds: 1 } });
  const message = 'Invalid request body. stop: too long';
  expect(toEnvelope(detailed).error).toMatchObject({ message, detail: 'stop: too long' });
  const call = { requestId: 'r1', createdAtMs: 1 };
  for (const format of ['data', 'event', 'response', 'google'] as const)
    expect(toErrorFrame(detailed, format, call)).toContain(`"message":"${message}"`);
  for (const plain of [error, error.withDetailedMessage(false), error.withDetailedMessage(undefined)])
    expect(toEnvelope(plain).error.message).toBe('Invalid request body.');
  const bare = new GatewayError('upstream_failed').withDetailedMessage(true);
  expect(toEnvelope(bare).error.message).toBe('Upstream request failed.');
});
