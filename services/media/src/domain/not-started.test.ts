import { UpstreamError } from '@gateway/upstream';
import { expect, test } from '@jest/globals';
import { RequestError } from '../providers/request-error';
import { MediaRefused } from './media-refused';
import { isNotStarted, onceVerdict } from './not-started';

const cause = new Error('x');
const ofStatus = (status: number) => new UpstreamError({ kind: 'status', status });

test('only a request that its target certainly did not start may go to another target', () => {
  expect(isNotStarted(new UpstreamError({ kind: 'unreachable', cause }))).toBe(true);
  expect(isNotStarted(new RequestError(cause, false))).toBe(true);
  expect(isNotStarted(new RequestError(cause, true))).toBe(false);
  expect(isNotStarted(new UpstreamError({ kind: 'broken', cause }))).toBe(false);
  expect(isNotStarted(cause)).toBe(false);
  const started = [400, 408, 422, 500, 502, 503, 504].filter((status) => isNotStarted(ofStatus(status)));
  expect(started).toEqual([]);
  expect([401, 402, 403, 404, 405, 429].every((status) => isNotStarted(ofStatus(status)))).toBe(true);
});

test('a refusal of the request ends the call and is no failure of its target', () => {
  expect(onceVerdict(new MediaRefused('policy'))).toEqual({ failure: undefined, isFinal: true });
  expect(onceVerdict(ofStatus(500))).toEqual({ failure: { kind: 'status', status: 500 }, isFinal: true });
  expect(onceVerdict(ofStatus(429))).toMatchObject({ isFinal: false });
});
