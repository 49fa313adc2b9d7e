import { Quota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ChunkTemplate } from './chunk-template';
import { PassThroughChunks } from './pass-through-chunks';
import { QUIRKS } from './quirks';

const bufferQuota = new Quota({ limit: 1024 });
const SLUG = 'openai/gpt-5.5';
/** Beyond the digits of a double. */
const chargedNano = () => 12_345_678_901_234_567_891n;
const COST = '12345678901.234567891';
const chunk = (fields: object) => Buffer.from(`data: ${JSON.stringify({ id: 'c', ...fields })}\n\n`);
const delta = (content: string) => [{ index: 0, delta: { content }, finish_reason: null }];
const usage = {
  prompt_tokens: 10,
  completion_tokens: 4,
  total_tokens: 14,
  prompt_tokens_details: { cached_tokens: 3 },
};

describe('a client that did not request usage', () => {
  const meter = new PassThroughChunks({
    model: SLUG,
    includeUsage: false,
    chargedNano,
    quirks: QUIRKS.common,
    bufferQuota,
  });

  test('does not receive it', () => {
    const event = meter.take(chunk({ choices: delta('a'), usage: null }));
    expect(event.kind === 'pass' && event.bytes.toString()).toBe(chunk({ choices: delta('a') }).toString());
    expect(meter.take(chunk({ choices: [], usage })).kind).toBe('hide');
    expect(meter.usage).toEqual({ input: 7, cache_read: 3, cache_write: 0, output: 4, reasoning: 0 });
  });

  test('receives content that mentions usage unchanged', () => {
    const event = chunk({ choices: delta('say "usage":null and "error" please') });
    expect(meter.take(event)).toEqual({ kind: 'pass', bytes: event });
  });

  test('receives content without the usage beside it', () => {
    const event = meter.take(chunk({ choices: delta('x'), usage: { ...usage, completion_tokens: 9 } }));
    expect(event.kind === 'pass' && event.bytes.toString()).toBe(chunk({ choices: delta('x') }).toString());
    expect(meter.usage?.output).toBe(9);
  });
});

const withCost = (event: Buffer) =>
  event.toString().replace('"cached_tokens":3}}', `"cached_tokens":3},"cost":${COST}}`);

test('a client that requested usage receives every byte, and the exact cost in the usage', () => {
  const meter = new PassThroughChunks({
    model: SLUG,
    includeUsage: true,
    chargedNano,
    quirks: QUIRKS.common,
    bufferQuota,
  });
  const content = chunk({ choices: delta('a'), usage: null });
  expect(meter.take(content)).toEqual({ kind: 'pass', bytes: content });
  const last = meter.take(chunk({ choices: [], usage }));
  expect(last.kind === 'pass' && last.bytes.toString()).toBe(withCost(chunk({ choices: [], usage })));
  expect(meter.usage?.output).toBe(4);
});

test.each([true, false])('every chunk names the slug, also with usage (requested: %s)', (includeUsage) => {
  const meter = new PassThroughChunks({
    model: SLUG,
    includeUsage,
    chargedNano,
    quirks: QUIRKS.common,
    bufferQuota,
  });
  const model = 'gpt-5.5-2026-03-17';
  const chunks = [
    { choices: delta(''), usage: null },
    { choices: delta(`"model":"${model}"`) },
    { choices: delta('x'), usage },
    { choices: [], usage },
  ].map((fields) => ({ id: 'c', object: 'chat.completion.chunk', model, ...fields }));
  for (const sent of chunks) {
    const event = meter.take(chunk(sent));
    if (event.kind !== 'pass') continue;
    const { usage: told, ...rest } = { usage: undefined, ...sent, model: SLUG };
    const named = includeUsage && told !== undefined ? { ...sent, model: SLUG } : rest;
    expect(event.bytes.toString()).toBe(withCost(chunk(named)));
  }
  // What is kept for counting is whole.
  expect(meter.countOutput()).toBeGreaterThan(3);
});

describe('the applied service tier', () => {
  const meter = (onlyTier?: string) =>
    new PassThroughChunks({
      model: SLUG,
      includeUsage: false,
      chargedNano,
      quirks: QUIRKS.common,
      bufferQuota,
      onlyTier,
    });

  test('is read from the first chunk', () => {
    const told = meter();
    expect(told.serviceTier).toBeUndefined();
    told.take(chunk({ choices: delta('a'), service_tier: 'default' }));
    expect(told.serviceTier).toBe('default');
  });

  test.each([
    [{ choices: delta('say "service_tier":"default"') }],
    [{ choices: delta('a'), service_tier: null }],
  ])('is not read from %j', (fields) => {
    const untold = meter();
    untold.take(chunk(fields));
    expect(untold.serviceTier).toBeUndefined();
  });

  test("is the provider's only one, whatever the chunk says", () => {
    const only = meter('default');
    only.take(chunk({ choices: delta('a'), service_tier: 'priority' }));
    expect(only.serviceTier).toBe('default');
  });
});

