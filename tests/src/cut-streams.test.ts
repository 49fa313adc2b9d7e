import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type FaultProvider, type Misbehavior, startFaultProvider } from './support/fault-provider';
import { type HttpAnswer, postJson } from './support/http';
import { readLedger } from './support/ledger';
import { MADE_INPUT_NANO, MADE_OUTPUT_NANO, makeModel } from './support/make-model';
import { pssBytes } from './support/process-memory';
import { streamHead } from './support/provider-replies';
import { type RecordedStream, recordStream } from './support/recorded-streams';
import { type Customer, type System, startSystem } from './support/system';
import { withConcurrency } from './support/with-concurrency';

const HEAVY = Boolean(process.env.TEST_HEAVY);
/** Number of cuts of each stream for each client format. */
const SPREAD = 60;
const WIDTH = 32;
/** Garbage varies by this much; a leak of 4 KiB per call would exceed it after 40,000 calls. */
const MAX_GROWTH_BYTES = 128 * 1024 ** 2;
/** A text that is cut within a token may count one or two tokens more. */
const SPARE_TOKENS = 4n;
const BLANK_LINE_BYTES = 4;

const WIRES = ['openai', 'completions', 'responses', 'anthropic', 'google'] as const;
/** Has chat completions only. */
const WITHOUT_RESPONSES = 'deepseek';
const CALLERS = {
  openai: {
    path: () => '/v1/chat/completions',
    end: /data: \[DONE\]/,
    error: /(?:^|\n\n)data: (\{"error":.*\})\n\n$/,
  },
  responses: {
    path: () => '/v1/responses',
    end: /event: response\.(?:completed|incomplete)\n/,
    error: /(?:^|\n\n)event: response\.failed\ndata: (\{"type":"response\.failed".*"error":\{.*\})\n\n$/,
  },
  anthropic: {
    path: () => '/v1/messages',
    end: /message_stop/,
    error: /(?:^|\n\n)event: error\ndata: (\{"type":"error".*\})\n\n$/,
  },
  /** Its stream is a JSON array. */
  google: {
    path: (model: string) => `/v1beta/models/${model}:streamGenerateContent`,
    end: /"finishReason":/,
    error: /[[,]\n?(\{"error":.*\})\]$/,
  },
  completions: {
    path: () => '/v1/completions',
    end: /data: \[DONE\]/,
    error: /(?:^|\n\n)data: (\{"error":.*\})\n\n$/,
  },
} as const;
type CallerFormat = keyof typeof CALLERS;

interface Cut {
  readonly at: number;
  readonly reset: boolean;
}

let provider: FaultProvider;
let cutMark: string;
const streams = new Map<string, RecordedStream>();
let system: System;
let customer: Customer;
/** Memory of chat after the first stream. */
let warmBytes: number | undefined;

beforeAll(async () => {
  provider = await startFaultProvider();
  cutMark = provider.prompt(replayCut);
  system = await startSystem({
    autoRestart: false,
    settings: {
      chat: { ...provider.settings, DEEPSEEK_BASE_URL: provider.settings.OPENAI_BASE_URL },
    },
  });
  customer = await system.provision();
  for (const wire of WIRES) {
    streams.set(wire, await recordStream(system.stack.simulatorUrl, wire));
    const provider = wire === 'completions' || wire === 'responses' ? 'openai' : wire;
    await makeCutModel(wire, provider);
  }
  await makeCutModel('translated', WITHOUT_RESPONSES);
}, 60_000);
beforeEach(async () => {
  customer = await system.provision({ balanceUsd: 10_000 });
});
afterAll(async () => {
  await system?.stop();
  await provider?.stop();
}, 30_000);

const makeCutModel = (name: string, provider: string) =>
  makeModel(system, customer, `cut-${name}`, [{ provider, upstream_model: 'recorded' }], {
    capabilities: ['completions'],
  });

/** Replays the stream that the prompt names, cut where the prompt says. */
const replayCut: Misbehavior = ({ body, socket }) => {
  const [, wire, at, how] = /cut (\w+) (\d+) (\w+)/.exec(body)!;
  socket.write(
    Buffer.concat([Buffer.from(streamHead()), streams.get(wire!)!.bytes.subarray(0, Number(at))]),
    () => {
      if (how === 'reset') socket.resetAndDestroy();
      else socket.end();
    },
  );
};

function call(format: CallerFormat, { wire }: RecordedStream, { at, reset }: Cut): Promise<HttpAnswer> {
  // The same number of tokens for every cut.
  const content = `${cutMark} cut ${wire} ${String(at).padStart(9, '0')} ${reset ? 'reset' : 'close'}`;
  const model = `sim/cut-${wire === 'openai' && format === 'responses' ? 'translated' : wire}`;
  const path = CALLERS[format].path(model);
  return postJson(`${system.stack.apiUrl}${path}`, bodyOf(format, model, content), customer.apiKey);
}

function bodyOf(format: CallerFormat, model: string, content: string): object {
  const max = 500;
  switch (format) {
    case 'google':
      return {
        contents: [{ role: 'user', parts: [{ text: content }] }],
        generationConfig: { maxOutputTokens: max },
      };
    case 'responses':
      return { model, stream: true, max_output_tokens: max, input: content };
    case 'completions':
      return { model, stream: true, max_tokens: max, prompt: content };
    default:
      return { model, stream: true, max_tokens: max, messages: [{ role: 'user', content }] };
  }
}

function cutsOf({ bytes, firstContentAt, finishAt, usageAt, wholeAt }: RecordedStream): Cut[] {
  const every = HEAVY ? 1 : Math.ceil(bytes.length / (SPREAD - 10));
  const borders = [firstContentAt, finishAt, usageAt, wholeAt].flatMap((border) => [border - 1, border]);
  const places = new Set([...borders, bytes.length]);
  for (let at = 0; at <= bytes.length; at += every) places.add(at);
  return [...places].flatMap((at, index) =>
    HEAVY
      ? [
          { at, reset: false },
          { at, reset: true },
        ]
      : [{ at, reset: at !== firstContentAt && index % 3 === 2 }],
  );
}

/** Classifies a response: an error status, a stream that ends in an error, or a complete stream. */
function outcomeOf(format: CallerFormat, { status, text, json }: HttpAnswer): 'refused' | 'broken' | 'whole' {
  const { end, error } = CALLERS[format];
  if (status !== 200) {
    if (status !== 502 || json?.error.code !== 'upstream_failed') throw new Error(`${status}: ${text}`);
    return 'refused';
  }
  const frame = error.exec(text)?.[1];
  if (end.test(text) === (frame !== undefined)) throw new Error(`neither whole nor broken: ${text}`);
  if (format === 'google') {
    JSON.parse(text);
    return frame ? 'broken' : 'whole';
  }
  for (const event of text.split('\n\n').slice(0, -1)) {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (data !== '[DONE]') JSON.parse(`${data}`);
  }
  return frame ? 'broken' : 'whole';
}

/** Text completions, and responses of their own API, pass through to and from their own format only. */
const cases = WIRES.flatMap((wire) =>
  (Object.keys(CALLERS) as CallerFormat[])
    .filter((format) =>
      wire === 'completions' || wire === 'responses' ? format === wire : format !== 'completions',
    )
    .map((format) => [wire, format] as const),
);

test.each(cases)(
  'a %s stream for a client of %s that is cut at any byte before its finish reason never looks complete',
  async (wire, format) => {
    const stream = streams.get(wire)!;
    const cuts = cutsOf(stream);
    const seen = new Map<string, { cut: Cut; outcome: string }>();
    await withConcurrency(WIDTH, cuts, async (cut) => {
      const answer = await call(format, stream, cut);
      seen.set(`${answer.headers['x-request-id']}`, { cut, outcome: outcomeOf(format, answer) });
    });
    await system.settled(customer);
    const { charges } = await readLedger(system, customer);
    // The stream that has only its first content.
    const [firstCutId] = [...seen].find(([, { cut }]) => cut.at === stream.firstContentAt && !cut.reset)!;
    const minNano = charges.get(firstCutId) ?? 0n;
    expect(minNano).toBeGreaterThan(0n);
    for (const [requestId, { cut, outcome }] of seen) {
      expectOutcomeAndCharge(stream, cut, outcome, charges.get(requestId) ?? 0n, minNano);
    }
    const chatBytes = pssBytes(system.stack.pid('chat'));
    warmBytes ??= chatBytes;
    if (HEAVY)
      process.stderr.write(`${wire} for ${format}: ${seen.size} cuts, chat has ${chatBytes} bytes\n`);
    await until(() => provider.connections === 0);
  },
  HEAVY ? 1_800_000 : 60_000,
);

function expectOutcomeAndCharge(
  stream: RecordedStream,
  cut: Cut,
  outcome: string,
  paidNano: bigint,
  minNano: bigint,
): void {
  const { usageAt, input, output } = stream;
  const allowed = outcomesOf(stream, cut);
  expect([cut, outcome, allowed.includes(outcome)]).toEqual([cut, outcome, true]);
  if (outcome === 'refused') {
    expect([cut, paidNano]).toEqual([cut, 0n]);
    return;
  }
  const fullNano = input * MADE_INPUT_NANO + output * MADE_OUTPUT_NANO;
  // A usage event that lacks only its blank line has reported the usage.
  if (cut.at >= usageAt - BLANK_LINE_BYTES && paidNano === fullNano) return;
  expect([cut, cut.at >= usageAt && (outcome === 'whole' || !cut.reset)]).toEqual([cut, false]);
  const maxNano = minNano + (output + SPARE_TOKENS) * MADE_OUTPUT_NANO;
  expect([cut, paidNano, paidNano >= minNano && paidNano <= maxNano]).toEqual([cut, paidNano, true]);
}

/** A connection that closes after the finish reason, and not within an event, has a complete reply. */
function outcomesOf({ bytes, firstContentAt, finishAt, wholeAt }: RecordedStream, cut: Cut): string[] {
  if (cut.at >= wholeAt) return cut.reset ? ['whole', 'refused', 'broken'] : ['whole'];
  // A reset may overtake bytes that were sent before it.
  if (cut.reset) return cut.at < firstContentAt ? ['refused'] : ['broken', 'refused'];
  if (cut.at < firstContentAt) return ['refused'];
  if (cut.at < finishAt - BLANK_LINE_BYTES) return ['broken'];
  const isBetweenEvents = /\r?\n\r?\n$/.test(bytes.toString('latin1', 0, cut.at));
  // An event may lack only its blank line.
  return isBetweenEvents ? ['whole'] : ['broken', 'whole'];
}

test('after all cuts no money is lost, memory is as before and no process has died', async () => {
  await until(async () => (await system.drift()) === 0);
  expect(await system.metric('billing', 'holds_orphaned')).toBe(0);
  expect(await system.metric('billing', 'operator_loss_nano')).toBe(0);
  expect(pssBytes(system.stack.pid('chat')) - warmBytes!).toBeLessThan(MAX_GROWTH_BYTES);
  expect(system.stack.processes()).toHaveLength(8);
});
