import type { ErrorCode } from '@gateway/proto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Caller, createCaller } from '../conformance/caller';
import { nano, readBooks } from '../support/books';
import { type FaultProvider, type Misbehaviour, startFaultProvider } from '../support/fault-provider';
import {
  COMPLETION,
  DONE,
  httpReply,
  providerError,
  STREAM,
  STREAM_CHUNKS,
  sse,
  streamHead,
} from '../support/provider-replies';
import { type Customer, type System, startSystem } from '../support/system';
import { watchHealth } from '../support/watch-health';
import { expectLawful } from './lawful';
import { mutatedJson, mutatedText } from './mutate';
import { casesOf, runFuzz } from './run-fuzz';

const TIME_LIMIT_MS = 2_000_000;
const TIMEOUT_MS = '1000';
const BALANCE_USD = 10_000;

let provider: FaultProvider;
let system: System;
let customer: Customer;
let caller: Caller;
let checkHealth: () => void;

beforeAll(async () => {
  provider = await startFaultProvider();
  system = await startSystem({
    autoRestart: false,
    settings: {
      chat: {
        OPENAI_BASE_URL: provider.baseUrl,
        UPSTREAM_CONNECT_TIMEOUT_MS: TIMEOUT_MS,
        UPSTREAM_FIRST_BYTE_TIMEOUT_MS: TIMEOUT_MS,
        UPSTREAM_IDLE_TIMEOUT_MS: TIMEOUT_MS,
      },
    },
  });
  customer = await system.provision({ balanceUsd: BALANCE_USD });
  caller = createCaller(system);
  checkHealth = watchHealth(system);
}, 60_000);
afterAll(async () => {
  await system?.stop();
  await provider?.stop();
}, 30_000);

/** What a provider can be guilty of. */
const PROVIDER_CODES = new Set<ErrorCode>([
  'upstream_failed',
  'upstream_unavailable',
  'rate_limited',
  'invalid_request',
]);

async function expectLawfulAfter(does: Misbehaviour, stream: boolean): Promise<void> {
  const answer = await caller.chat(customer.apiKey, {
    model: 'openai/gpt-5.4-mini',
    messages: [{ role: 'user', content: provider.prompt(does) }],
    max_tokens: 1_100,
    stream,
  });
  expectLawful(answer, PROVIDER_CODES);
}

const says =
  (bytes: string | Buffer): Misbehaviour =>
  ({ socket }) =>
    socket.end(bytes);

test(
  'completions whose values are mutated',
  async () => {
    const bodies = mutatedJson([COMPLETION, providerError('no')]);
    const status = fc.constantFrom(200, 200, 200, 200, 400, 429, 500);
    await runFuzz(fc.tuple(bodies, status, fc.boolean()), casesOf(600), ([body, code, stream]) =>
      expectLawfulAfter(says(httpReply(code, body)), stream),
    );
  },
  TIME_LIMIT_MS,
);

test(
  'streams whose chunks are mutated',
  async () => {
    const chunks = fc.array(mutatedJson(STREAM_CHUNKS), { maxLength: 6 });
    const stream = fc.tuple(chunks, fc.nat(STREAM_CHUNKS.length), fc.boolean()).map(([mutated, at, done]) => {
      const events = STREAM_CHUNKS.map(sse);
      events.splice(at, 1, ...mutated.map((text) => `data: ${text}\n\n`));
      return `${streamHead()}${events.join('')}${done ? DONE : ''}`;
    });
    await runFuzz(stream, casesOf(500), (reply) => expectLawfulAfter(says(reply), true));
  },
  TIME_LIMIT_MS,
);

test(
  'streams whose bytes are mutated',
  async () => {
    const stream = mutatedText([STREAM, STREAM.replaceAll('\n', '\r\n')]);
    await runFuzz(stream, casesOf(500), (bytes) =>
      expectLawfulAfter(says(Buffer.concat([Buffer.from(streamHead()), bytes])), true),
    );
  },
  TIME_LIMIT_MS,
);

test(
  'replies whose HTTP is mutated',
  async () => {
    const replies = [
      httpReply(200, COMPLETION),
      httpReply(429, providerError('slow down'), { 'retry-after': '3' }),
      httpReply(302, '', { location: 'http://127.0.0.1:1/' }),
      `${streamHead()}${STREAM}`,
      `${streamHead({ 'transfer-encoding': 'chunked' })}${STREAM.length.toString(16)}\r\n${STREAM}\r\n0\r\n\r\n`,
    ];
    await runFuzz(fc.tuple(mutatedText(replies), fc.boolean()), casesOf(500), ([bytes, stream]) =>
      expectLawfulAfter(says(bytes), stream),
    );
  },
  TIME_LIMIT_MS,
);

test(
  'a stream cut at every byte',
  async () => {
    const whole = `${streamHead()}${STREAM}`;
    const everyByte = Array.from({ length: whole.length }, (_value, at) => at);
    const places = process.env.TEST_HEAVY === '1' ? everyByte : everyByte.filter((at) => at % 7 === 0);
    for (let at = 0; at < places.length; at += 12) {
      const cuts = places.slice(at, at + 12);
      await Promise.all(cuts.map((cut) => expectLawfulAfter(says(whole.slice(0, cut)), true)));
    }
  },
  TIME_LIMIT_MS,
);

test('after all of that every process is the one it was, nothing is held and the books add up', async () => {
  await system.settled(customer, 10_000);
  const { balanceNano } = await readBooks(system, customer);
  expect(balanceNano).toBeLessThan(nano(BALANCE_USD));
  expect(await system.drift()).toBe(0);
  expect(await system.metric('billing', 'dead_letters')).toBe(0);
  checkHealth();
  expect(provider.connections).toBeLessThan(50);
});
