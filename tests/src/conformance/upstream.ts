import type { ErrorCode } from '@gateway/errors';
import type { Particulars } from '../support/conforms';
import type { Misbehavior } from '../support/fault-provider';
import { googleError } from '../support/gemini-replies';
import { httpReply, streamHead, type WireReplies, WORDS } from '../support/provider-replies';
import type { TlsFault } from '../support/tls-faults';
import { WIRE_REPLIES, type WireName } from '../support/wire-replies';

/** A provider's behavior, and the client's error. */
export interface UpstreamCase extends Particulars {
  readonly code: ErrorCode;
  readonly when: string;
  readonly does: Misbehavior;
  /** Restricts the case to plain or streamed calls. */
  readonly only?: 'plain' | 'streamed';
}

const answers =
  (status: number, body: unknown, headers?: Record<string, string>): Misbehavior =>
  ({ socket }) =>
    socket.write(httpReply(status, body, headers));

const says =
  (text: string): Misbehavior =>
  ({ socket }) =>
    socket.end(text);

/** The provider rejects the request; a retry does not help. */
const refusal = (detail: RegExp): Particulars => ({ detail, shouldRetry: 'false' });

const STATUSES: readonly [number, ErrorCode, Particulars?][] = [
  [300, 'upstream_failed'],
  [301, 'upstream_failed'],
  [302, 'upstream_failed'],
  [307, 'upstream_failed'],
  [400, 'invalid_request', refusal(/refused with 400/)],
  [401, 'upstream_unavailable'],
  [402, 'upstream_unavailable'],
  [403, 'upstream_unavailable'],
  [404, 'upstream_unavailable'],
  [405, 'upstream_unavailable'],
  [408, 'upstream_failed'],
  [409, 'upstream_failed'],
  [413, 'invalid_request', refusal(/refused with 413/)],
  [415, 'invalid_request', refusal(/refused with 415/)],
  [422, 'invalid_request', refusal(/refused with 422/)],
  [429, 'rate_limited', { retryAfter: 7 }],
  [499, 'upstream_failed'],
  [500, 'upstream_failed'],
  [501, 'upstream_failed'],
  [502, 'upstream_failed'],
  [503, 'upstream_failed'],
  [504, 'upstream_failed'],
  [529, 'upstream_failed'],
  [599, 'upstream_failed'],
];

function statusCases({ refusal: refuse }: WireReplies): UpstreamCase[] {
  const answered = (status: number): Misbehavior => {
    if (status < 400) return answers(status, '', { location: 'http://127.0.0.1:1/v1/chat/completions' });
    const body = refuse(status, `refused with ${status}`);
    return answers(status, body, status === 429 ? { 'retry-after': '7' } : {});
  };
  const slowDown = refuse(429, 'slow down');
  return [
    ...STATUSES.map(([status, code, particulars]) => ({
      code,
      when: `the provider answers ${status}`,
      does: answered(status),
      ...particulars,
    })),
    {
      code: 'rate_limited',
      when: 'a 429 with a fractional Retry-After',
      retryAfter: 2,
      does: answers(429, slowDown, { 'retry-after': '1.2' }),
    },
    {
      code: 'rate_limited',
      when: 'a 429 without Retry-After',
      retryAfter: 1,
      does: answers(429, slowDown),
    },
    {
      code: 'rate_limited',
      when: 'a 429 with an invalid Retry-After',
      retryAfter: 1,
      does: answers(429, slowDown, { 'retry-after': 'soon' }),
    },
    {
      code: 'invalid_request',
      when: 'a 400 that is not JSON',
      ...refusal(/./),
      does: answers(400, '<html>'),
    },
    {
      code: 'invalid_request',
      when: 'a 400 whose message is a number',
      ...refusal(/./),
      does: answers(400, refuse(400, 7)),
    },
    {
      code: 'invalid_request',
      when: 'a truncated 400',
      ...refusal(/./),
      does: says(httpReply(400, refuse(400, 'no')).slice(0, -9)),
    },
    {
      code: 'invalid_request',
      when: 'a 400 that mentions a credential',
      ...refusal(/^the provider refused a parameter$/),
      does: answers(400, refuse(400, 'Set another Authorization: Bearer abcdef')),
    },
    { code: 'upstream_failed', when: 'a 500 that is not JSON', does: answers(500, '<html>') },
  ];
}

