import type { UsageEvent } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import type { LinkReply } from '@gateway/link';
import { memoryQuota, Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { environmentAccount, UpstreamError } from '@gateway/upstream';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Model } from '../domain/model';
import { MAX_REPLY_BYTES, ReplyMemory } from '../domain/reply-memory';
import { targetOf } from '../domain/route.fixture';
import type { BilledModel, DispatchedCall } from '../domain/settlement-event';
import { parseChatRequest } from '../formats/openai/chat-request';
import { openAiProvider } from '../providers/openai/openai-provider';
import { QUIRKS } from '../providers/openai/quirks';
import { AbandonedCalls } from './abandoned-calls';
import type { AdmittedCall } from './admitted-call';
import { ChatRunner } from './chat-runner';
import type { StartedReply } from './dispatcher';
import { MeteredChatCall } from './metered-chat-call';
import { ProgressClock } from './progress-clock';
import { RateReporter } from './rate-reporter';

const RATES = { requests: { limit: 9n, remaining: 8n, resetSeconds: 61 } };
/** What the provider charges: 3 and 5 nano-USD per token. */
const COST = { input: 3_000_000n, output: 5_000_000n };
const KEEP_ALIVE_MS = 10;
const KEEP_ALIVE = ': keep-alive\n\n';
const NOTHING = Buffer.alloc(0);
const DONE = 'data: [DONE]\n\n';
const chunk = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } })}\n\n`;
const ERROR_FRAME = /data: \{"error":\{"type":"upstream_error","code":"upstream_failed".*\}\n\n$/;

const provider = openAiProvider(
  {
    id: 'second',
    baseUrl: 'http://provider.invalid/v1',
    apiKey: 'k',
    quirks: QUIRKS.common,
    encoding: 'o200k',
    countsByO200k: true,
  },
  new Quota({ limit: 1_000_000 }),
);

let clock: ProgressClock;
let ended: UsageEvent[];
let dispatched: DispatchedCall[];
let broken: string[];
let reported: number[];
let healths: string[];
let caller: AbortController;
let replyMemory: Quota;
let abandoned: AbandonedCalls;
let left: string[];
/** Of the provider, in nano-USD. */
let costs: bigint[];
beforeEach(() => {
  clock = new ProgressClock();
  ended = [];
  dispatched = [];
  costs = [];
  broken = [];
  reported = [];
  healths = [];
  caller = new AbortController();
  abandoned = new AbandonedCalls({ maxOfAccount: 1, timeoutMs: 60_000 });
  left = [];
  replyMemory = memoryQuota(2 * MAX_REPLY_BYTES, 0);
});
afterEach(() => clock.close());

const bodyOf = (stream: boolean) =>
  Buffer.from(JSON.stringify({ model: 'sim/chat', stream, messages: [{ role: 'user', content: 'hi' }] }));

function admitted(
  outputTokens: number,
  body: Buffer,
  usageIsHidden: boolean,
  startedAtMs: number,
): AdmittedCall {
  const journal = {
    dispatched: async (call: DispatchedCall) => {
      dispatched.push(call);
    },
    progress: () => {},
    final: async () => {},
  };
  const price = { input: 1_000_000n, output: 1_000_000n };
  const metered = new MeteredChatCall(
    {
      requestId: 'r',
      accountId: 'a',
      keyId: 'k',
      model: 'sim/chat',
      provider: 'first',
      endpoint: '/v1/chat/completions',
      streamed: true,
      price,
      priceVersion: 1n,
      startedAtMs,
      holdNano: 1_000n,
    },
    journal,
    (event) => ended.push(event),
  );
  return {
    accountId: 'a',
    request: parseChatRequest(body),
    model: { slug: 'sim/chat', hidesReasoning: false, maxImageTokens: 0 } as Model,
    routes: [{ ...environmentAccount(provider), target: targetOf('second') }],
    session: undefined,
    detailedMessages: false,
    body,
    usageIsHidden,
    metered,
    rateReport: new RateReporter(
      {
        requestId: 'r',
        keyId: 'k',
        reservation: { generation: '1', bucket: '1', tokens: '12' },
        promptTokens: 10,
        expectedTokens: 2,
      },
      ({ usedTokens }) => reported.push(Number(usedTokens)),
    ),
    loweredMaxTokens: 5,
    outputTokens,
    rates: RATES,
    headers: { 'x-gateway-max-tokens': '5' },
    fallbacks: [],
  };
}

async function* reply(...pieces: (string | Buffer | Error)[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    if (piece instanceof Error) throw piece;
    yield Buffer.from(piece);
  }
}

/** Sends a call whose provider begins with the given reply. */
function send(
  begun: Promise<AsyncIterable<Buffer>>,
  {
    keepAliveMs = 60_000,
    outputTokens = 100,
    stream = true,
    usageIsHidden = false,
    fallback = undefined as BilledModel | undefined,
    keepAlive = undefined as string | undefined,
    detailedMessages = false,
    startedAtMs = Date.now(),
  } = {},
) {
  const body = bodyOf(stream);
  const openAi = admitted(outputTokens, body, usageIsHidden, startedAtMs);
  const replies = { ...openAi.request.replies, ...(keepAlive && { keepAlive }) };
  const call = { ...openAi, detailedMessages, request: { ...openAi.request, replies } };
  const runner = new ChatRunner({
    dispatcher: {
      begin: async () =>
        ({
          call: fallback ? asFallback(call, fallback) : call,
          route: { ...environmentAccount(provider), target: targetOf('second', { cost: COST }) },
          body,
          reply: await begun,
          headers: {},
        }) as StartedReply,
    },
    clock,
    abandoned,
    limiter: { addOutput: () => {}, addCost: (_route, nano) => costs.push(nano) },
    metrics: { streamBroke: (id) => broken.push(id), clientDisconnected: (outcome) => left.push(outcome) },
    health: {
      recordBrokenReply: ({ target }) => healths.push(`${target.provider} broke`),
      recordCompleteReply: ({ target }) => healths.push(`${target.provider} ended`),
    },
    replyMemory,
    keepAliveMs,
  });
  const context = { requestId: 'r', signal: caller.signal, log: { warn() {} } } as unknown as RequestContext;
  return runner.send(context, call);
}

const asFallback = (call: AdmittedCall, billedAs: BilledModel): AdmittedCall => ({
  ...call,
  model: { ...call.model, slug: billedAs.model },
  billedAs,
  headers: { 'x-gateway-fallback-model': billedAs.model },
});

async function textOf({ body: bytes }: LinkReply, onPiece = (_text: string) => {}): Promise<string> {
  let text = '';
  for await (const piece of bytes as AsyncIterable<Buffer>) {
    text += piece.toString();
    onPiece(text);
  }
  return text;
}

const streamOf = async (...pieces: (string | Buffer | Error)[]) =>
  textOf(await send(Promise.resolve(reply(...pieces))));

describe('a complete stream', () => {
  test("is passed on in the provider's chunks and billed with the usage of the provider that answered", async () => {
    const answer = await send(Promise.resolve(reply(chunk('a'), chunk('b'), USAGE + DONE)));
    expect(answer.headers).toMatchObject({ 'x-gateway-max-tokens': '5' });
    const seen: number[] = [];
    expect(await textOf(answer, () => seen.push(ended.length))).toBe(chunk('a') + chunk('b') + DONE);
    // The last chunk is sent only after the usage is recorded.
    expect(seen).toEqual([0, 0, 1]);
    expect(ended).toMatchObject([
      {
        outcome: 'USAGE_OUTCOME_SETTLED',
        provider: 'second',
        costNano: '11',
        providerCostNano: '37',
        errorCode: '',
      },
    ]);
    expect(costs).toEqual([37n]);
    expect(broken).toEqual([]);
    expect(healths).toEqual(['second ended']);
  });
});

test('a stream in flight reports its tokens for the TPM limit', async () => {
  clock.close();
  clock = new ProgressClock(1);
  async function* streamed(): AsyncGenerator<Buffer> {
    for (let i = 0; i < 5; i++) yield Buffer.from(chunk('word '));
    while (reported.length === 0) await new Promise((resolve) => setImmediate(resolve));
    yield Buffer.from(USAGE + DONE);
  }
  await textOf(await send(Promise.resolve(streamed())));
  // The estimated prompt and the actual output, which exceeds the expected 2 tokens.
  expect(reported[0]).toBe(10 + 5);
});

describe('a stream fails', () => {
  test.each([
    ['ends the stream early', []],
    ['resets the connection', [new Error('ECONNRESET')]],
    ['sends an error event', ['data: {"error":{"message":"overloaded"}}\n\n', DONE]],
    ['ends within the end marker', ['data: [DON']],
  ])(
    'when the provider %s: it ends with an error event, and the output so far is charged',
    async (_how, tail) => {
      const text = await streamOf(chunk('a'), chunk(' b'), ...tail);
      expect(text).toMatch(ERROR_FRAME);
      expect(text.startsWith(chunk('a') + chunk(' b'))).toBe(true);
      expect(text).not.toContain('[DONE]');
      expect(ended).toMatchObject([
        { outcome: 'USAGE_OUTCOME_SETTLED', errorCode: 'upstream_failed', tokens: { output: '2' } },
      ]);
      expect(broken).toEqual(['second']);
      expect(healths).toEqual(['second broke']);
    },
  );

  test('when the provider sends no output for hours, even if it sends comments', async () => {
    const hourMs = 3_600_000;
    const clockMs = jest.spyOn(performance, 'now').mockReturnValue(0);
    async function* pings() {
      yield Buffer.from(chunk('a'));
      for (let hour = 0; hour < 100; hour++) {
        clockMs.mockReturnValue(hour * hourMs);
        yield Buffer.from(': ping\n\n');
      }
    }
    try {
      const text = await textOf(await send(Promise.resolve(pings())));
      expect(text).toMatch(ERROR_FRAME);
      expect(clockMs.mock.results.at(-1)!.value).toBe(3 * hourMs);
    } finally {
      clockMs.mockRestore();
    }
  });

  test('when the provider far exceeds the requested maximum', async () => {
    const text = await textOf(
      await send(Promise.resolve(reply(...Array.from({ length: 5_000 }, () => chunk('a')), DONE)), {
        outputTokens: 1,
      }),
    );
    expect(text).toMatch(ERROR_FRAME);
    expect(text.length).toBeLessThan(chunk('a').length * 4_500);
  });
});

describe('during a pause of the provider', () => {
  test('keep-alive comments are sent between events, and they are not billed', async () => {
    expect(await streamOf(chunk('a'), NOTHING, NOTHING, USAGE, DONE)).toBe(
      `${chunk('a')}${KEEP_ALIVE}${KEEP_ALIVE}${DONE}`,
    );
    expect(ended).toMatchObject([{ costNano: '11', providerCostNano: '37' }]);
    expect(costs).toEqual([37n]);
  });

  test('a format whose clients do not read comments has its own keep-alive', async () => {
    const silent = reply(chunk('a'), NOTHING, USAGE, DONE);
    expect(await textOf(await send(Promise.resolve(silent), { keepAlive: '\n\n' }))).toBe(
      `${chunk('a')}\n\n${DONE}`,
    );
  });

  test('no keep-alive comment is sent between the chunks of one event', async () => {
    const event = chunk('a');
    expect(await streamOf(event.slice(0, 9), NOTHING, event.slice(9), DONE)).toBe(KEEP_ALIVE + event + DONE);
  });

  test('keep-alive comments are sent although the provider sends events that the client does not see', async () => {
    // The client did not request usage, so it receives none of these events.
    const text = await textOf(await send(Promise.resolve(reply(USAGE, USAGE, DONE)), { keepAliveMs: 0 }));
    expect(text).toBe(`${KEEP_ALIVE}${KEEP_ALIVE}${KEEP_ALIVE}${DONE}`);
  });

  test('keep-alive comments are sent before the provider starts to answer', async () => {
    const { promise, resolve } = Promise.withResolvers<AsyncIterable<Buffer>>();
    const answer = await send(promise, { keepAliveMs: KEEP_ALIVE_MS });
    const text = await textOf(answer, (soFar) => {
      if (soFar === KEEP_ALIVE.repeat(3)) resolve(reply(chunk('a'), DONE));
    });
    expect(text).toBe(`${KEEP_ALIVE.repeat(3)}${chunk('a')}${DONE}`);
    expect(ended).toMatchObject([{ outcome: 'USAGE_OUTCOME_SETTLED', errorCode: '' }]);
  });

  test('a failure ends the stream with an error event, and the call is free', async () => {
    const { promise, reject } = Promise.withResolvers<AsyncIterable<Buffer>>();
    const answer = await send(promise, { keepAliveMs: KEEP_ALIVE_MS });
    const text = await textOf(answer, () => reject(new UpstreamError({ kind: 'status', status: 500 })));
    expect(text).toMatch(ERROR_FRAME);
    expect(ended).toMatchObject([{ outcome: 'USAGE_OUTCOME_RELEASED', errorCode: 'upstream_failed' }]);
  });
});

test("a late failure's message has the provider's where the key asks for it", async () => {
  const { promise, reject } = Promise.withResolvers<AsyncIterable<Buffer>>();
  const answer = await send(promise, { keepAliveMs: KEEP_ALIVE_MS, detailedMessages: true });
  const failure = new UpstreamError({ kind: 'status', status: 400, message: 'stop is too long' });
  expect(await textOf(answer, () => reject(failure))).toContain(
    '"message":"Invalid request body. stop is too long"',
  );
});

describe('a provider that fails immediately', () => {
  test('fails the call with an error status, free of charge', async () => {
    const failure = new UpstreamError({ kind: 'status', status: 429, retryAfterSeconds: 7 });
    await expect(send(Promise.reject(failure))).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 7,
      rates: RATES,
      maxTokens: 5,
    });
    expect(ended).toMatchObject([{ outcome: 'USAGE_OUTCOME_RELEASED', errorCode: 'rate_limited' }]);
  });
});

describe('a client that disconnects', () => {
  test('before the first byte pays nothing', async () => {
    const { promise, reject } = Promise.withResolvers<AsyncIterable<Buffer>>();
    const sent = send(promise);
    // Waits until the call is dispatched.
    await new Promise(setImmediate);
    caller.abort();
    reject(new Error('CLIENT_DISCONNECTED'));
    await expect(sent).rejects.toBeInstanceOf(GatewayError);
    expect(ended).toMatchObject([
      {
        outcome: 'USAGE_OUTCOME_RELEASED',
        status: 499,
        errorCode: '',
        // The cost of the prompt.
        lossReason: 'LOSS_REASON_ABANDONED',
        lossNano: '8',
      },
    ]);
    expect(left).toEqual(['cancelled']);
  });

  test('before the first byte costs the operator what was probably generated of a reply that is not streamed', async () => {
    const lossOf = async (elapsedMs: number) => {
      caller = new AbortController();
      const { promise, reject } = Promise.withResolvers<AsyncIterable<Buffer>>();
      const sent = send(promise, { stream: false, outputTokens: 500, startedAtMs: Date.now() - elapsedMs });
      await new Promise(setImmediate);
      caller.abort();
      reject(new Error('CLIENT_DISCONNECTED'));
      await expect(sent).rejects.toBeInstanceOf(GatewayError);
      return Number(ended.pop()?.lossNano) - 8;
    };
    const twoSeconds = await lossOf(2_000);
    expect(twoSeconds).toBeGreaterThanOrEqual(300);
    expect(twoSeconds).toBeLessThan(500);
    expect(await lossOf(60_000)).toBe(500);
  });

  test('before the first byte causes no operator loss if the provider was not reached or refused', async () => {
    const refused = new UpstreamError({ kind: 'status', status: 500 });
    const refusing = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const unsent = Object.assign(new Error('not sent'), { code: 'NOT_SENT' });
    for (const [failure, usageIsHidden] of [refused, refusing, unsent].flatMap((one) => [
      [one, false] as const,
      [one, true] as const,
    ])) {
      caller = new AbortController();
      const { promise, reject } = Promise.withResolvers<AsyncIterable<Buffer>>();
      const sent = send(promise, { usageIsHidden });
      await new Promise(setImmediate);
      caller.abort();
      reject(failure);
      await expect(sent).rejects.toBeInstanceOf(GatewayError);
      expect(ended.pop()).toMatchObject({ outcome: 'USAGE_OUTCOME_RELEASED', status: 499, lossNano: '0' });
    }
    expect([left, abandoned.count]).toEqual([[], 0]);
  });

  test('before the dispatch causes no upstream call', async () => {
    caller.abort();
    await expect(send(Promise.resolve(reply(chunk('a'), DONE)))).rejects.toBeInstanceOf(GatewayError);
    expect(ended).toMatchObject([{ outcome: 'USAGE_OUTCOME_RELEASED', status: 499, lossNano: '0' }]);
  });

  test('while waiting pays nothing, and its link still receives the end of the stream', async () => {
    const { promise, reject } = Promise.withResolvers<AsyncIterable<Buffer>>();
    const answer = await send(promise, { keepAliveMs: KEEP_ALIVE_MS });
    await textOf(answer, () => {
      caller.abort();
      reject(new Error('CLIENT_DISCONNECTED'));
    });
    expect(ended).toMatchObject([{ outcome: 'USAGE_OUTCOME_RELEASED', status: 499 }]);
  });

  test('mid-stream pays for what arrived', async () => {
    const answer = await send(Promise.resolve(reply(chunk('a'), chunk(' b'), chunk(' c'))));
    await textOf(answer, () => caller.abort());
    expect(ended).toMatchObject([
      {
        outcome: 'USAGE_OUTCOME_SETTLED',
        status: 499,
        errorCode: '',
        tokens: { output: '3' },
        lossNano: '0',
      },
    ]);
    expect(broken).toEqual([]);
    expect(healths).toEqual([]);
    expect(left).toEqual(['charged']);
  });
});

describe('a client that disconnects from a call with hidden usage', () => {
  const hidden = { usageIsHidden: true };
  const settled = { outcome: 'USAGE_OUTCOME_SETTLED', status: 499, errorCode: '' };

  test('mid-stream pays what the provider reports at the end', async () => {
    const answer = await send(Promise.resolve(reply(chunk('a'), USAGE, DONE)), hidden);
    const listening: number[] = [];
    await textOf(answer, () => {
      caller.abort();
      listening.push(abandoned.count);
    });
    expect(ended).toMatchObject([
      { ...settled, costNano: '11', usageSource: 'USAGE_SOURCE_PROVIDER', lossNano: '0' },
    ]);
    expect([listening[0], abandoned.count, left]).toEqual([1, 0, ['charged']]);
  });

  test('before a stream begins pays what the provider reports at the end', async () => {
    const { promise, resolve } = Promise.withResolvers<AsyncIterable<Buffer>>();
    const sent = send(promise, hidden);
    await new Promise(setImmediate);
    caller.abort();
    resolve(reply(chunk('a'), USAGE, DONE));
    await textOf(await sent);
    expect(ended).toMatchObject([{ ...settled, costNano: '11', lossNano: '0' }]);
    expect(abandoned.count).toBe(0);
  });

  test('pays what a reply that is not a stream reports', async () => {
    const { promise, resolve } = Promise.withResolvers<AsyncIterable<Buffer>>();
    const sent = send(promise, { ...hidden, stream: false });
    await new Promise(setImmediate);
    caller.abort();
    resolve(
      reply(
        '{"choices":[{"index":0,"message":{"content":"a"}}],"usage":{"prompt_tokens":9,"completion_tokens":50}}',
      ),
    );
    await sent;
    expect(ended).toMatchObject([{ ...settled, costNano: '59', lossNano: '0' }]);
    expect([abandoned.count, left]).toEqual([0, ['charged']]);
  });

  test('pays what was counted of a stream without usage, and the rest of the hold is an operator loss', async () => {
    for (const tail of [[], [DONE]]) {
      caller = new AbortController();
      const answer = await send(Promise.resolve(reply(chunk('a'), chunk(' b'), ...tail)), hidden);
      await textOf(answer, () => caller.abort());
      const { costNano } = ended[0]!;
      expect(ended.pop()).toMatchObject({
        ...settled,
        usageSource: 'USAGE_SOURCE_COUNTED',
        tokens: { output: '2' },
        lossReason: 'LOSS_REASON_USAGE_UNKNOWN',
        lossNano: String(1_000n - BigInt(costNano)),
      });
    }
    expect([abandoned.count, left]).toEqual([0, ['usage_unknown', 'usage_unknown']]);
  });

  test('pays the prompt if nothing arrives, and the rest of the hold is an operator loss', async () => {
    const { promise, reject } = Promise.withResolvers<AsyncIterable<Buffer>>();
    const sent = send(promise, hidden);
    await new Promise(setImmediate);
    caller.abort();
    reject(Object.assign(new Error('silent'), { code: 'FIRST_BYTE_TIMEOUT' }));
    await expect(sent).rejects.toBeInstanceOf(GatewayError);
    expect(ended).toMatchObject([
      {
        ...settled,
        costNano: '8',
        tokens: { input: '8', output: '0' },
        lossReason: 'LOSS_REASON_USAGE_UNKNOWN',
        lossNano: '992',
      },
    ]);
    expect(abandoned.count).toBe(0);
  });
});

describe('a call with hidden usage that fails while its client waits', () => {
  const hidden = { usageIsHidden: true };
  const loss = { lossReason: 'LOSS_REASON_USAGE_UNKNOWN' };

  test('is free, and its hold is an operator loss if the provider may have charged', async () => {
    const timeout = Object.assign(new Error('silent'), { code: 'FIRST_BYTE_TIMEOUT' });
    for (const stream of [true, false]) {
      await expect(send(Promise.reject(timeout), { ...hidden, stream })).rejects.toBeInstanceOf(GatewayError);
      expect(ended.pop()).toMatchObject({
        outcome: 'USAGE_OUTCOME_RELEASED',
        costNano: '0',
        ...loss,
        lossNano: '1000',
      });
    }
    expect(left).toEqual([]);
  });

  test('causes no operator loss if the provider refused it', async () => {
    const refused = new UpstreamError({ kind: 'status', status: 500 });
    await expect(send(Promise.reject(refused), hidden)).rejects.toBeInstanceOf(GatewayError);
    expect(ended).toMatchObject([{ outcome: 'USAGE_OUTCOME_RELEASED', lossNano: '0' }]);
  });

  test('books the rest of the hold as an operator loss when its stream breaks or ends without usage', async () => {
    for (const tail of [[new Error('reset')], [DONE]]) {
      await textOf(await send(Promise.resolve(reply(chunk('a'), ...tail)), hidden));
      const { costNano } = ended[0]!;
      expect(ended.pop()).toMatchObject({
        outcome: 'USAGE_OUTCOME_SETTLED',
        status: 200,
        tokens: { output: '1' },
        ...loss,
        lossNano: String(1_000n - BigInt(costNano)),
      });
    }
    expect(left).toEqual([]);
  });
});

describe('a reply that is not a stream', () => {
  const MIB = 1024 * 1024;
  async function* completion(mib: number) {
    yield Buffer.from(
      '{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"',
    );
    for (let n = 0; n < mib; n++) yield Buffer.alloc(MIB, 'x');
    yield Buffer.from('"}}],"usage":{"prompt_tokens":9,"completion_tokens":2}}');
  }
  const whole = (mib: number) => send(Promise.resolve(completion(mib)), { stream: false });

  test('keeps its memory until the client has received it', async () => {
    const answer = await whole(5);
    expect(answer.headers['x-gateway-cost']).toBe('0.000000011');
    const received = Number(answer.headers['content-length']) - ',"cost":0.000000011'.length;
    expect(replyMemory.used).toBe(received);
    expect((await textOf(answer)).length).toBe(Number(answer.headers['content-length']));
    expect([replyMemory.used, healths]).toEqual([0, ['second ended']]);
    expect(ended).toMatchObject([{ costNano: '11' }]);
  });

  test('reserves no memory if it is small', async () => {
    expect((await whole(0)).body).toBeInstanceOf(Buffer);
  });

  test('that is too large to be read is charged at its maximum', async () => {
    await expect(whole(64)).rejects.toMatchObject({ code: 'upstream_failed' });
    expect(ended).toMatchObject([
      {
        outcome: 'USAGE_OUTCOME_SETTLED',
        status: 502,
        errorCode: 'upstream_failed',
        usageSource: 'USAGE_SOURCE_COUNTED',
        tokens: { input: '8', output: '100' },
        providerCostNano: '524',
      },
    ]);
    expect(costs).toEqual([524n]);
    expect([replyMemory.used, healths]).toEqual([0, ['second broke']]);
  });

  test('waits for memory, and without any is free and not a failure of its target', async () => {
    jest.useFakeTimers();
    try {
      await new ReplyMemory(replyMemory, 'b').grow(MAX_REPLY_BYTES);
      const failed = expect(whole(5)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
      await jest.advanceTimersByTimeAsync(30_000);
      await failed;
      expect(ended).toMatchObject([{ outcome: 'USAGE_OUTCOME_RELEASED', errorCode: 'rate_limited' }]);
      expect([replyMemory.used, healths]).toEqual([MAX_REPLY_BYTES, []]);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('a call that a fallback model answers', () => {
  const fallback: BilledModel = {
    model: 'other/chat',
    price: { input: 3_000_000n, output: 5_000_000n },
    standardPrice: undefined,
    priceVersion: 7n,
  };
  const whole = JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 2 },
  });

  test.each([
    ['streamed', true, [chunk('a'), USAGE + DONE]],
    ['whole', false, [whole]],
  ] as const)('is billed at its price and names it, %s', async (_, stream, pieces) => {
    const answer = await send(Promise.resolve(reply(...pieces)), { stream, fallback });
    expect(answer.headers).toMatchObject({ 'x-gateway-fallback-model': 'other/chat' });
    if (stream) await textOf(answer);
    expect(ended).toMatchObject([
      {
        outcome: 'USAGE_OUTCOME_SETTLED',
        model: 'other/chat',
        requestedModel: 'sim/chat',
        priceVersion: '7',
        costNano: String(9 * 3 + 2 * 5),
      },
    ]);
  });

  test('has its price in the journal, so that it is billed alike if the process dies', async () => {
    await textOf(await send(Promise.resolve(reply(chunk('a'), USAGE + DONE)), { fallback }));
    expect(dispatched.map(({ model, price }) => [model, price.input])).toEqual([
      ['sim/chat', 1_000_000n],
      ['other/chat', 3_000_000n],
    ]);
  });
});
