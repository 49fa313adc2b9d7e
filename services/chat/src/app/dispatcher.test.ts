import { GatewayError } from '@gateway/errors';
import type { HttpRequest, HttpResponse } from '@gateway/http-client';
import type { RequestContext } from '@gateway/rpc';
import {
  CredentialLimiter,
  type CredentialLimits,
  DailyCosts,
  environmentAccount,
  Failover,
  failureName,
  routeName,
  SessionPins,
  TargetHealth,
  toGatewayError,
  UpstreamError,
  type UpstreamFailure,
} from '@gateway/upstream';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Model } from '../domain/model';
import type { Route } from '../domain/route';
import { routeOf, targetOf } from '../domain/route.fixture';
import { parseMessagesRequest } from '../formats/anthropic/messages-request';
import { readOpeningEvent } from '../providers/anthropic/read-opening';
import type { AdmittedCall } from './admitted-call';
import { Dispatcher } from './dispatcher';
import { ProviderClient } from './provider-client';

const TIMEOUTS = { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 };
const HOLD_MS = 60_000;
const START =
  'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":9}}}\n\n';
const EVENT = `${START}event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}\n\n`;
const errorEvent = (type: string) =>
  `event: error\ndata: {"type":"error","error":{"type":"${type}","message":"m"}}\n\n`;

type Does = (request: HttpRequest) => Promise<HttpResponse>;

async function* bytesOf(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}
const answers =
  (status: number, body = '{}', headers = {}): Does =>
  async () => ({ status, headers, body: bytesOf(body) });
const fails =
  (code: string): Does =>
  async () => {
    throw Object.assign(new Error(code), { code });
  };
const isSilent: Does = ({ signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('CLIENT_DISCONNECTED')));
  });

/** The behavior of each provider. */
let does: Record<string, Does>;
/** The calls that providers received, in order. */
let called: { provider: string; request: HttpRequest }[];
let outcomes: string[];
let nowMs: number;
let health: TargetHealth;
let sessions: SessionPins;
let costs: DailyCosts;
let dispatcher: Dispatcher;

beforeEach(() => {
  does = {};
  called = [];
  outcomes = [];
  costs = new DailyCosts(() => nowMs);
  nowMs = 0;
  health = new TargetHealth(() => nowMs, 10_000);
  sessions = new SessionPins(() => nowMs);
  const failover = new Failover({
    health,
    limiter: new CredentialLimiter(() => nowMs, costs),
    metrics: {
      answered: ({ provider }) => outcomes.push(`${provider.id} answered`),
      failed: ({ provider }, failure) => outcomes.push(`${provider.id} ${failureName(failure)}`),
    },
  });
  const providerClient = new ProviderClient({
    health,
    upstream: {
      send(request) {
        const provider = request.url.hostname;
        called.push({ provider, request });
        return does[provider]!(request);
      },
    },
    timeouts: TIMEOUTS,
    keepAliveMs: HOLD_MS,
  });
  dispatcher = new Dispatcher({
    failover,
    providerClient,
    keepAliveMs: HOLD_MS,
    sessions,
    metrics: { fellBack: (model, fallback) => outcomes.push(`${model} fell back to ${fallback}`) },
  });
});

function routeTo(id: string, fields: Partial<Route['target']> = {}, refuses = false): Route {
  const provider = {
    ...routeOf(id).provider,
    wire: id === 'other' ? 'openai' : 'anthropic',
    readOpening: readOpeningEvent,
    address: () => ({ url: new URL(`http://${id}/`), headers: { authorization: `Bearer ${id}` } }),
    writeRequest() {
      if (refuses) throw new GatewayError('invalid_request', { detail: 'cannot be carried' });
      return Buffer.from('translated');
    },
  };
  return { ...environmentAccount(provider as unknown as Route['provider']), target: targetOf(id, fields) };
}

interface CallFields extends Partial<AdmittedCall> {
  readonly stream?: boolean;
}

