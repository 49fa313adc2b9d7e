import type { ErrorCode } from '@gateway/errors';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type Caller,
  type ChatEndpoint,
  COMPLETIONS,
  createCaller,
  MESSAGES,
  RESPONSES,
} from '../conformance/caller';
import { type FaultProvider, type Misbehavior, startFaultProvider } from '../support/fault-provider';
import { nano, readLedger } from '../support/ledger';
import { httpReply, streamHead } from '../support/provider-replies';
import { type Customer, type System, startSystem } from '../support/system';
import { watchHealth } from '../support/watch-health';
import { SPOKEN_REPLIES, streamOf, WIRE_REPLIES } from '../support/wire-replies';
import { mutatedJson, mutatedText } from './mutate';
import { caseCount, runFuzz } from './run-fuzz';
import { expectTranslated } from './translated';
import { expectWithinContract } from './within-contract';

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
        ...provider.settings,
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

/** Error codes that a provider can cause. */
const PROVIDER_CODES = new Set<ErrorCode>([
  'upstream_failed',
  'upstream_unavailable',
  'rate_limited',
  'invalid_request',
]);

const REPLIES = { ...WIRE_REPLIES, spoken: SPOKEN_REPLIES };
const SPOKEN = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' } };

/** A translation from a client's format to a provider's format. */
interface Way {
  readonly endpoint: ChatEndpoint;
  readonly wire: keyof typeof REPLIES;
  readonly model: string;
  /** Both formats are the same, so the provider's bytes are passed through. */
  readonly passes?: true;
  readonly fields?: object;
}

const WAYS: readonly Way[] = [
  { endpoint: COMPLETIONS, wire: 'openai', model: 'openai/gpt-5.4-mini', passes: true },
  {
    ...{ endpoint: COMPLETIONS, wire: 'spoken', model: 'openai/gpt-audio-1.5', passes: true },
    fields: SPOKEN,
  },
  { endpoint: COMPLETIONS, wire: 'anthropic', model: 'anthropic/claude-haiku-4-5' },
  { endpoint: COMPLETIONS, wire: 'gemini', model: 'google/gemini-2.5-flash' },
  { endpoint: RESPONSES, wire: 'responses', model: 'openai/gpt-5.4-mini', passes: true },
  { endpoint: MESSAGES, wire: 'openai', model: 'openai/gpt-5.4-mini' },
  { endpoint: MESSAGES, wire: 'anthropic', model: 'anthropic/claude-haiku-4-5', passes: true },
  { endpoint: MESSAGES, wire: 'gemini', model: 'google/gemini-2.5-flash' },
];
/** Has a short form for failure messages. */
const EVERY_WAY = fc.constantFrom(
  ...WAYS.map((way) => ({ ...way, [fc.toStringMethod]: () => `${way.endpoint.path} to ${way.model}` })),
);

async function expectLawfulAfter(way: Way, does: Misbehavior, stream: boolean): Promise<void> {
  const { endpoint, model, fields } = way;
  const messages = [{ role: 'user', content: provider.prompt(does) }];
  const body = { model, messages, max_tokens: 1_100, stream, ...fields };
  const answer = await caller.chat(customer.apiKey, body, endpoint);
  expectWithinContract(answer, PROVIDER_CODES);
  if (!way.passes) expectTranslated(answer, endpoint.path);
}

const says =
  (bytes: string | Buffer): Misbehavior =>
  ({ socket }) =>
    socket.end(bytes);

test(
  'provider replies with mutated values give responses within the contract',
  async () => {
    const replies = EVERY_WAY.chain((way) => {
      const { whole, tools, refusal } = REPLIES[way.wire];
      return fc.tuple(fc.constant(way), mutatedJson([whole, tools, refusal(400, 'no')]));
    });
    const status = fc.constantFrom(200, 200, 200, 200, 400, 429, 500);
    await runFuzz(fc.tuple(replies, status, fc.boolean()), caseCount(24_000), ([[way, body], code, stream]) =>
      expectLawfulAfter(way, says(httpReply(code, body)), stream),
    );
  },
  TIME_LIMIT_MS,
);

