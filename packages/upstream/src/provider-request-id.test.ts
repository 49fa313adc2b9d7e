import { expect, test } from '@jest/globals';
import { providerRequestId } from './provider-request-id';
import { UpstreamError } from './upstream-failure';

test.each([
  [{ 'x-request-id': 'req_1' }, 'req_1'],
  [{ 'request-id': 'req_2', 'cf-ray': '9-FRA' }, 'req_2'],
  [{ 'x-request-id': 'ours', 'apim-request-id': 'azure' }, 'azure'],
  [{ 'x-amzn-requestid': 'aws' }, 'aws'],
  [{ 'cf-ray': '9-FRA' }, '9-FRA'],
  [{ 'x-request-id': 'two words' }, undefined],
  [{ 'x-request-id': 'x'.repeat(129) }, undefined],
  [{ 'x-request-id': ['a', 'b'] }, undefined],
  [{}, undefined],
])('the id of a response with the headers %j is %p', (headers, id) => {
  expect(providerRequestId(headers)).toBe(id);
});

test("an error has the provider's request id as a property, which is logged, and its message only without", () => {
  const failure = { kind: 'status', status: 500, message: 'secret prompt' } as const;
  expect({ ...new UpstreamError(failure, 'req_1') }).toEqual({ providerRequestId: 'req_1' });
  expect({ ...new UpstreamError(failure) }).toEqual({});
});
