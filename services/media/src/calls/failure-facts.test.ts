import { UpstreamError } from '@gateway/upstream';
import { expect, test } from '@jest/globals';
import { refusedBy } from '../providers/refusal';
import { failureFacts } from './failure-facts';

test("the facts of a refusal have the provider's id of the request, and not its message", () => {
  const refused = refusedBy({
    status: 400,
    headers: { 'x-request-id': 'req_7' },
    message: 'a secret prompt',
  });
  expect(failureFacts(refused)).toEqual({ failure: 'answered 400', providerRequestId: 'req_7' });
});

test('the facts of a failure without a reply have no id', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  expect(failureFacts(new UpstreamError({ kind: 'unreachable', cause }))).toEqual({
    failure: 'unreachable: ECONNREFUSED',
  });
});
