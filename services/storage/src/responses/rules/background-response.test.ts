import { GatewayError } from '@gateway/errors';
import { expect, test } from '@jest/globals';
import { cancelledResponse, endedResponse, failedResponse } from './background-response';
import { MAX_RESPONSE_BYTES } from './response-limits';

const QUEUED = Buffer.from('{"id":"resp_1","created_at":5,"status":"queued","error":null,"output":[]}');
const reply = (response: object) => ({
  requestId: 'x',
  reply: { headers: {}, body: Buffer.from(JSON.stringify(response)), release: () => {} },
});
const read = ({ response }: { response: Buffer }) => JSON.parse(response.toString());

test('a response that was answered is the answer, created when it was queued', () => {
  const ended = endedResponse(
    QUEUED,
    10,
    reply({ id: 'resp_1', created_at: 9, status: 'completed', output: [1] }),
  );
  expect([ended.status, ended.isVoid]).toEqual(['completed', false]);
  expect(read(ended)).toEqual({ id: 'resp_1', created_at: 5, status: 'completed', output: [1] });
});

test('a response that was cut can be continued, and one that failed at its provider cannot', () => {
  expect(endedResponse(QUEUED, 10, reply({ status: 'incomplete' })).isVoid).toBe(false);
  expect(endedResponse(QUEUED, 10, reply({ status: 'failed' })).isVoid).toBe(true);
});

test('a response whose call failed has the error of the table, with the request id of its last attempt', () => {
  const error = new GatewayError('invalid_request', { detail: 'tools: too many entries' });
  const ended = endedResponse(QUEUED, 10, { requestId: 'x', error, chargedNano: 0n });
  expect([ended.status, ended.isVoid]).toEqual(['failed', true]);
  expect(read(ended)).toEqual({
    ...JSON.parse(QUEUED.toString()),
    status: 'failed',
    error: {
      code: 'invalid_request',
      message: 'Invalid request body.',
      detail: 'tools: too many entries',
      request_id: 'x',
    },
  });
});

test('a response that was never sent has no request id', () => {
  const { error } = read(failedResponse(QUEUED, new GatewayError('rpm_rate_limited')));
  expect(error).toEqual({ code: 'rpm_rate_limited', message: 'Rate limit exceeded: requests per minute.' });
});

test('a response that is too large to be stored fails', () => {
  const ended = endedResponse(QUEUED, MAX_RESPONSE_BYTES, reply({ status: 'completed' }));
  expect([ended.isVoid, read(ended).error]).toEqual([
    true,
    expect.objectContaining({ code: 'internal_error', request_id: 'x' }),
  ]);
});

test('a response that was cancelled has no output', () => {
  const ended = cancelledResponse(QUEUED);
  expect([ended.status, ended.isVoid, read(ended).status]).toEqual(['cancelled', true, 'cancelled']);
});