test('the end, an error, and text that looks like them', () => {
  const meter = new PassThroughChunks({
    model: SLUG,
    includeUsage: false,
    chargedNano,
    quirks: QUIRKS.common,
    bufferQuota,
  });
  expect(meter.take(Buffer.from('data: [DONE]\n\n')).kind).toBe('done');
  expect(meter.take(Buffer.from('data:[DONE]\r\n\r\n')).kind).toBe('done');
  expect(meter.take(chunk({ choices: delta('[DONE]') })).kind).toBe('pass');
  expect(meter.take(Buffer.from(': [DONE]\n\n')).kind).toBe('pass');
  expect(meter.take(Buffer.from('data: {"error":{"message":"overloaded"}}\n\n')).kind).toBe('error');
});

describe('an event that fails the stream', () => {
  test.each([
    ['another kind of error', 'data: {"object":"error","message":"overloaded"}\n\n'],
    ['an error by its name alone', 'event: error\ndata: {"message":"overloaded"}\n\n'],
    ['the same behind an id', 'id: 1\nevent: error\ndata: {"message":"overloaded"}\n\n'],
    ['the same with other ends of lines', 'event:error\r\ndata: {}\r\n\r\n'],
  ])('%s', (_, event) => {
    const meter = new PassThroughChunks({
      model: SLUG,
      includeUsage: false,
      chargedNano,
      quirks: QUIRKS.common,
      bufferQuota,
    });
    expect(meter.take(Buffer.from(event))).toEqual({ kind: 'error' });
  });

  test.each(['{broken', '{"choices":[', '7', 'null', '"x"', '{"usage":nul'])('%s', (data) => {
    const meter = new PassThroughChunks({
      model: SLUG,
      includeUsage: false,
      chargedNano,
      quirks: QUIRKS.common,
      bufferQuota,
    });
    expect(() => meter.take(Buffer.from(`data: ${data}\n\n`))).toThrow('not a JSON object');
  });

  test.each([
    ': wait\n\n',
    'data:\n\n',
    'retry: 3\n\n',
    'data: {"choices":[]} \n\n',
    'event: chunk\ndata: {}\n\n',
  ])('is not %j', (event) => {
    const meter = new PassThroughChunks({
      model: SLUG,
      includeUsage: false,
      chargedNano,
      quirks: QUIRKS.common,
      bufferQuota,
    });
    expect(meter.take(Buffer.from(event)).kind).toBe('pass');
  });

  test.each([' \n\n', '\nid: 7\n\n'])('%j at the end is not an event, and its text is counted', (end) => {
    const meter = new PassThroughChunks({
      model: SLUG,
      includeUsage: false,
      chargedNano,
      quirks: QUIRKS.common,
      bufferQuota,
    });
    const whole = chunk({ choices: delta('one two three'), usage: null }).toString();
    expect(meter.take(Buffer.from(whole.trimEnd() + end)).kind).toBe('pass');
    expect([meter.estimateOutput(), meter.countOutput()]).toEqual([1, 3]);
  });
});

test('counts each kind of output over its joined text, per choice', () => {
  const meter = new PassThroughChunks({
    model: SLUG,
    includeUsage: false,
    chargedNano,
    quirks: QUIRKS.common,
    bufferQuota,
  });
  const call = (fields: object) => [{ index: 0, delta: { tool_calls: [{ index: 0, ...fields }] } }];
  meter.take(chunk({ choices: delta('Hello wor') }));
  meter.take(chunk({ choices: delta('ld') }));
  meter.take(chunk({ choices: [{ index: 1, delta: { content: 'Hello world' } }] }));
  meter.take(chunk({ choices: call({ function: { name: 'f', arguments: '' } }) }));
  meter.take(chunk({ choices: call({ function: { arguments: '{}' } }) }));
  // "Hello world" is two tokens, "f" one, "{}" one.
  expect(meter.countOutput()).toBe(2 + 2 + 1 + 1);
});

test('reasoning that is reported separately is added to the output', () => {
  const meter = new PassThroughChunks({
    model: SLUG,
    includeUsage: false,
    chargedNano,
    quirks: QUIRKS.xai,
    bufferQuota,
  });
  const details = { completion_tokens_details: { reasoning_tokens: 6 } };
  meter.take(chunk({ choices: [], usage: { ...usage, ...details } }));
  expect(meter.usage).toMatchObject({ output: 10, reasoning: 6 });
});

test("the provider's own cost is replaced by what the account is charged", () => {
  const meter = new PassThroughChunks({
    model: SLUG,
    includeUsage: true,
    chargedNano: ({ output, serviceTier }) => (serviceTier === 'default' ? BigInt(output) : 0n),
    quirks: QUIRKS.common,
    bufferQuota,
  });
  const event = meter.take(chunk({ service_tier: 'default', choices: [], usage: { ...usage, cost: 99 } }));
  expect(event.kind === 'pass' && event.bytes.toString()).toContain('"cost":0.000000004}}');
});