const bodyOf = (stream: boolean) =>
  Buffer.from(
    JSON.stringify({
      model: 'sim/chat',
      max_tokens: 10,
      stream,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  );

function callTo(routes: readonly Route[], { stream = false, ...fields }: CallFields = {}): AdmittedCall {
  const call: Partial<AdmittedCall> = {
    accountId: 'account',
    request: parseMessagesRequest(bodyOf(stream), {}),
    model: { capabilities: new Set(), maxOutputTokens: 100, strategy: 'weighted' } as unknown as Model,
    routes,
    body: Buffer.from('prepared'),
    loweredMaxTokens: undefined,
    fallbacks: [],
    ...fields,
  };
  return call as AdmittedCall;
}

const context = (signal = new AbortController().signal) =>
  ({ requestId: 'r', signal, log: { warn() {} } }) as unknown as RequestContext;

/** Returns the provider that answered, or the failure. */
async function begin(call: AdmittedCall, signal?: AbortSignal): Promise<string | UpstreamFailure> {
  try {
    return (await dispatcher.begin(context(signal), call)).route.provider.id;
  } catch (error) {
    if (error instanceof UpstreamError) return error.failure;
    throw error;
  }
}

describe('a target that fails', () => {
  const elsewhere: [string, Does, string][] = [
    ['refuses the connection', fails('ECONNREFUSED'), 'unreachable'],
    ['does not connect in time', fails('CONNECT_TIMEOUT'), 'unreachable'],
    ['resets the connection', fails('ECONNRESET'), 'broken'],
    ['sends no response in time', fails('FIRST_BYTE_TIMEOUT'), 'broken'],
    ...[401, 403, 404, 408, 429, 500, 503, 529].map((status): [string, Does, string] => [
      `answers ${status}`,
      answers(status),
      `${status}`,
    ]),
  ];
  test.each(elsewhere)('because it %s is replaced by another target', async (_what, fault, outcome) => {
    does = { a: fault, b: answers(200) };
    expect(await begin(callTo([routeTo('a'), routeTo('b')]))).toBe('b');
    expect(outcomes).toEqual([`a ${outcome}`, 'b answered']);
  });

  test.each([400, 413, 415, 422])('with status %i is final: no other target is tried', async (status) => {
    does = { a: answers(status), b: answers(200) };
    expect(await begin(callTo([routeTo('a'), routeTo('b')]))).toEqual({ kind: 'status', status });
    expect(outcomes).toEqual([`a ${status}`]);
  });

  const streams: [string, string, string][] = [
    ['ends before its first event', ': wait\n\n', 'broken'],
    ['begins with an error', 'event: error\ndata: {"type":"error"}\n\n', 'broken'],
    ['begins with an invalid event', 'data: <html>\n\n', 'broken'],
    ['ends before its first content', START, 'broken'],
    ['is overloaded before its first content', START + errorEvent('overloaded_error'), '529'],
    ['is limited before its first content', START + errorEvent('rate_limit_error'), '429'],
  ];
  test.each(streams)('because its stream %s is replaced by another target', async (_what, text, outcome) => {
    does = { a: answers(200, text), b: answers(200, EVENT) };
    expect(await begin(callTo([routeTo('a'), routeTo('b')], { stream: true }))).toBe('b');
    expect(outcomes).toEqual([`a ${outcome}`, 'b answered']);
  });

  const bodies: [string, string, object][] = [
    ['429', 'is limited', { error: { code: 429, message: 'm' } }],
    ['529', 'is overloaded', { type: 'error', error: { type: 'overloaded_error', message: 'm' } }],
    ['500', 'failed', { error: { message: 'm' } }],
  ];
  test.each(bodies.flatMap((each) => [true, false].map((stream) => [...each, stream] as const)))(
    '%s: because its body with status 200 says that it %s is replaced by another target',
    async (outcome, _what, body, stream) => {
      does = { a: answers(200, JSON.stringify(body)), b: answers(200, stream ? EVENT : '{}') };
      expect(await begin(callTo([routeTo('a'), routeTo('b')], { stream }))).toBe('b');
      const isUnknown = outcome === '500' && stream;
      expect(outcomes).toEqual([`a ${isUnknown ? 'broken' : outcome}`, 'b answered']);
    },
  );

  test('because its body with status 200 says that the request is invalid is final', async () => {
    const body = JSON.stringify({ error: { code: 'context_length_exceeded', message: 'm' } });
    for (const stream of [false, true]) {
      does = { a: answers(200, body), b: answers(200, EVENT) };
      const failure = { kind: 'status', status: 400, message: 'm' };
      expect(await begin(callTo([routeTo('a'), routeTo('b')], { stream }))).toEqual(failure);
    }
    expect(called.map(({ provider }) => provider)).toEqual(['a', 'a']);
  });

  test('because its stream reports an invalid request before its first content is final', async () => {
    does = { a: answers(200, START + errorEvent('invalid_request_error')), b: answers(200, EVENT) };
    expect(await begin(callTo([routeTo('a'), routeTo('b')], { stream: true }))).toEqual({
      kind: 'status',
      status: 400,
      message: 'm',
    });
    expect(called.length).toBe(1);
  });

  test('because its stream fails after its first content is final', async () => {
    does = { a: answers(200, EVENT + errorEvent('overloaded_error')), b: answers(200, EVENT) };
    expect(await begin(callTo([routeTo('a'), routeTo('b')], { stream: true }))).toBe('a');
  });

  test('because its stream contains only comments until the timeout is replaced', async () => {
    let left = false;
    const body = {
      [Symbol.asyncIterator]: () => body,
      next: () =>
        new Promise<IteratorResult<Buffer>>((resolve) =>
          setImmediate(() => resolve({ value: Buffer.from(': wait\n\n'), done: left })),
        ),
      return: () => {
        left = true;
        return body.next();
      },
    };
    does = { a: async () => ({ status: 200, headers: {}, body }), b: answers(200, EVENT) };
    const patient = [routeTo('a', { firstByteTimeoutMs: 20 }), routeTo('b')];
    expect(await begin(callTo(patient, { stream: true }))).toBe('b');
    expect(left).toBe(true);
  });
});

describe('when every target fails', () => {
  const FAULTS: Record<string, Does> = {
    limited: answers(429, '{}', { 'retry-after': '7' }),
    broken: answers(500),
    rejecting: answers(401),
    unreachable: fails('ECONNREFUSED'),
  };
  test.each([
    [['limited', 'broken', 'unreachable'], { kind: 'status', status: 429, retryAfterSeconds: 7 }],
    [['unreachable', 'limited'], { kind: 'status', status: 429, retryAfterSeconds: 7 }],
    [['broken', 'rejecting', 'unreachable'], { kind: 'status', status: 500 }],
    [['unreachable', 'broken'], { kind: 'status', status: 500 }],
    [['unreachable'], { kind: 'unreachable' }],
  ])('%p: the client gets the error that is most likely to be cured by a retry', async (names, failure) => {
    does = FAULTS;
    expect(await begin(callTo(names.map((name) => routeTo(name))))).toMatchObject(failure);
    expect(called.map(({ provider }) => provider)).toEqual(names);
  });

  test('a target with an open circuit is not called, and if all are open none is called', async () => {
    does = { a: fails('ECONNREFUSED'), b: answers(200) };
    const both = callTo([routeTo('a'), routeTo('b')]);
    for (let call = 0; call < 5; call++) await begin(both);
    called = [];
    expect(await begin(both)).toBe('b');
    expect(await begin(callTo([routeTo('a')]))).toMatchObject({ kind: 'unreachable' });
    expect(called.map(({ provider }) => provider)).toEqual(['b']);
    nowMs = 10_000;
    does.a = answers(200);
    expect(await begin(both)).toBe('a');
  });
});

describe('the request body', () => {
  test('is prepared for the first route and rebuilt for another one or for less output', async () => {
    does = { a: answers(500), b: answers(500), other: answers(200) };
    await begin(callTo([routeTo('a'), routeTo('b'), routeTo('other')]));
    const bodies = called.map(({ request }) => String(request.body));
    expect(bodies).toEqual(['prepared', expect.stringContaining('"model":"m"'), 'translated']);
    called = [];
    does.a = answers(200);
    await begin(callTo([routeTo('a')], { loweredMaxTokens: 3 }));
    expect(JSON.parse(String(called[0]!.request.body))).toMatchObject({ max_tokens: 3 });
  });

  test('is sent with the credential of the provider and the timeouts of the target', async () => {
    does = { a: answers(500), b: answers(200) };
    await begin(callTo([routeTo('a', { connectTimeoutMs: 5, idleTimeoutMs: 7 }), routeTo('b')]));
    expect(called.map(({ request }) => request.timeouts)).toEqual([
      { connectMs: 5, firstByteMs: 1_000, idleMs: 7 },
      TIMEOUTS,
    ]);
    expect(called.map(({ request }) => request.headers.authorization)).toEqual(['Bearer a', 'Bearer b']);
  });

  test('is not sent to a provider that cannot carry the call, and its refusal does not reach the client', async () => {
    does = { a: answers(500), b: answers(200) };
    const cannot = routeTo('other', {}, true);
    expect(await begin(callTo([routeTo('a'), cannot, routeTo('b')]))).toBe('b');
    expect(await begin(callTo([routeTo('a'), cannot]))).toEqual({ kind: 'status', status: 500 });
    expect(called.map(({ provider }) => provider)).toEqual(['a', 'b', 'a']);
  });
});

describe('a client that disconnects', () => {
  test('stops the call: no other target is tried, and no failure is counted', async () => {
    does = { a: isSilent, b: answers(200) };
    const caller = new AbortController();
    const begun = begin(callTo([routeTo('a'), routeTo('b')]), caller.signal);
    caller.abort();
    await expect(begun).rejects.toThrow('CLIENT_DISCONNECTED');
    expect([called.length, outcomes]).toEqual([1, []]);
  });

  test('does not cancel a call with hidden usage but prevents another target', async () => {
    does = { a: fails('ECONNRESET'), b: answers(200) };
    const caller = new AbortController();
    const listening = new AbortController();
    const begun = dispatcher.begin(
      context(caller.signal),
      callTo([routeTo('a'), routeTo('b')]),
      listening.signal,
    );
    caller.abort();
    await expect(begun).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(called.map(({ request }) => request.signal)).toEqual([listening.signal]);
  });
});

describe('a call in flight', () => {
  test('counts at its target until the reply is closed', async () => {
    let close = () => {};
    does = {
      a: async ({ onClose }) => {
        close = onClose!;
        return { status: 200, headers: {}, body: bytesOf('{}') };
      },
    };
    const route = routeTo('a');
    await begin(callTo([route]));
    expect(health.inFlight(route)).toBe(1);
    close();
    expect(health.inFlight(route)).toBe(0);
  });

  test('no longer counts when the whole reply arrived before its head was seen', async () => {
    does = {
      a: async ({ onClose }) => {
        onClose!();
        return { status: 200, headers: {}, body: bytesOf('{}') };
      },
    };
    const route = routeTo('a');
    await begin(callTo([route]));
    expect(health.inFlight(route)).toBe(0);
  });

  test('no longer counts at a target that failed, also if its connection closed first', async () => {
    does = {
      a: async ({ onClose }) => {
        onClose!();
        throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      },
      b: answers(200),
    };
    const [a, b] = [routeTo('a'), routeTo('b')];
    expect(await begin(callTo([a, b]))).toBe('b');
    expect([health.inFlight(a), health.inFlight(b)]).toEqual([0, 1]);
  });
});

describe('the session of a call', () => {
  test('stays with the target that answered after another one failed', async () => {
    does = { a: fails('ECONNREFUSED'), b: answers(200) };
    const [a, b] = [routeTo('a'), routeTo('b')];
    await begin(callTo([a, b], { session: 's' }));
    expect(sessions.get('s')).toBe(routeName(b));
    does = { a: answers(200), b: fails('ECONNREFUSED') };
    await begin(callTo([b, a], { session: 's' }));
    expect(sessions.get('s')).toBe(routeName(a));
  });

  test('is not remembered where the strategy finds the same target again', async () => {
    does = { a: answers(200) };
    await begin(callTo([routeTo('a'), routeTo('b')], { session: 's' }));
    expect(sessions.get('s')).toBeUndefined();
    const model = {
      capabilities: new Set(),
      maxOutputTokens: 100,
      strategy: 'least-busy',
    } as unknown as Model;
    await begin(callTo([routeTo('a'), routeTo('b')], { session: 's', model }));
    expect(sessions.get('s')).toBe(routeName(routeTo('a')));
  });
});

test('timeouts of the target come before those of the provider, and those before the usual ones', async () => {
  does = { a: answers(200) };
  const route = routeTo('a', { connectTimeoutMs: 7 });
  const connection = { connectMs: 300, idleMs: 400, proxy: 'http://proxy:3128' };
  await begin(callTo([{ ...route, provider: { ...route.provider, connection } }]));
  expect(called[0]!.request).toMatchObject({
    timeouts: { connectMs: 7, idleMs: 400, firstByteMs: TIMEOUTS.firstByteMs },
    proxy: 'http://proxy:3128',
  });
});

describe('the limits of a credential', () => {
  const limitedTo = (limits: CredentialLimits): Route => {
    const route = routeTo('a');
    return { ...route, credential: { ...route.credential, limits } };
  };

  test('move a call to the next target before the provider refuses it', async () => {
    does = { a: answers(200), b: answers(200) };
    const routes = [limitedTo({ requestsPerMinute: 2 }), routeTo('b')];
    const answered: unknown[] = [];
    for (let call = 0; call < 3; call++) answered.push(await begin(callTo(routes)));
    expect(answered).toEqual(['a', 'a', 'b']);
    nowMs = 60_000;
    expect(await begin(callTo(routes))).toBe('a');
    expect(outcomes).not.toContain('a 429');
  });

  test('refuse a call that no other target can answer, with the time until one can', async () => {
    does = { a: answers(200) };
    const routes = [limitedTo({ requestsPerMinute: 1 })];
    await begin(callTo(routes));
    nowMs = 15_000;
    expect(await begin(callTo(routes))).toEqual({ kind: 'status', status: 429, retryAfterSeconds: 45 });
  });

  test('hold while the address of calls is waited for', async () => {
    does = { a: answers(200), b: answers(200) };
    const route = limitedTo({ concurrency: 1 });
    const address = { url: new URL('http://a/'), headers: {} };
    let sign = () => {};
    const signed = new Promise<void>((resolve) => {
      sign = resolve;
    });
    const slow = { ...route, provider: { ...route.provider, address: () => signed.then(() => address) } };
    const calls = [begin(callTo([slow, routeTo('b')])), begin(callTo([slow, routeTo('b')]))];
    sign();
    expect(await Promise.all(calls)).toEqual(['a', 'b']);
  });

  /** Returns a route whose credential has spent its daily cost. */
  const spentRoute = (): Route => {
    const route = routeTo('a');
    const credential = { ...route.credential, id: 'spent' };
    costs.replaceCredentials([{ provider: 'a', id: 'spent', name: 'main', limitNano: 5n }]);
    costs.add('spent', 5n);
    return { ...route, credential };
  };

  test('move a call to the next credential when one has spent its daily cost, until midnight UTC', async () => {
    does = { a: answers(200), b: answers(200) };
    const routes = [spentRoute(), routeTo('b')];
    expect(await begin(callTo(routes))).toBe('b');
    expect(outcomes).toEqual(['b answered']);
    nowMs = 24 * 3_600_000;
    expect(await begin(callTo(routes))).toBe('a');
  });

  test('make a call unavailable when every credential has spent its daily cost, without a wait of hours', async () => {
    const failure = await begin(callTo([spentRoute()]));
    expect(failure).toMatchObject({
      kind: 'unreachable',
      cause: expect.objectContaining({ message: expect.stringContaining('daily cost limit') }),
    });
    expect(toGatewayError(failure as UpstreamFailure).code).toBe('upstream_unavailable');
    expect(called).toEqual([]);
  });

  test('tell the wait of a rate limit if the other credentials have spent their daily cost', async () => {
    does = { a: answers(200) };
    const limited = limitedTo({ requestsPerMinute: 1 });
    await begin(callTo([limited]));
    expect(await begin(callTo([spentRoute(), limited]))).toMatchObject({
      status: 429,
      retryAfterSeconds: 60,
    });
  });

  test('tell the shortest wait if several credentials are at their limits', async () => {
    does = { a: answers(200) };
    const [long, short] = ['long', 'short'].map((id) => {
      const route = limitedTo({ requestsPerMinute: 1 });
      return { ...route, credential: { ...route.credential, id } };
    }) as [Route, Route];
    await begin(callTo([short]));
    nowMs = 50_000;
    await begin(callTo([long]));
    expect(await begin(callTo([long, short]))).toMatchObject({ status: 429, retryAfterSeconds: 10 });
  });

  test('count calls in flight, and not those whose address could not be signed', async () => {
    let close = () => {};
    does = {
      a: async ({ onClose }) => {
        close = onClose!;
        return { status: 200, headers: {}, body: bytesOf('{}') };
      },
      b: answers(200),
    };
    const route = limitedTo({ concurrency: 1 });
    const unsigned = { ...route.provider, address: () => Promise.reject(new Error('no token')) };
    expect(await begin(callTo([{ ...route, provider: unsigned }, routeTo('b')]))).toBe('b');
    expect(await begin(callTo([route, routeTo('b')]))).toBe('a');
    expect(await begin(callTo([route, routeTo('b')]))).toBe('b');
    close();
    expect(await begin(callTo([route, routeTo('b')]))).toBe('a');
  });
});

describe('fallback models', () => {
  const modelNamed = (slug: string) =>
    ({ slug, capabilities: new Set(), maxOutputTokens: 100, strategy: 'weighted' }) as unknown as Model;
  const fallbackTo = (id: string, fields: CallFields = {}) =>
    callTo([routeTo(id)], { model: modelNamed(`second/${id}`), requestedModel: 'first/model', ...fields });
  const call = (...fallbacks: AdmittedCall[]) =>
    callTo([routeTo('a'), routeTo('b')], { model: modelNamed('first/model'), fallbacks });

  test('answer in their order when every target of the model has failed', async () => {
    does = { a: answers(503), b: fails('ECONNREFUSED'), c: answers(429), d: answers(200) };
    const begun = await dispatcher.begin(context(), call(fallbackTo('c'), fallbackTo('d')));
    expect([begun.route.provider.id, begun.call.model.slug]).toEqual(['d', 'second/d']);
    expect(outcomes).toEqual([
      'a 503',
      'b unreachable',
      'c 429',
      'd answered',
      'first/model fell back to second/d',
    ]);
  });

  test('are not called while a target of the model answers', async () => {
    does = { a: answers(503), b: answers(200), c: answers(200) };
    const begun = await dispatcher.begin(context(), call(fallbackTo('c')));
    expect(begun.call.model.slug).toBe('first/model');
    expect(called.map(({ provider }) => provider)).toEqual(['a', 'b']);
  });

  test('are not called for a call that its client must change', async () => {
    does = { a: answers(400), c: answers(200) };
    expect(await begin(call(fallbackTo('c')))).toEqual({ kind: 'status', status: 400 });
    expect(called).toHaveLength(1);
  });

  test('that refuse the call leave the failure of the requested model as the error', async () => {
    does = { a: answers(503), b: answers(503), c: answers(400), d: fails('ECONNRESET') };
    expect(await begin(call(fallbackTo('c'), fallbackTo('d')))).toMatchObject({ status: 503 });
    expect(called.map(({ provider }) => provider)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('get the output that is paid for at their own price', async () => {
    does = { a: answers(503), b: answers(503), c: answers(200) };
    await dispatcher.begin(context(), call(fallbackTo('c', { loweredMaxTokens: 3 })));
    const sent = JSON.parse(String(called.at(-1)!.request.body));
    expect(sent.max_tokens).toBe(3);
  });
});

test("the log names the provider's own id of a failed request", async () => {
  does = { a: answers(503, '{}', { 'x-request-id': 'req_7' }) };
  const logged: object[] = [];
  const log = { warn: (fields: object) => void logged.push(fields) };
  await expect(
    dispatcher.begin({ ...context(), log } as unknown as RequestContext, callTo([routeTo('a')])),
  ).rejects.toThrow();
  expect(logged).toMatchObject([{ provider: 'a', err: { providerRequestId: 'req_7' } }]);
});

test("a provider's rate limits are reported for the credential of the call, also of a refusal", async () => {
  const headers = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-limit-requests': '60' };
  does = { a: answers(429, '{}', headers) };
  await expect(dispatcher.begin(context(), callTo([routeTo('a')]))).rejects.toThrow();
  expect(health.credentialReports()).toMatchObject([
    { provider: 'a', rateLimits: { limits: [{ name: 'requests', remaining: 0, limit: 60 }] } },
  ]);
});