test(
  'provider streams with mutated chunks give responses within the contract',
  async () => {
    const streams = EVERY_WAY.chain((way) => {
      const { chunks, toolChunks, frame, end } = REPLIES[way.wire];
      const original = fc.constantFrom(chunks, toolChunks);
      const parts = fc.tuple(original, fc.array(mutatedJson([...chunks, ...toolChunks]), { maxLength: 6 }));
      return fc.tuple(parts, fc.nat(20), fc.boolean()).map(([[whole, mutated], at, ended]) => {
        const events = whole.map(frame);
        events.splice(at % events.length, 1, ...mutated.map((text) => framed(frame, text)));
        return { way, reply: `${streamHead()}${events.join('')}${ended ? end : ''}` };
      });
    });
    await runFuzz(streams, caseCount(20_000), ({ way, reply }) => expectLawfulAfter(way, says(reply), true));
  },
  TIME_LIMIT_MS,
);

test(
  'provider streams with mutated bytes give responses within the contract',
  async () => {
    const streams = EVERY_WAY.chain((way) => {
      const stream = streamOf(REPLIES[way.wire]);
      return fc.tuple(fc.constant(way), mutatedText([stream, stream.replaceAll('\n', '\r\n')]));
    });
    await runFuzz(streams, caseCount(20_000), ([way, bytes]) =>
      expectLawfulAfter(way, says(Buffer.concat([Buffer.from(streamHead()), bytes])), true),
    );
  },
  TIME_LIMIT_MS,
);

test(
  'provider replies with mutated HTTP give responses within the contract',
  async () => {
    const replies = EVERY_WAY.chain((way) => {
      const { whole, refusal } = REPLIES[way.wire];
      const stream = streamOf(REPLIES[way.wire]);
      const chunked = streamHead({ 'transfer-encoding': 'chunked' });
      const texts = [
        httpReply(200, whole),
        httpReply(429, refusal(429, 'slow down'), { 'retry-after': '3' }),
        httpReply(302, '', { location: 'http://127.0.0.1:1/' }),
        `${streamHead()}${stream}`,
        `${chunked}${Buffer.byteLength(stream).toString(16)}\r\n${stream}\r\n0\r\n\r\n`,
      ];
      return fc.tuple(fc.constant(way), mutatedText(texts));
    });
    await runFuzz(fc.tuple(replies, fc.boolean()), caseCount(16_000), ([[way, bytes], stream]) =>
      expectLawfulAfter(way, says(bytes), stream),
    );
  },
  TIME_LIMIT_MS,
);

test.each(WAYS)(
  'a stream cut at every byte gives a response within the contract, $endpoint.path to $model',
  async (way) => {
    const whole = `${streamHead()}${streamOf(REPLIES[way.wire])}`;
    const everyByte = Array.from({ length: whole.length }, (_value, at) => at);
    const places = process.env.TEST_HEAVY === '1' ? everyByte : everyByte.filter((at) => at % 23 === 0);
    for (let at = 0; at < places.length; at += 12) {
      const cuts = places.slice(at, at + 12);
      await Promise.all(cuts.map((cut) => expectLawfulAfter(way, says(whole.slice(0, cut)), true)));
    }
  },
  TIME_LIMIT_MS,
);

/** Frames a chunk's mutated JSON as its format does. */
function framed(frame: (chunk: unknown) => string, text: string): string {
  const type = JSON.parse(text)?.type;
  const name = typeof type === 'string' && /^\w+$/.test(type) ? type : 'message';
  return frame({ type: name }).replace(/^data: .*$/m, () => `data: ${text}`);
}

test('after all mutated replies every process is still running, nothing is held and the books balance', async () => {
  await system.settled(customer);
  const { balanceNano } = await readLedger(system, customer);
  expect(balanceNano).toBeLessThan(nano(BALANCE_USD));
  expect(await system.drift()).toBe(0);
  expect(await system.metric('billing', 'dead_letters')).toBe(0);
  checkHealth();
  expect(provider.connections).toBeLessThan(50);
}, 30_000);
