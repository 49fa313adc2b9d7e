import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nano, readBooks } from '../support/books';
import { expectConforms } from '../support/conforms';
import { type FaultProvider, type Misbehaviour, startFaultProvider } from '../support/fault-provider';
import type { HttpAnswer } from '../support/http';
import {
  COMPLETION,
  DONE,
  FINISH_CHUNK,
  httpReply,
  providerError,
  ROLE_CHUNK,
  STREAM,
  sse,
  streamHead,
  USAGE_CHUNK,
  WORD_CHUNKS,
} from '../support/provider-replies';
import { type Customer, type System, startSystem } from '../support/system';
import { startTlsFaults, type TlsFaults } from '../support/tls-faults';
import { type Caller, createCaller } from './caller';
import { TLS_CASES, UPSTREAM_CASES } from './upstream';

/** Short, so that silence is soon over; long enough for a busy machine to answer in time. */
const TIMEOUT_MS = '700';
/** Of `openai/gpt-5.4-mini`, nano-USD per token. */
const OUTPUT_NANO = 4_500n;
const BALANCE_USD = 100;

let provider: FaultProvider;
let tlsFaults: TlsFaults;
let system: System;
let customer: Customer;
let caller: Caller;

beforeAll(async () => {
  provider = await startFaultProvider();
  tlsFaults = await startTlsFaults();
  system = await startSystem({
    autoRestart: false,
    settings: {
      chat: {
        OPENAI_BASE_URL: provider.baseUrl,
        XAI_BASE_URL: tlsFaults.baseUrl,
        MISTRAL_BASE_URL: 'http://no-such-host.invalid/v1',
        DEEPSEEK_BASE_URL: `http://127.0.0.1:${await closedPort()}/v1`,
        UPSTREAM_CONNECT_TIMEOUT_MS: TIMEOUT_MS,
        UPSTREAM_FIRST_BYTE_TIMEOUT_MS: TIMEOUT_MS,
        UPSTREAM_IDLE_TIMEOUT_MS: TIMEOUT_MS,
      },
    },
  });
  customer = await system.provision({ balanceUsd: BALANCE_USD });
  caller = createCaller(system);
}, 60_000);
afterAll(async () => {
  await system?.stop();
  await provider?.stop();
  await tlsFaults?.stop();
}, 30_000);

function call(does: Misbehaviour, fields: object = {}): Promise<HttpAnswer> {
  return caller.chat(customer.apiKey, {
    model: 'openai/gpt-5.4-mini',
    messages: [{ role: 'user', content: provider.prompt(does) }],
    max_tokens: 2_000,
    ...fields,
  });
}

async function chargeOf(answer: HttpAnswer): Promise<bigint> {
  await system.settled(customer);
  return (await readBooks(system, customer)).charges.get(`${answer.headers['x-request-id']}`) ?? 0n;
}

describe.each(['plain', 'streamed'] as const)('a %s call', (kind) => {
  const cases = UPSTREAM_CASES.filter(({ only }) => only === undefined || only === kind);
  test.each(cases)('$code: $when', async ({ code, does, ...particulars }) => {
    const answer = await call(does, { stream: kind === 'streamed' });
    expectConforms(answer, code, particulars);
    expect(await chargeOf(answer)).toBe(0n);
  });

  const elsewhere = (model: string) => caller.chat(customer.apiKey, { model, stream: kind === 'streamed' });

  test.each([
    ['refuses connections', 'deepseek/deepseek-chat'],
    ['is not found by its name', 'mistral/ministral-8b-latest'],
    ['is the simulated unreachable one', 'sim/unreachable'],
  ])('upstream_unavailable: the provider %s', async (_when, model) => {
    const answer = await elsewhere(model);
    expectConforms(answer, 'upstream_unavailable');
    expect(await chargeOf(answer)).toBe(0n);
  });

  test.each(TLS_CASES)('a TLS handshake that meets: %s gives %s', async (fault, code) => {
    tlsFaults.fault = fault;
    const answer = await elsewhere('xai/grok-4.3');
    expectConforms(answer, code);
    expect(await chargeOf(answer)).toBe(0n);
  });
});

test('a good reply passes as it is and is billed by its own figures', async () => {
  const answer = await caller.chat(customer.apiKey, { model: 'openai/gpt-5.4-mini' });
  expect([answer.status, answer.json.choices[0].message.content]).toEqual([200, 'Hello there, how are you?']);
  expect(await chargeOf(answer)).toBe(20n * 750n + 8n * OUTPUT_NANO);
});

test('a good stream passes as it is, but for the usage nobody asked for', async () => {
  const answer = await call(({ socket }) => socket.end(`${streamHead()}${STREAM}`), { stream: true });
  expect([answer.status, answer.text.endsWith(DONE), answer.text.includes('prompt_tokens')]).toEqual([
    200,
    true,
    false,
  ]);
  expect(await chargeOf(answer)).toBe(20n * 750n + 8n * OUTPUT_NANO);
});

