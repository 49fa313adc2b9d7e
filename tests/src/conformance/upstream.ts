import type { ErrorCode } from '@gateway/proto';
import type { Particulars } from '../support/conforms';
import type { Misbehaviour } from '../support/fault-provider';
import {
  COMPLETION,
  httpReply,
  providerError,
  ROLE_CHUNK,
  sse,
  streamHead,
} from '../support/provider-replies';
import type { TlsFault } from '../support/tls-faults';

/** What a provider does to a call, and what its caller gets. */
export interface UpstreamCase extends Particulars {
  readonly code: ErrorCode;
  readonly when: string;
  readonly does: Misbehaviour;
  /** Of a plain call, of a streamed one, or of both where it is left out. */
  readonly only?: 'plain' | 'streamed';
}

const answers =
  (status: number, body: unknown, headers?: Record<string, string>): Misbehaviour =>
  ({ socket }) =>
    socket.write(httpReply(status, body, headers));

const says =
  (text: string): Misbehaviour =>
  ({ socket }) =>
    socket.end(text);

const refuses = (status: number) => answers(status, providerError(`refused with ${status}`));

const STATUSES: readonly [number, ErrorCode, Particulars?][] = [
  [300, 'upstream_failed'],
  [301, 'upstream_failed'],
  [302, 'upstream_failed'],
  [307, 'upstream_failed'],
  [400, 'invalid_request', { detail: /refused with 400/ }],
  [401, 'upstream_unavailable'],
  [402, 'upstream_unavailable'],
  [403, 'upstream_unavailable'],
  [404, 'upstream_unavailable'],
  [408, 'upstream_failed'],
  [409, 'upstream_failed'],
  [413, 'invalid_request', { detail: /refused with 413/ }],
  [415, 'invalid_request', { detail: /refused with 415/ }],
  [422, 'invalid_request', { detail: /refused with 422/ }],
  [429, 'rate_limited', { retryAfter: 'must' }],
  [499, 'upstream_failed'],
  [500, 'upstream_failed'],
  [501, 'upstream_failed'],
  [502, 'upstream_failed'],
  [503, 'upstream_failed'],
  [504, 'upstream_failed'],
  [529, 'upstream_failed'],
  [599, 'upstream_failed'],
];

const whole = httpReply(200, COMPLETION);

const BROKEN_REPLIES: readonly [string, Misbehaviour, ('plain' | 'streamed')?][] = [
  ['a reset instead of a reply', ({ socket }) => socket.resetAndDestroy()],
  ['a closed connection instead of a reply', ({ socket }) => socket.end()],
  ['half a status line', says('HTTP/1.1 20')],
  ['no HTTP', says('hello\r\n\r\n')],
  ['a head that breaks off', says('HTTP/1.1 200 OK\r\ncontent-type: app')],
  [
    'an upgrade nobody asked for',
    says('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  ],
  ['silence', () => {}],
  [
    'early hints and then silence',
    ({ socket }) => socket.write('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'),
  ],
  ['an empty 200', answers(200, '')],
  ['a 204', says('HTTP/1.1 204 No Content\r\n\r\n')],
  ['HTML with 200', answers(200, '<html><body>Sorry</body></html>', { 'content-type': 'text/html' })],
  ['malformed JSON with 200', answers(200, '{"id":"chatcmpl-1","choices":[')],
  ['an array with 200', answers(200, [])],
  ['null with 200', answers(200, 'null')],
  ['an object that is no completion with 200', answers(200, { ok: true })],
  ['an error object with 200', answers(200, providerError('overloaded'))],
  ['choices that are no list', answers(200, { ...COMPLETION, choices: 'none' })],
  ['a body cut by its length', says(whole.slice(0, -20)), 'plain'],
  ['a body cut in a chunk', says(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n100\r\n{"id"`)],
  ['a chunk that is none', says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n')],
  ['a body that goes silent', ({ socket }) => socket.write(whole.slice(0, -20)), 'plain'],
  ['a stream that ends before its first event', says(streamHead()), 'streamed'],
  [
    'a stream cut before its first event',
    ({ socket }) => socket.write(streamHead(), () => socket.resetAndDestroy()),
    'streamed',
  ],
  ['a stream cut in its first event', says(`${streamHead()}${sse(ROLE_CHUNK).slice(0, 40)}`), 'streamed'],
  ['a stream of nothing but comments', says(`${streamHead()}: processing\n\n: processing\n\n`), 'streamed'],
  [
    'a stream whose first event is an error',
    says(`${streamHead()}${sse(providerError('overloaded'))}`),
    'streamed',
  ],
  ['a stream silent from its head on', ({ socket }) => socket.write(streamHead()), 'streamed'],
];

/** Failures before the first byte: an envelope, and nothing charged. */
export const UPSTREAM_CASES: readonly UpstreamCase[] = [
  ...STATUSES.map(([status, code, particulars]) => ({
    code,
    when: `the provider answers ${status}`,
    does:
      status === 429
        ? answers(429, providerError('slow down'), { 'retry-after': '7' })
        : status < 400
          ? answers(status, '', { location: 'http://127.0.0.1:1/v1/chat/completions' })
          : refuses(status),
    ...particulars,
    ...(status === 429 && { retryAfter: 7 }),
  })),
  {
    code: 'rate_limited',
    when: 'a 429 that asks for part of a second',
    retryAfter: 2,
    does: answers(429, providerError('slow down'), { 'retry-after': '1.2' }),
  },
  { code: 'rate_limited', when: 'a 429 without Retry-After', retryAfter: 'never', does: refuses(429) },
  {
    code: 'rate_limited',
    when: 'a 429 whose Retry-After is nonsense',
    retryAfter: 'never',
    does: answers(429, providerError('slow down'), { 'retry-after': 'soon' }),
  },
  { code: 'invalid_request', when: 'a 400 that is no JSON', detail: /./, does: answers(400, '<html>') },
  {
    code: 'invalid_request',
    when: 'a 400 whose message is a number',
    detail: /./,
    does: answers(400, { error: { message: 7 } }),
  },
  {
    code: 'invalid_request',
    when: 'a 400 cut short',
    detail: /./,
    does: says(httpReply(400, providerError('no')).slice(0, -9)),
  },
  { code: 'upstream_failed', when: 'a 500 that is no JSON', does: answers(500, '<html>') },
  ...BROKEN_REPLIES.map(
    ([when, does, only]): UpstreamCase => ({ code: 'upstream_failed', when, does, ...(only && { only }) }),
  ),
];

/** Failures of the connection's TLS handshake. */
export const TLS_CASES: readonly [TlsFault, ErrorCode][] = [
  ['alert', 'upstream_failed'],
  ['reset', 'upstream_failed'],
  ['plain text', 'upstream_failed'],
  ['self-signed', 'upstream_unavailable'],
  ['silent', 'upstream_unavailable'],
];
