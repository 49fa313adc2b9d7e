import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { CLOSED_PORT } from '../support/closed-port';
import { expectConforms } from '../support/conforms';
import { type FaultProvider, type Misbehavior, startFaultProvider } from '../support/fault-provider';
import type { HttpAnswer } from '../support/http';
import { nano, readLedger } from '../support/ledger';
import { COMPLETION, DONE, httpReply, STREAM, streamHead, WORDS } from '../support/provider-replies';
import { type Customer, type System, startSystem } from '../support/system';
import { startTlsFaults, type TlsFaults } from '../support/tls-faults';
import { streamOf, WIRE_REPLIES, type WireName } from '../support/wire-replies';
import {
  type Caller,
  CHAT_FORMATS,
  type ChatEndpoint,
  COMPLETIONS,
  createCaller,
  MESSAGES,
  RESPONSES,
} from './caller';
import { TLS_CASES, upstreamCases } from './upstream';

/** Short, so that tests of stalls are fast; long enough for responses on a busy machine. */
const TIMEOUT_MS = '1000';
const BALANCE_USD = 100;
const KINDS = ['plain', 'streamed'] as const;

/** A translation from a client's format to a provider's format. */
interface Way {
  readonly from: string;
  readonly format: ChatEndpoint;
  readonly wire: WireName;
  readonly model: string;
  /** Nano-USD per token. */
  readonly inputNano: bigint;
  readonly outputNano: bigint;
}

const PROVIDERS: readonly Omit<Way, 'from' | 'format'>[] = [
  { wire: 'openai', model: 'openai/gpt-5.4-mini', inputNano: 750n, outputNano: 4_500n },
  { wire: 'anthropic', model: 'anthropic/claude-haiku-4-5', inputNano: 1_000n, outputNano: 5_000n },
  { wire: 'gemini', model: 'google/gemini-2.5-flash', inputNano: 300n, outputNano: 2_500n },
];
const WAYS = CHAT_FORMATS.flatMap((format) =>
  PROVIDERS.map(
    (provider): Way => ({
      ...{ ...provider, format, from: format.path },
      // OpenAI has both formats.
      ...(format === RESPONSES && provider.wire === 'openai' && { wire: 'responses' }),
    }),
  ),
);
const PASSED = WAYS[0]!;
/** The providers' format that a client's bytes are passed to. */
const NATIVE = new Map<ChatEndpoint, string>([
  [COMPLETIONS, 'openai'],
  [RESPONSES, 'responses'],
  [MESSAGES, 'anthropic'],
]);

let provider: FaultProvider;
let tlsFaults: TlsFaults;
let system: System;
let customer: Customer;
/** Makes the calls that fail before their first content, many of them concurrently. */
let unlucky: Customer;
let caller: Caller;

// Several cases run concurrently.
jest.setTimeout(20_000);

beforeAll(async () => {
  provider = await startFaultProvider();
  tlsFaults = await startTlsFaults();
  system = await startSystem({
    autoRestart: false,
    settings: {
      chat: {
        ...provider.settings,
        // Does not affect failures, so it is tested here as well.
        UNKNOWN_FIELDS: 'forward',
        XAI_BASE_URL: tlsFaults.baseUrl,
        MISTRAL_BASE_URL: 'http://no-such-host.invalid/v1',
        DEEPSEEK_BASE_URL: `http://127.0.0.1:${CLOSED_PORT}/v1`,
        UPSTREAM_CONNECT_TIMEOUT_MS: TIMEOUT_MS,
        UPSTREAM_FIRST_BYTE_TIMEOUT_MS: TIMEOUT_MS,
        UPSTREAM_IDLE_TIMEOUT_MS: TIMEOUT_MS,
      },
    },
  });
  customer = await system.provision({ balanceUsd: BALANCE_USD });
  unlucky = await system.provision({ balanceUsd: BALANCE_USD });
  caller = createCaller(system);
}, 60_000);
afterAll(async () => {
  await system?.stop();
  await provider?.stop();
  await tlsFaults?.stop();
}, 30_000);

function callOf(
  { apiKey }: Customer,
  { model, format }: Way,
  does: Misbehavior,
  fields: object = {},
): Promise<HttpAnswer> {
  const messages = [{ role: 'user', content: provider.prompt(does) }];
  return caller.chat(apiKey, { model, messages, max_tokens: 2_000, ...fields }, format);
}

const call = (way: Way, does: Misbehavior, fields?: object) => callOf(customer, way, does, fields);

async function chargeOf(answer: HttpAnswer, of = customer): Promise<bigint> {
  await system.settled(of);
  return (await readLedger(system, of)).charges.get(`${answer.headers['x-request-id']}`) ?? 0n;
}