test('a call that a stale connection swallowed is sent once more', async () => {
  expect((await caller.chat(customer.apiKey, { model: 'openai/gpt-5.4-mini' })).status).toBe(200);
  let times = 0;
  const answer = await call(({ socket }) => {
    times += 1;
    if (times === 1) socket.destroy();
    else socket.write(httpReply(200, COMPLETION));
  });
  expect([answer.status, times]).toEqual([200, 2]);
  expect(await chargeOf(answer)).toBe(20n * 750n + 8n * OUTPUT_NANO);
});

describe('a stream that breaks after its first event', () => {
  const begun = `${streamHead()}${sse(ROLE_CHUNK)}${WORD_CHUNKS.slice(0, 3).map(sse).join('')}`;
  const breaks: [string, Misbehaviour][] = [
    ['ends without [DONE]', ({ socket }) => socket.end(begun)],
    ['is reset', ({ socket }) => socket.write(begun, () => socket.resetAndDestroy())],
    ['goes silent', ({ socket }) => socket.write(begun)],
    ['is cut within an event', ({ socket }) => socket.end(begun + sse(FINISH_CHUNK).slice(0, 30))],
    [
      'sends an error event',
      ({ socket }) => socket.end(begun + sse(providerError('overloaded', 'server_error')) + DONE),
    ],
    [
      'breaks its chunked coding',
      ({ socket }) => {
        const head = streamHead({ 'transfer-encoding': 'chunked' });
        const events = begun.slice(streamHead().length);
        socket.end(`${head}${events.length.toString(16)}\r\n${events}\r\nzz\r\n`);
      },
    ],
    [
      'is shorter than its length',
      ({ socket }) => socket.end(begun.replace('connection: close', 'content-length: 100000')),
    ],
  ];

  test.each(breaks)('%s: an error event at the end, and what was seen is charged', async (_when, does) => {
    const answer = await call(does, { stream: true });
    expectBrokenStream(answer);
    const inputNano = await chargeOf(
      await call(({ socket }) => socket.end(`${streamHead()}${sse(ROLE_CHUNK)}`), { stream: true }),
    );
    expect(await chargeOf(answer)).toBe(inputNano + 3n * OUTPUT_NANO);
  });

  test('after the provider told its usage: charged by that', async () => {
    const answer = await call(({ socket }) => socket.end(begun + sse(USAGE_CHUNK)), { stream: true });
    expectBrokenStream(answer);
    expect(await chargeOf(answer)).toBe(20n * 750n + 8n * OUTPUT_NANO);
  });
});

/** HTTP could say nothing any more; the stream's own framing does. */
function expectBrokenStream(answer: HttpAnswer): void {
  expect([answer.status, answer.headers['content-type']]).toEqual([
    200,
    expect.stringMatching(/^text\/event-stream/),
  ]);
  expect(answer.text).not.toContain('[DONE]');
  const events = answer.text.trimEnd().split('\n\n');
  expect(JSON.parse(`${events.at(-1)}`.replace(/^data: /, ''))).toEqual({
    error: { type: 'upstream_error', code: 'upstream_failed', message: 'Upstream request failed.' },
  });
  expect(events.at(-2)).toMatch(/^data: \{"id":"chatcmpl-1"/);
}

describe('figures that cannot be true', () => {
  const MAX = Number.MAX_SAFE_INTEGER;
  test.each([
    ['huge', { prompt_tokens: MAX, completion_tokens: MAX }],
    ['beyond what was asked for', { prompt_tokens: 20, completion_tokens: 1_000_000 }],
    ['negative', { prompt_tokens: -1, completion_tokens: -1 }],
    ['fractions', { prompt_tokens: 1.5, completion_tokens: 0.1 }],
    ['text', { prompt_tokens: '20', completion_tokens: '8' }],
    ['absent', undefined],
    ['null', null],
  ])('%s: the call is settled, and never above what it could cost', async (_name, usage) => {
    const answer = await call(({ socket }) => socket.write(httpReply(200, { ...COMPLETION, usage })));
    expect(answer.status).toBe(200);
    const charge = await chargeOf(answer);
    expect(charge).toBeGreaterThan(0n);
    expect(charge).toBeLessThan(nano(0.012));
  });
});

test('after all of that nothing is held, the books add up and no process has died', async () => {
  await system.settled(customer);
  await readBooks(system, customer);
  expect(await system.drift()).toBe(0);
  expect(await system.metric('billing', 'dead_letters')).toBe(0);
  expect(system.stack.processes()).toHaveLength(6);
});

/** A port of this machine on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
