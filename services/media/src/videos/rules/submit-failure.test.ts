import { UpstreamError } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import { MediaRefused } from '../../domain/media-refused';
import { failureOfSubmit, submitFailure, submitFailureOf } from './submit-failure';

const cause = new Error('x');
const ofStatus = (status: number, more: object = {}) => submitFailure({ kind: 'status', status, ...more });

test('an order that did not reach the provider is free and upstream_unavailable', () => {
  expect(submitFailure({ kind: 'unreachable', cause })).toMatchObject({
    bill: 'released',
    error: { code: 'upstream_unavailable', shouldRetry: false },
  });
});

test('an order with an unknown outcome is lost and must not be retried', () => {
  expect(submitFailure({ kind: 'broken', cause })).toMatchObject({
    bill: 'lost',
    error: { code: 'upstream_failed', shouldRetry: false },
  });
});

test('an order of which no byte was sent counts as not received, whatever the error', () => {
  const failed = (kind: 'broken' | 'unreachable', mayHaveArrived?: boolean) =>
    failureOfSubmit(
      Object.assign(new UpstreamError({ kind, cause }), mayHaveArrived !== undefined && { mayHaveArrived }),
    ).kind;
  expect(failed('broken', false)).toBe('unreachable');
  expect(failed('broken', true)).toBe('broken');
  expect(failed('broken')).toBe('broken');
  expect(failed('unreachable', false)).toBe('unreachable');
  expect(failureOfSubmit(undefined).kind).toBe('broken');
  const busy = new UpstreamError({ kind: 'status', status: 429 });
  expect(failureOfSubmit(Object.assign(busy, { mayHaveArrived: false })).kind).toBe('status');
});

describe("a failed order by the provider's status", () => {
  test.each([
    [429, 'released', 'rate_limited', undefined],
    ...[401, 402, 403, 404, 405].map(
      (status) => [status, 'released', 'upstream_unavailable', false] as const,
    ),
    ...[400, 413, 415, 422].map((status) => [status, 'released', 'video_generation_failed', false] as const),
    ...[300, 409, 418, 500, 501, 503, 529, 599].map(
      (status) => [status, 'released', 'video_generation_failed', undefined] as const,
    ),
    ...[408, 502, 504].map((status) => [status, 'lost', 'video_generation_failed', false] as const),
  ] as const)('%d is %s with %s', (status, bill, code, shouldRetry) => {
    expect(ofStatus(status)).toMatchObject({ bill, error: { code } });
    expect(ofStatus(status).error.shouldRetry).toBe(shouldRetry);
  });

  test("passes the provider's message on if it is about the order", () => {
    expect(ofStatus(400, { message: 'too long' }).error.detail).toBe('too long');
    expect(ofStatus(503, { message: 'busy' }).error.detail).toBe('busy');
    expect(ofStatus(429, { retryAfterSeconds: 7 }).error.retryAfterSeconds).toBe(7);
    expect(ofStatus(429).error.retryAfterSeconds).toBe(1);
    expect(ofStatus(402, { message: 'our balance' }).error.detail).toBeUndefined();
  });
});

test('a refusal is final and released', () => {
  expect(submitFailureOf(new MediaRefused('policy'))).toMatchObject({
    bill: 'released',
    error: { code: 'video_generation_failed', detail: 'policy', shouldRetry: false },
  });
});
