import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { failureOf, toGatewayError, UpstreamError } from './upstream-failure';

const ofStatus = (status: number) => toGatewayError({ kind: 'status', status }).code;
const ofError = (code: string | undefined) => toGatewayError(failureOf({ code })).code;

test('every status that is not a success has its error', () => {
  const expected = new Map([
    [400, 'invalid_request'],
    [401, 'upstream_unavailable'],
    [402, 'upstream_unavailable'],
    [403, 'upstream_unavailable'],
    [404, 'upstream_unavailable'],
    [405, 'upstream_unavailable'],
    [413, 'invalid_request'],
    [415, 'invalid_request'],
    [422, 'invalid_request'],
    [429, 'rate_limited'],
  ]);
  for (let status = 100; status < 600; status++) {
    if (status >= 200 && status < 300) continue;
    expect([status, ofStatus(status)]).toEqual([status, expected.get(status) ?? 'upstream_failed']);
  }
});

describe('connections', () => {
  test.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'CONNECT_TIMEOUT',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'CERT_REVOKED',
  ])('%s: the provider as a whole is out of reach', (code) =>
    expect(ofError(code)).toBe('upstream_unavailable'),
  );

  test('ETIMEDOUT says nothing by itself: connecting, or in the middle of a call', () => {
    const failure = (syscall: string) => toGatewayError(failureOf({ code: 'ETIMEDOUT', syscall })).code;
    expect([failure('connect'), failure('read')]).toEqual(['upstream_unavailable', 'upstream_failed']);
  });

  test('whatever fails before there is a connection: out of reach, but for a reset', () => {
    const failure = (code: string, syscall: string) => toGatewayError(failureOf({ code, syscall })).code;
    expect(failure('EPERM', 'connect')).toBe('upstream_unavailable');
    expect(failure('ENODATA', 'getaddrinfo')).toBe('upstream_unavailable');
    expect(failure('ECONNRESET', 'connect')).toBe('upstream_failed');
  });

  test('several addresses of one name: out of reach when none of them was reached', () => {
    const failure = (...errors: object[]) => {
      // As Node makes it: the code is that of the first.
      const all = Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' });
      return toGatewayError(failureOf(all)).code;
    };
    const late = { code: 'ETIMEDOUT', syscall: 'connect' };
    expect(failure(late, { code: 'ECONNREFUSED', syscall: 'connect' })).toBe('upstream_unavailable');
    expect(failure(late, { code: 'ECONNRESET', syscall: 'connect' })).toBe('upstream_failed');
  });

  test.each([
    'ECONNRESET',
    'EPIPE',
    'FIRST_BYTE_TIMEOUT',
    'IDLE_TIMEOUT',
    'EPROTO',
    'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    'HPE_INVALID_CONSTANT',
    undefined,
  ])('%s: this call failed', (code) => expect(ofError(code)).toBe('upstream_failed'));
});

test('a provider’s 429 keeps its Retry-After, its refusal its words; nobody should repeat what it refused', () => {
  expect(toGatewayError({ kind: 'status', status: 429, retryAfterSeconds: 9 }).retryAfterSeconds).toBe(9);
  expect(toGatewayError({ kind: 'status', status: 429 }).retryAfterSeconds).toBe(1);
  expect(toGatewayError({ kind: 'status', status: 400, message: 'too long' })).toMatchObject({
    detail: 'too long',
    shouldRetry: false,
  });
});

test('what a provider said is no part of the error that is logged', () => {
  const error = new UpstreamError({ kind: 'status', status: 500, message: 'a canary' });
  expect(error.failure).toMatchObject({ message: 'a canary' });
  expect(inspect(error, { depth: null, showHidden: true })).not.toContain('canary');
});
