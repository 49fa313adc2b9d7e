import { expect, test } from '@jest/globals';
import { toErrorFrame } from './error-frame';
import { GatewayError } from './gateway-error';

test('the event that ends a broken stream of a response has the members that its clients require', () => {
  const call = { requestId: 'r1', createdAtMs: 1_999 };
  const frame = toErrorFrame(new GatewayError('upstream_failed'), 'response', call);
  const data = JSON.parse(frame.slice('event: response.failed\ndata: '.length));
  expect(data.response).toMatchObject({ id: 'resp_r1', created_at: 1, status: 'failed', output: [] });
});