describe.each(WAYS)('$from to $model', (way) => {
  const replies = WIRE_REPLIES[way.wire];

  describe.each(KINDS)('a %s call', (kind) => {
    const cases = upstreamCases(way.wire).filter(({ only }) => only === undefined || only === kind);
    test.concurrent.each(cases)('$code: $when', async ({ code, does, ...particulars }) => {
      const answer = await callOf(unlucky, way, does, { stream: kind === 'streamed' });
      expectConforms(answer, code, particulars);
    });
  });

  test("an unknown field is forwarded to a provider of the client's format only", async () => {
    let received: Record<string, unknown> = {};
    const answer = await call(
      way,
      ({ socket, body }) => {
        received = JSON.parse(body);
        socket.write(httpReply(200, replies.whole));
      },
      { colour: 'red' },
    );
    const native = way.wire === NATIVE.get(way.format);
    expect([answer.status, received.colour]).toEqual([200, native ? 'red' : undefined]);
  });

  test("a complete reply names the model's slug and is billed by its own usage", async () => {
    const answer = await call(way, ({ socket }) => socket.write(httpReply(200, replies.whole)));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Hello there, how are you?')]);
    expect(answer.json.model).toBe(way.model);
    expect(await chargeOf(answer)).toBe(20n * way.inputNano + 8n * way.outputNano);
  });

  test("a complete stream names the model's slug, is billed by its own usage, and ends in its format's way", async () => {
    const stream = `${streamHead()}${streamOf(replies)}`;
    const answer = await call(way, ({ socket }) => socket.end(stream), { stream: true });
    expect([answer.status, answer.text.includes(END_MARKS.get(way.format)!)]).toEqual([200, true]);
    expect(modelsIn(answer.text)).toEqual([way.model]);
    expect(await chargeOf(answer)).toBe(20n * way.inputNano + 8n * way.outputNano);
  });

  const MAX = Number.MAX_SAFE_INTEGER;
  test.each([
    ['huge', MAX, MAX],
    ['above the requested maximum', 20, 1_000_000],
    ['negative', -1, -1],
    ['fractional', 1.5, 0.1],
    ['text', '20', '8'],
    ['absent', undefined, undefined],
    ['null', null, null],
  ])("usage that is %s never costs more than the call's bound", async (_name, input, output) => {
    const reply = httpReply(200, replies.withUsage(input, output));
    // What a provider reports beyond the hold limits the account for an hour.
    const own = await system.provision({ balanceUsd: BALANCE_USD });
    const answer = await callOf(own, way, ({ socket }) => socket.write(reply));
    expect(answer.status).toBe(200);
    const charge = await chargeOf(answer, own);
    expect(charge).toBeGreaterThan(0n);
    expect(charge).toBeLessThan(nano(0.012));
  });

  describe('a stream that fails after its third word', () => {
    const partialStream = `${streamHead()}${replies.partialStream}`;
    const breaks: [string, Misbehavior][] = [
      ['ends without its end marker', ({ socket }) => socket.end(partialStream)],
      ['is reset', ({ socket }) => socket.write(partialStream, () => socket.resetAndDestroy())],
      ['stalls', ({ socket }) => socket.write(partialStream)],
      [
        'ends within an event',
        ({ socket }) => socket.end(partialStream + replies.frame(replies.chunks.at(-1)).slice(0, 30)),
      ],
      ['sends an error event', ({ socket }) => socket.end(partialStream + replies.errorEvent + replies.end)],
      ...replies.errorEventVariants.map((event): [string, Misbehavior] => [
        `sends ${event.trimEnd()}`,
        ({ socket }) => socket.end(partialStream + event + replies.end),
      ]),
      [
        'sends an event with invalid JSON',
        ({ socket }) => socket.end(`${partialStream}data: {broken\n\n${replies.end}`),
      ],
      [
        'breaks its chunked encoding',
        ({ socket }) => {
          const head = streamHead({ 'transfer-encoding': 'chunked' });
          const size = Buffer.byteLength(replies.partialStream).toString(16);
          socket.end(`${head}${size}\r\n${replies.partialStream}\r\nzz\r\n`);
        },
      ],
      [
        'is shorter than its Content-Length',
        ({ socket }) => socket.end(partialStream.replace('connection: close', 'content-length: 100000')),
      ],
    ];

    test.each(breaks)(
      'because it %s ends with an error event, and its output so far is charged',
      async (_when, does) => {
        const answer = await call(way, does, { stream: true });
        expectBrokenStream(answer, way.format);
        expect(await chargeOf(answer)).toBe((await inputNano(way)) + 3n * way.outputNano);
      },
    );
  });
});

/** Returns the input cost of a broken stream: by the provider's usage, or by our count if there is none. */
async function inputNano(way: Way): Promise<bigint> {
  if (way.wire !== 'openai' && way.wire !== 'responses') return 20n * way.inputNano;
  const { opening, frame, chunks } = WIRE_REPLIES[way.wire];
  const first = chunks.find((chunk) => JSON.stringify(chunk).includes(WORDS[0]!));
  const word = `${streamHead()}${opening}${frame(first)}`;
  const answer = await call(way, ({ socket }) => socket.end(word), { stream: true });
  return (await chargeOf(answer)) - way.outputNano;
}

