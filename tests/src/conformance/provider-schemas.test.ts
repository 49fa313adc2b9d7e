import { wav } from '@gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sendRequest } from '../support/http';
import { png } from '../support/pictures';
import { type Customer, type System, startSystem } from '../support/system';
import { compileWireTypes, type WireType, type WireTypes } from '../support/wire-schemas';
import { withConcurrency } from '../support/with-concurrency';
import { type GeneratedCall, generateCalls } from './generated-calls';

const CALLS = 2_000;
const WIDTH = 16;
const TIMEOUT_MS = 300_000;
const MAX_EXAMPLE_CHARS = 1_500;
/** Events, blocks and ends of every feature that the calls ask for. */
const FEATURES = [
  ...['response.completed', 'response.incomplete', 'response.reasoning_summary_text.delta'],
  ...['response.function_call_arguments.done', 'response.custom_tool_call_input.done'],
  ...['response.web_search_call.completed', 'response.output_text.annotation.added'],
  ...['thinking_delta', 'signature_delta', 'input_json_delta', 'citations_delta'],
  ...['server_tool_use', 'web_search_tool_result', 'tool_use', 'thinking', 'redacted_thinking', 'reasoning'],
  ...[
    'transcript.text.delta',
    'transcript.text.done',
    'image_generation.completed',
    'image_edit.completed',
    'refusal',
    'max_tokens',
    'end_turn',
    'stop_sequence',
  ],
  ...['content_filter', 'length', 'tool_calls', 'SAFETY', 'MAX_TOKENS', 'STOP'],
];
const FEATURE = /"(?:type|stop_reason|finish_reason|finishReason)":"([\w.]+)"/g;

let system: System;
let customer: Customer;
let types: WireTypes;

beforeAll(async () => {
  types = compileWireTypes();
  system = await startSystem();
  customer = await system.provision({ balanceUsd: 10_000 });
}, 120_000);
afterAll(() => system?.stop(), 30_000);

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function send({ method, path, body, form, headers }: GeneratedCall): Promise<Answer> {
  const url = system.stack.apiUrl + path;
  const { apiKey } = customer;
  const isGoogles = path.startsWith('/v1beta/') || path.includes(':');
  const key = isGoogles ? { 'x-goog-api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
  if (!form) {
    const json = body && { 'content-type': 'application/json' };
    const bytes = body && Buffer.from(JSON.stringify(body));
    return sendRequest(url, method, { ...key, ...json, ...headers }, bytes);
  }
  const data = new FormData();
  for (const [name, value] of Object.entries(form.fields)) data.append(name, value);
  const [bytes, name, type] =
    form.file === 'image' ? [png('form'), 'a.png', 'image/png'] : [wav(1), 'a.wav', 'audio/wav'];
  data.append(form.file, new Blob([new Uint8Array(bytes)], { type }), name);
  const response = await fetch(url, { method, headers: key, body: data });
  return { status: response.status, text: await response.text() };
}

/** Returns the parsed body, or the events of a stream: server-sent or a JSON array. */
function valuesOf({ streamed }: GeneratedCall, text: string): unknown[] {
  if (!streamed) return [JSON.parse(text)];
  if (text.startsWith('[')) return JSON.parse(text);
  const data = text.split('\n\n').flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? []);
  return data.filter((line) => line !== '[DONE]').map((line) => JSON.parse(line));
}

/** Returns the reads of a stored response. */
function readsOf({ type }: GeneratedCall, text: string): GeneratedCall[] {
  const { id, store } = type === 'response' ? JSON.parse(text) : {};
  if (!store) return [];
  const path = `/v1/responses/${id}`;
  return [
    { method: 'GET', path, type: 'stored response', streamed: false },
    { method: 'GET', path: `${path}/input_items`, type: 'input items', streamed: false },
  ];
}

test(
  `the bodies and stream events of ${CALLS} calls have the types of the providers' own clients`,
  async () => {
    const violations = new Map<string, { count: number; example: string }>();
    const seen = new Set<WireType>();
    const features = new Set<string>();
    const note = (problem: string, example: unknown) => {
      const { count } = violations.get(problem) ?? { count: 0 };
      violations.set(problem, {
        count: count + 1,
        example: JSON.stringify(example).slice(0, MAX_EXAMPLE_CHARS),
      });
    };
    const verify = async (call: GeneratedCall): Promise<void> => {
      const { status, text } = await send(call);
      if (status !== 200) return note(`${call.method} ${call.path}: ${status}`, [call, text]);
      for (const value of valuesOf(call, text)) {
        const problem = types.check(call.type, value);
        if (problem) note(`${call.type}: ${problem}`, [call, value]);
      }
      seen.add(call.type);
      for (const [, type] of text.matchAll(FEATURE)) features.add(`${type}`);
      for (const read of readsOf(call, text)) await verify(read);
    };
    await withConcurrency(WIDTH, generateCalls(CALLS), verify);
    expect([...violations].map(([problem, found]) => ({ problem, ...found }))).toEqual([]);
    expect([...seen].sort()).toEqual([...types.names].sort());
    expect(FEATURES.filter((feature) => !features.has(feature))).toEqual([]);
  },
  TIMEOUT_MS,
);

test('each of these types refuses another object', () => {
  expect(types.names.filter((type) => types.check(type, { other: 1 }) === undefined)).toEqual([]);
});

test('after all calls nothing is held and the books balance', async () => {
  await system.settled(customer);
  expect(await system.drift()).toBe(0);
});