function brokenReplies(replies: WireReplies): [string, Misbehavior, ('plain' | 'streamed')?][] {
  const whole = httpReply(200, replies.whole);
  const firstEvent = replies.frame(replies.chunks[0]);
  return [
    ['a reset instead of a reply', ({ socket }) => socket.resetAndDestroy()],
    ['a closed connection instead of a reply', ({ socket }) => socket.end()],
    ['a truncated status line', says('HTTP/1.1 20')],
    ['a reply that is not HTTP', says('hello\r\n\r\n')],
    ['truncated response headers', says('HTTP/1.1 200 OK\r\ncontent-type: app')],
    [
      'an upgrade that was not requested',
      says('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
    ['no response', () => {}],
    [
      'early hints without a response',
      ({ socket }) => socket.write('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'),
    ],
    ['an empty 200', answers(200, '')],
    ['a 204', says('HTTP/1.1 204 No Content\r\n\r\n')],
    ['HTML with 200', answers(200, '<html><body>Sorry</body></html>', { 'content-type': 'text/html' })],
    ['malformed JSON with 200', answers(200, JSON.stringify(replies.whole).slice(0, 30))],
    ['an array with 200', answers(200, [])],
    ['null with 200', answers(200, 'null')],
    ['an object that is not a reply with 200', answers(200, { ok: true })],
    ['an error object with 200', answers(200, replies.refusal(503, 'overloaded'))],
    ...replies.withoutContent.map(([what, reply]): [string, Misbehavior] => [what, answers(200, reply)]),
    ['a body shorter than its Content-Length', says(whole.slice(0, -20)), 'plain'],
    ['a body cut in a chunk', says(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n100\r\n{"id"`)],
    ['an invalid chunk', says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n')],
    ['a body that stalls', ({ socket }) => socket.write(whole.slice(0, -20)), 'plain'],
    [
      'a stream that was not requested, without its end',
      says(`${streamHead()}${replies.partialStream}`),
      'plain',
    ],
    ['a truncated reply instead of a stream', says(whole.slice(0, -20)), 'streamed'],
    ['a stream that ends before its first event', says(streamHead()), 'streamed'],
    [
      'a stream cut before its first event',
      ({ socket }) => socket.write(streamHead(), () => socket.resetAndDestroy()),
      'streamed',
    ],
    ['a stream cut in its first event', says(`${streamHead()}${firstEvent.slice(0, 40)}`), 'streamed'],
    ['a stream of comments only', says(`${streamHead()}: processing\n\n: processing\n\n`), 'streamed'],
    ['a stream whose first event is an error', says(`${streamHead()}${replies.errorEvent}`), 'streamed'],
    ...replies.errorEventVariants.map((event): [string, Misbehavior, 'streamed'] => [
      `a stream whose first event is ${event.trimEnd()}`,
      says(`${streamHead()}${event}`),
      'streamed',
    ]),
    ['a stream whose first event is not JSON', says(`${streamHead()}data: {broken\n\n`), 'streamed'],
    ['a stream of [DONE] only', says(`${streamHead()}data: [DONE]\n\n`), 'streamed'],
    ['a stream without events', ({ socket }) => socket.write(streamHead()), 'streamed'],
    ...brokenOpenings(replies).map(([what, does]): [string, Misbehavior, 'streamed'] => [
      what,
      does,
      'streamed',
    ]),
  ];
}

/** Failures of a stream before its first content: nothing is sent to the client yet, so the call fails with a status. */
function brokenOpenings({
  opening,
  chunks,
  frame,
  errorEvent,
  errorEventVariants,
}: WireReplies): [string, Misbehavior][] {
  const partialStream = `${streamHead()}${opening}`;
  const content = frame(chunks.find((chunk) => JSON.stringify(chunk).includes(WORDS[0]!)));
  return [
    ['a stream that ends before its first content', says(partialStream)],
    [
      'a stream reset before its first content',
      ({ socket }) => socket.write(partialStream, () => socket.resetAndDestroy()),
    ],
    ['a stream cut in its first content', says(`${partialStream}${content.slice(0, -4)}`)],
    ['a stream that stalls before its first content', ({ socket }) => socket.write(partialStream)],
    [
      'a stream with invalid JSON before its first content',
      says(`${partialStream}data: {broken\n\n${content}`),
    ],
    ['a stream with an error before its first content', says(`${partialStream}${errorEvent}${content}`)],
    ...errorEventVariants.map((event): [string, Misbehavior] => [
      `a stream with ${event.trimEnd()} before its first content`,
      says(`${partialStream}${event}${content}`),
    ]),
  ];
}

/** Errors that a stream reports before its first content, which are treated like its status. */
function openingErrors({ opening, frame, refusal: refuse }: WireReplies): UpstreamCase[] {
  const fails = (status: number): Misbehavior =>
    says(`${streamHead()}${opening}${frame(refuse(status, `refused with ${status}`))}`);
  return [
    {
      code: 'rate_limited',
      when: 'a stream with a rate limit before its first content',
      only: 'streamed',
      retryAfter: 1,
      does: fails(429),
    },
    {
      code: 'invalid_request',
      when: 'a stream with a refusal before its first content',
      only: 'streamed',
      ...refusal(/refused with 400/),
      does: fails(400),
    },
  ];
}

const reason = (name: string) => ({
  details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: name, domain: 'googleapis.com' }],
});
const BAD_GOOGLE_KEY = googleError(400, 'API key not valid.', reason('API_KEY_INVALID'));

const OPENAI_WORDS: readonly UpstreamCase[] = [
  {
    code: 'upstream_unavailable',
    when: 'a 429 because our quota is used up',
    does: answers(429, { error: { message: 'Check your plan.', code: 'insufficient_quota' } }),
  },
  {
    code: 'upstream_unavailable',
    when: 'a 400 about our key, with its message as the value of error',
    does: answers(400, { code: 'Invalid argument', error: 'Incorrect API key provided: x' }),
  },
  {
    code: 'invalid_request',
    when: 'a 400 with its message as the value of error',
    ...refusal(/^top_k is not supported$/),
    does: answers(400, { code: 'Invalid argument', error: 'top_k is not supported' }),
  },
  {
    code: 'invalid_request',
    when: 'a 422 with a list of errors',
    ...refusal(/messages\.0\.role: Field required/),
    does: answers(422, { detail: [{ loc: ['body', 'messages', 0, 'role'], msg: 'Field required' }] }),
  },
];

/** Errors whose status is ambiguous: problems of our account are not the client's. */
const OWN_WORDS: Readonly<Record<WireName, readonly UpstreamCase[]>> = {
  openai: OPENAI_WORDS,
  responses: OPENAI_WORDS,
  anthropic: [
    {
      code: 'upstream_unavailable',
      when: 'a 400 because our credit is used up',
      does: answers(
        400,
        WIRE_REPLIES.anthropic.refusal(400, 'Your credit balance is too low to access the API.'),
      ),
    },
    {
      code: 'upstream_unavailable',
      when: 'a 429 because of our own spend limit',
      does: answers(429, {
        type: 'error',
        error: {
          type: 'rate_limit_error',
          message: 'Limit.',
          details: { error_code: 'enforced_spend_limit_reached' },
        },
      }),
    },
  ],
  gemini: [
    { code: 'upstream_unavailable', when: 'a 400 about our key', does: answers(400, BAD_GOOGLE_KEY) },
    {
      code: 'upstream_unavailable',
      when: 'a 400 about our key, in an array',
      does: answers(400, [BAD_GOOGLE_KEY]),
    },
    {
      code: 'upstream_unavailable',
      when: 'a 400 because our account lacks permission',
      does: answers(400, googleError(400, 'Enable billing.', { status: 'FAILED_PRECONDITION' })),
    },
    {
      code: 'rate_limited',
      when: 'a 429 with the retry delay in its body',
      retryAfter: 13,
      does: answers(
        429,
        googleError(429, 'Quota.', {
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12.4s' }],
        }),
      ),
    },
  ],
};

/** Failures of a provider of this format before the first content: an error status, and no charge. */
export function upstreamCases(wire: WireName): readonly UpstreamCase[] {
  const replies = WIRE_REPLIES[wire];
  return [
    ...statusCases(replies),
    ...OWN_WORDS[wire],
    ...openingErrors(replies),
    ...brokenReplies(replies).map(
      ([when, does, only]): UpstreamCase => ({ code: 'upstream_failed', when, does, ...(only && { only }) }),
    ),
  ];
}

/** Failures of the connection's TLS handshake. */
export const TLS_CASES: readonly [TlsFault, ErrorCode][] = [
  ['alert', 'upstream_failed'],
  ['reset', 'upstream_failed'],
  ['plain text', 'upstream_failed'],
  ['self-signed', 'upstream_unavailable'],
  ['silent', 'upstream_unavailable'],
];