/** Returns the distinct model names in a stream's events: of each chunk, of message_start, or of each response. */
function modelsIn(text: string): string[] {
  const events = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json!));
  const naming = events.filter(
    ({ type, response }) => type === undefined || type === 'message_start' || response !== undefined,
  );
  return [...new Set(naming.map(({ model, message, response }) => (response ?? message ?? { model }).model))];
}

/** The event that completes a stream, by format. */
const END_MARKS = new Map([
  [COMPLETIONS, DONE],
  [MESSAGES, 'event: message_stop\n'],
  [RESPONSES, 'event: response.completed\n'],
]);

/** The status was already sent, so the stream itself reports the error. */
function expectBrokenStream(answer: HttpAnswer, format: ChatEndpoint): void {
  expect([answer.status, answer.headers['content-type']]).toEqual([
    200,
    expect.stringMatching(/^text\/event-stream/),
  ]);
  expect(answer.text).not.toContain(END_MARKS.get(format));
  expect(answer.text).not.toMatch(/ours alone|broken/);
  const events = answer.text.trimEnd().split('\n\n');
  const error = { type: 'upstream_error', code: 'upstream_failed', message: 'Upstream request failed.' };
  if (format === RESPONSES) expectFailedResponse(`${events.at(-1)}`, error);
  else {
    expect(events.at(-1)).toBe(
      format === COMPLETIONS
        ? `data: ${JSON.stringify({ error })}`
        : `event: error\ndata: ${JSON.stringify({ type: 'error', error })}`,
    );
  }
  expect(events.at(-2)).toContain('" three"');
}

function expectFailedResponse(event: string, { code, message }: { code: string; message: string }): void {
  expect(event).toMatch(/^event: response\.failed\ndata: /);
  const { response } = JSON.parse(event.slice(event.indexOf('{')));
  expect(response).toMatchObject({ status: 'failed', error: { code, message } });
}

test('a stream that fails after the provider reported usage is charged by that usage', async () => {
  const { frame, chunks } = WIRE_REPLIES.openai;
  const unfinished = chunks.filter((chunk) => !JSON.stringify(chunk).includes('"finish_reason":"stop"'));
  const reported = `${streamHead()}${unfinished.map(frame).join('')}`;
  const answer = await call(PASSED, ({ socket }) => socket.end(reported), { stream: true });
  expect(answer.text).not.toContain(DONE);
  expect(await chargeOf(answer)).toBe(20n * PASSED.inputNano + 8n * PASSED.outputNano);
});

describe.each(KINDS)('a %s call whose connection fails', (kind) => {
  const elsewhere = (model: string, format: ChatEndpoint) =>
    caller.chat(customer.apiKey, { model, stream: kind === 'streamed' }, format);
  const unreachable = CHAT_FORMATS.flatMap((format) =>
    [
      ['refuses connections', 'deepseek/deepseek-chat'],
      ['has an unknown host name', 'mistral/ministral-8b-latest'],
      ['is the simulated unreachable provider', 'sim/unreachable'],
    ].map(([when = '', model = '']) => ({ when, model, format, path: format.path })),
  );

  test.each(unreachable)('upstream_unavailable: the provider $when, $path', async ({ model, format }) => {
    const answer = await elsewhere(model, format);
    expectConforms(answer, 'upstream_unavailable');
    expect(await chargeOf(answer)).toBe(0n);
  });

  test.each(TLS_CASES)('that fails in the TLS handshake by %s gets %s', async (fault, code) => {
    tlsFaults.fault = fault;
    // More failures in a row would open the circuit.
    for (const format of [COMPLETIONS, MESSAGES]) {
      const answer = await elsewhere('xai/grok-4.3', format);
      expectConforms(answer, code);
      expect(await chargeOf(answer)).toBe(0n);
    }
  });
});

test('a complete stream passes unchanged except for usage that the client did not request', async () => {
  const answer = await call(PASSED, ({ socket }) => socket.end(`${streamHead()}${STREAM}`), { stream: true });
  expect([answer.status, answer.text.endsWith(DONE), answer.text.includes('prompt_tokens')]).toEqual([
    200,
    true,
    false,
  ]);
});

test('a call lost on a stale connection is sent once more', async () => {
  const good: Misbehavior = ({ socket }) => socket.write(httpReply(200, COMPLETION));
  expect((await call(PASSED, good)).status).toBe(200);
  let times = 0;
  const answer = await call(PASSED, (received) => {
    times += 1;
    if (times === 1) received.socket.destroy();
    else good(received);
  });
  expect([answer.status, times]).toEqual([200, 2]);
  expect(await chargeOf(answer)).toBe(20n * PASSED.inputNano + 8n * PASSED.outputNano);
});

test('after all failures nothing is held, the books balance and no process has died', async () => {
  await system.settled(customer);
  await readLedger(system, customer);
  expect((await system.settled(unlucky)).balance).toBe(BALANCE_USD);
  expect(await system.drift()).toBe(0);
  expect(await system.metric('billing', 'dead_letters')).toBe(0);
  expect(system.stack.processes()).toHaveLength(8);
});
