import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { wav } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { postJson } from './support/http';
import { readLedger } from './support/ledger';
import { streamHead } from './support/provider-replies';
import { type Customer, type System, startSystem } from './support/system';
import { withConcurrency } from './support/with-concurrency';

const HEAVY = process.env.TEST_HEAVY === '1';
/** Number of cuts of each stream, most of whose bytes are audio. */
const SPREAD = HEAVY ? 5_000 : 60;
const WIDTH = 16;
const TIMEOUT_MS = HEAVY ? 1_800_000 : 60_000;
const PROMPT = '[[sim {"chunks":3}]]';
const ERROR_EVENT = /(?:^|\n\n)data: (\{"error":.*\})\n\n$/;

interface Answer {
  readonly status: number;
  readonly requestId: string;
  readonly text: string;
}

interface AudioStream {
  /** Sends a streamed call with this prompt. */
  send(origin: string, key: string, model: string, prompt: string): Promise<Answer>;
  readonly model: string;
  /** Of the last event, which reports the usage. */
  readonly end: RegExp;
}

const TRANSCRIPT: AudioStream = {
  model: 'gpt-4o-transcribe',
  end: /"type":"transcript\.text\.done"/,
  async send(origin, key, model, prompt) {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model, prompt, stream: 'true' })) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(wav(1))]), 'speech.wav');
    const url = `${origin}/audio/transcriptions`;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    const requestId = answer.headers.get('x-request-id') ?? '';
    return { status: answer.status, requestId, text: await answer.text() };
  },
};
const SPEECH: AudioStream = {
  model: 'gpt-4o-mini-tts',
  end: /"type":"speech\.audio\.done"/,
  async send(origin, key, model, input) {
    const body = { model, input, voice: 'alloy', stream_format: 'sse', response_format: 'pcm' };
    const { status, headers, text } = await postJson(`${origin}/audio/speech`, body, key);
    return { status, requestId: String(headers['x-request-id']), text };
  },
};
const STREAMS = { transcript: TRANSCRIPT, speech: SPEECH };
type Name = keyof typeof STREAMS;

let system: System;
let customer: Customer;
let provider: http.Server;
const recorded = new Map<Name, Buffer>();

/** Replays the stream that the call names, cut where it says. */
function replayCut(body: string, socket: Socket): void {
  const [, name, at, how] = /cut (\w+) (\d+) (\w+)/.exec(body)!;
  const bytes = recorded.get(name as Name)!.subarray(0, Number(at));
  socket.write(Buffer.concat([Buffer.from(streamHead()), bytes]), () => {
    if (how === 'reset') socket.resetAndDestroy();
    else socket.end();
  });
}

beforeAll(async () => {
  provider = http.createServer(async (request) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    replayCut(Buffer.concat(pieces).toString('latin1'), request.socket);
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
  system = await startSystem({ autoRestart: false, settings: { media: { OPENAI_BASE_URL: origin } } });
  for (const [name, { send, model }] of Object.entries(STREAMS)) {
    const { text } = await send(`${system.stack.simulatorUrl}/openai/v1`, 'k', model, PROMPT);
    recorded.set(name as Name, Buffer.from(text));
  }
}, 60_000);
beforeEach(async () => {
  customer = await system.provision({ balanceUsd: 10_000 });
});
afterAll(async () => {
  await system?.stop();
  provider?.closeAllConnections();
  provider?.close();
}, 30_000);

/** Classifies an answer: an error status, a stream that ends in an error, or a complete stream. */
function outcomeOf({ end }: AudioStream, { status, text }: Answer): 'refused' | 'broken' | 'whole' {
  if (status !== 200) {
    if (status !== 502 || JSON.parse(text).error.code !== 'upstream_failed')
      throw new Error(`${status}: ${text}`);
    return 'refused';
  }
  const error = ERROR_EVENT.exec(text)?.[1];
  if (end.test(text) === (error !== undefined)) throw new Error(`neither whole nor broken: ${text}`);
  for (const event of text.split('\n\n').slice(0, -1)) JSON.parse(event.replace(/^data: /, ''));
  return error ? 'broken' : 'whole';
}

test.each(Object.keys(STREAMS) as Name[])(
  'a stream of %s that is cut at any byte never looks complete, and is charged only if it is',
  async (name) => {
    const stream = STREAMS[name];
    const bytes = recorded.get(name)!;
    // The last event may lack its blank line.
    const wholeAt = bytes.length - '\n\n'.length;
    const firstAt = bytes.indexOf('\n\n') + 2;
    const every = Math.ceil(bytes.length / SPREAD);
    const places = new Set([firstAt - 1, firstAt, wholeAt - 1, wholeAt, wholeAt + 1, bytes.length]);
    for (let at = 0; at <= bytes.length; at += every) places.add(at);
    const outcomes = new Map<string, { at: number; reset: boolean; outcome: string }>();
    await withConcurrency(WIDTH, [...places].entries(), async ([index, at]) => {
      const reset = index % 3 === 2;
      // The same length for every cut.
      const prompt = `cut ${name} ${String(at).padStart(9, '0')} ${reset ? 'reset' : 'close'}`;
      const origin = `${system.stack.apiUrl}/v1`;
      const answer = await stream.send(origin, customer.apiKey, `openai/${stream.model}`, prompt);
      outcomes.set(answer.requestId, { at, reset, outcome: outcomeOf(stream, answer) });
    });
    expect(outcomes.size).toBe(places.size);
    await system.settled(customer);
    const { charges } = await readLedger(system, customer);
    const wholes = [...outcomes].filter(([, { outcome }]) => outcome === 'whole');
    const [fullNano] = wholes.map(([requestId]) => charges.get(requestId));
    expect(fullNano).toBeGreaterThan(0n);
    for (const [requestId, { outcome, ...cut }] of outcomes) {
      // A reset may overtake bytes that were sent before it.
      const isWhole = cut.at >= wholeAt && (!cut.reset || outcome === 'whole');
      expect([cut, outcome === 'whole']).toEqual([cut, isWhole]);
      expect([cut, charges.get(requestId)]).toEqual([cut, isWhole ? fullNano : undefined]);
    }
  },
  TIMEOUT_MS,
);

test('after all cuts nothing is held and the books balance', async () => {
  expect(await system.bills()).toBe(0);
  expect(await system.drift()).toBe(0);
  expect(await system.metric('billing', 'holds_orphaned')).toBe(0);
});