describe('usage inside another member', () => {
  const inner = { x_groq: { id: 'r', usage } };
  const end = [{ index: 0, delta: {}, finish_reason: 'stop' }];
  const meterOf = (includeUsage: boolean) => {
    const quirks = { ...QUIRKS.compatible, usageMember: 'x_groq' };
    return new PassThroughChunks({ model: SLUG, includeUsage, chargedNano, quirks, bufferQuota });
  };

  test.each([{ usage: null }, {}])('is charged, also beside %j at the top', (top) => {
    const meter = meterOf(false);
    meter.take(chunk({ choices: end, ...inner, ...top }));
    expect(meter.usage).toMatchObject({ input: 7, cache_read: 3, output: 4 });
  });

  test('is passed at the top to a caller who asked for it, and hidden from others', () => {
    const passed = (includeUsage: boolean) => {
      const event = meterOf(includeUsage).take(chunk({ choices: end, ...inner }));
      return event.kind === 'pass' && JSON.parse(event.bytes.toString().slice('data: '.length));
    };
    const rest = { id: 'c', choices: end, x_groq: { id: 'r' } };
    expect(passed(true)).toEqual({ ...rest, usage: { ...usage, cost: Number(COST) } });
    expect(passed(false)).toEqual(rest);
  });

  test('is charged once when the format repeats it', () => {
    const meter = meterOf(true);
    meter.take(chunk({ choices: end, ...inner }));
    meter.take(chunk({ choices: [], usage }));
    expect(meter.usage).toMatchObject({ input: 7, cache_read: 3, output: 4 });
  });

  test('is not charged for a provider without the quirk', () => {
    const meter = new PassThroughChunks({
      model: SLUG,
      includeUsage: false,
      chargedNano,
      quirks: QUIRKS.common,
      bufferQuota,
    });
    meter.take(chunk({ choices: end, ...inner }));
    expect(meter.usage).toBeUndefined();
  });
});

describe('chunks that repeat the bytes of the one before', () => {
  const said = (fields: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta: fields, finish_reason }],
  });
  const anyText = fc.oneof(fc.string(), fc.constantFrom('', '"', '\\', '\\"', '"usage":null', '\n', 'é'));
  const piece = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });
  const called = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } };
  const some = <Value>(value: Value) => fc.constantFrom(value, undefined);
  const anyChunk = fc
    .tuple(
      fc.oneof(
        { weight: 4, arbitrary: anyText.map((content) => said({ content })) },
        { weight: 4, arbitrary: anyText.map((text) => said(piece(text))) },
        anyText.map((text) => said({ content: null, reasoning_content: text })),
        anyText.map((text) => said({ content: [{ type: 'text', text }] })),
        anyText.map((text) => said({ content: text, cost: 0.7 })),
        fc.constantFrom(said({ tool_calls: [called] }), said({}, 'stop'), { choices: [] }),
        fc.constantFrom(said({ tool_calls: [{ ...called, index: 1, id: 'call_2' }] })),
      ),
      fc.constantFrom<object | null | undefined>(null, null, undefined, usage),
      fc.constantFrom('', 'xY3', undefined),
      some({ total_cost: 0.7 }),
    )
    .map(([{ choices }, figures, obfuscation, cost]) => {
      return { model: 'theirs', choices, usage: figures, obfuscation, ...cost };
    });

  test('are passed as they are one by one', () => {
    fc.assert(
      fc.property(fc.array(anyChunk, { maxLength: 12 }), fc.boolean(), (chunks, includeUsage) => {
        /** @param differs no two chunks begin with the same bytes */
        const passed = (differs: boolean) => {
          const options = { model: SLUG, includeUsage, chargedNano, quirks: QUIRKS.common };
          const meter = new PassThroughChunks({ ...options, bufferQuota: new Quota({ limit: 1e6 }) });
          const taken = chunks.map((fields, at) => {
            try {
              const event = meter.take(chunk({ created: differs ? 1_000 + at : 1_000, ...fields }));
              return 'bytes' in event ? event.bytes.toString().replace(/"created":\d+/, '') : event.kind;
            } catch (error) {
              return `${error}`;
            }
          });
          return [taken, meter.usage, meter.estimateOutput(), meter.countOutput()];
        };
        expect(passed(false)).toEqual(passed(true));
      }),
    );
  });

  test('are recognized by their bytes, unless they differ in more than their text', () => {
    const template = new ChunkTemplate();
    const textChunk = (text: string, more: object = {}) =>
      chunk({ ...said({ content: text }), usage: null, obfuscation: 'a1', ...more });
    const learned = textChunk('Hello');
    template.learn(learned, learned.indexOf(',"usage":null'));
    for (const next of [textChunk('say "x\\"'), textChunk(''), textChunk('a', { obfuscation: '' })]) {
      expect(template.matches(next)).toBe(true);
      expect(template.nullUsage).toBe(next.indexOf(',"usage":null'));
    }
    const others = [
      textChunk('a', { usage }),
      textChunk('a', { cost: 1 }),
      textChunk('a', { obfuscation: 'b', cost: 1 }),
      chunk({ ...said({ content: 'a' }, 'stop'), usage: null, obfuscation: 'a1' }),
      chunk({ ...said({ content: ['a'] }), usage: null, obfuscation: 'a1' }),
      learned.subarray(0, -5),
    ];
    expect(others.filter((next) => template.matches(next))).toEqual([]);
  });
});
