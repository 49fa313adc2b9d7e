import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { failureOf, toGatewayError, UpstreamError } from './upstream-failure';

const ofStatus = (status: number) => toGatewayError({ kind: 'status', status }).code;
const ofError = (code: string | undefined) => toGatewayError(failureOf({ code })).code;

test('maps every unsuccessful HTTP status to an error', () => {
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

describe('a connection error', () => {
  test.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'CONNECT_TIMEOUT',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'CERT_REVOKED',
  ])('with code %s is upstream_unavailable', (code) => expect(ofError(code)).toBe('upstream_unavailable'));

  test('ETIMEDOUT is upstream_unavailable only while connecting', () => {
    const failure = (syscall: string) => toGatewayError(failureOf({ code: 'ETIMEDOUT', syscall })).code;
    expect([failure('connect'), failure('read')]).toEqual(['upstream_unavailable', 'upstream_failed']);
  });

  test('before the connection is established is upstream_unavailable, except for a reset', () => {
    const failure = (code: string, syscall: string) => toGatewayError(failureOf({ code, syscall })).code;
    expect(failure('EPERM', 'connect')).toBe('upstream_unavailable');
    expect(failure('ENODATA', 'getaddrinfo')).toBe('upstream_unavailable');
    expect(failure('ECONNRESET', 'connect')).toBe('upstream_failed');
  });

  test('of a host with several addresses is upstream_unavailable only if none was reachable', () => {
    const failure = (...errors: object[]) => {
      // As Node does, the code is that of the first error.
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
  ])('with code %s is upstream_failed', (code) => expect(ofError(code)).toBe('upstream_failed'));
});

test('a 429 keeps its Retry-After, and a refusal keeps its message and is not retried', () => {
  expect(toGatewayError({ kind: 'status', status: 429, retryAfterSeconds: 9 }).retryAfterSeconds).toBe(9);
  expect(toGatewayError({ kind: 'status', status: 429 }).retryAfterSeconds).toBe(1);
  expect(toGatewayError({ kind: 'status', status: 400, message: 'too long' })).toMatchObject({
    detail: 'too long',
    shouldRetry: false,
  });
});

test('the message of a provider is not part of the logged error', () => {
  const error = new UpstreamError({ kind: 'status', status: 500, message: 'a canary' });
  expect(error.failure).toMatchObject({ message: 'a canary' });
  expect(inspect(error, { depth: null, showHidden: true })).not.toContain('canary');
});
