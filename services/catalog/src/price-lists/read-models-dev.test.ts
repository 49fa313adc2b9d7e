import { describe, expect, test } from '@jest/globals';
import { modelsDevList, onlyEntry, pricesOf } from './price-list.fixture';

const read = (model: object, id?: string) => onlyEntry(modelsDevList(model, id));
const rejection = (model: object, id?: string) => {
  const { entries, rejected } = modelsDevList(model, id);
  expect(entries).toEqual([]);
  return rejected[0]?.reason;
};
const modalities = (input: string[], output: string[]) => ({ modalities: { input, output } });

describe('an entry of models.dev', () => {
  test('is read with all its fields', () => {
    const entry = read(
      {
        name: 'Quill 3',
        family: 'quill',
        attachment: true,
        reasoning: true,
        reasoning_options: [
          { type: 'toggle' },
          { type: 'effort', values: ['none', 'low', 'high', null, 'default', 'high'] },
        ],
        tool_call: true,
        structured_output: true,
        modalities: { input: ['text', 'image', 'pdf', 'smell'], output: ['text'] },
        limit: { context: 200_000, input: 150_000, output: 64_000 },
        cost: { input: 2.5, output: 10, cache_read: 0.25, cache_write: 3.125 },
      },
      'maker/quill-3',
    );
    expect(entry).toEqual({
      provider: 'some-provider',
      upstreamModel: 'maker/quill-3',
      name: 'Quill 3',
      inputModalities: ['text', 'image', 'pdf'],
      outputModalities: ['text'],
      contextLength: 200_000,
      maxOutputTokens: 64_000,
      capabilities: [
        'tools',
        'vision',
        'json_schema',
        'reasoning',
        'effort_none',
        'effort_low',
        'effort_high',
      ],
      pricing: {
        input: 2_500_000_000n,
        output: 10_000_000_000n,
        cache_read: 250_000_000n,
        cache_write: 3_125_000_000n,
        cache_write_1h: undefined,
        service_tiers: {},
        units: {},
        long_context: undefined,
      },
      unpriced: [],
    });
  });

  test('with one tier has a long context at its threshold', () => {
    const long = { input: 2, output: 6, cache_read: 0.2 };
    const entry = read({
      cost: {
        input: 1,
        output: 4,
        cache_read: 0.1,
        tiers: [{ ...long, tier: { type: 'context', size: 272_000 } }],
        context_over_200k: long,
      },
    });
    expect(pricesOf(entry)).toEqual({
      input: '1',
      output: '4',
      cache_read: '0.1',
      'long_context.above_tokens': '272000',
      'long_context.input': '2',
      'long_context.output': '6',
      'long_context.cache_read': '0.2',
    });
  });

  test('with context_over_200k alone has a long context above 200,000 tokens', () => {
    const entry = read({ cost: { input: 1, output: 4, context_over_200k: { input: 2, output: 6 } } });
    expect(entry.pricing.long_context).toMatchObject({ above_tokens: 200_000, input: 2_000_000_000n });
  });

  test('is read although calls of another region or mode cost more', () => {
    const cost = { input: 1, output: 4, fedramp_uplift_multiplier: 1.1 };
    const entry = read({ cost });
    expect([pricesOf(entry), entry.unpriced]).toEqual([{ input: '1', output: '4' }, ['region or mode']]);
    expect(read({ cost: { ...cost, fedramp_uplift_multiplier: 1 } }).unpriced).toEqual([]);
    expect(rejection({ cost: { ...cost, cache_multiplier: 2 } })).toMatch(/cache_multiplier/);
  });

  const fast = (provider: object) => ({ modes: { fast: { cost: { input: 2, output: 8 }, provider } } });

  test('sells a mode that only sets the service tier, and reports another mode as unpriced', () => {
    const tier = read({ experimental: fast({ body: { service_tier: 'priority' } }) });
    expect(pricesOf(tier)).toMatchObject({
      'service_tiers.priority.input': '2',
      'service_tiers.priority.output': '8',
    });
    const mode = read({
      experimental: fast({ body: { speed: 'fast' }, headers: { 'anthropic-beta': 'fast' } }),
    });
    expect([mode.pricing.service_tiers, mode.unpriced]).toEqual([{}, ['mode fast']]);
  });

  test('with a long context sells no service tier, which would have no long-context price', () => {
    const entry = read({
      cost: { input: 1, output: 4, tiers: [{ input: 2, output: 6, tier: { size: 200_000 } }] },
      experimental: fast({ body: { service_tier: 'priority' } }),
    });
    expect([entry.pricing.service_tiers, entry.unpriced]).toEqual([{}, ['service tier priority']]);
  });

  test('has the prices of audio, which without one of its own costs as much as text', () => {
    const audio = { ...modalities(['text', 'audio'], ['text', 'audio']) };
    const dear = read({ ...audio, cost: { input: 1, output: 4, input_audio: 10, output_audio: 20 } });
    expect(dear).toMatchObject({
      inputModalities: ['text', 'audio'],
      outputModalities: ['text', 'audio'],
      pricing: { audio_input: 10_000_000_000n, audio_output: 20_000_000_000n },
      unpriced: [],
    });
    const same = read({ ...audio, cost: { input: 1, output: 4 } });
    expect(same).toMatchObject({
      inputModalities: ['text', 'audio'],
      outputModalities: ['text'],
      pricing: { audio_input: 1_000_000_000n },
    });
    expect(same.pricing.audio_output).toBeUndefined();
    expect(read({ cost: { input: 1, output: 4 } }).pricing.audio_input).toBeUndefined();
  });

  test('bills cheaper reasoning as output and reports it', () => {
    expect(read({ cost: { input: 1, output: 4, reasoning: 3 } }).unpriced).toEqual(['reasoning']);
    expect(read({ cost: { input: 1, output: 4, reasoning: 4 } }).unpriced).toEqual([]);
  });

  test('has no cache price where the list has 0 beside a paid input, and keeps 0 of a free model', () => {
    const zero = { cache_read: 0, cache_write: 0 };
    expect(pricesOf(read({ cost: { input: 1, output: 4, ...zero } }))).toEqual({ input: '1', output: '4' });
    expect(pricesOf(read({ cost: { input: 0, output: 0, ...zero } }))).toEqual({
      input: '0',
      output: '0',
      cache_read: '0',
      cache_write: '0',
    });
  });

  test('of Claude has the kinds of thinking of its version', () => {
    const budget = { type: 'budget_tokens', min: 1_024 };
    const effort = (...values: string[]) => ({ type: 'effort', values });
    const kinds = (options: object[], id = 'claude-x') =>
      read({ reasoning: true, reasoning_options: options }, id).capabilities.filter((word) =>
        word.includes('thinking'),
      );
    expect(kinds([budget])).toEqual(['thinking_budget']);
    expect(kinds([budget, effort('low', 'high')])).toEqual(['thinking_budget']);
    expect(kinds([budget, effort('low', 'max')])).toEqual(['adaptive_thinking', 'thinking_budget']);
    expect(kinds([effort('low', 'max')])).toEqual(['adaptive_thinking']);
    expect(kinds([budget, effort('max')], 'quill')).toEqual([]);
  });

  test('has a usable name and limits where the list has none', () => {
    const bare = read({ name: '\t', limit: undefined });
    expect(bare).toMatchObject({ name: 'some-model', contextLength: 0, maxOutputTokens: 0 });
    expect(read({ name: 'Two\nlines\t' }).name).toBe('Two lines');
    expect(read({ limit: { context: 10, output: 20 } }).maxOutputTokens).toBe(10);
    expect(read({ limit: { context: 'big', output: -1 } })).toMatchObject({
      contextLength: 0,
      maxOutputTokens: 0,
    });
  });

  const tier = (size: unknown, more: object = {}) => ({ input: 2, output: 6, tier: { size }, ...more });
  const cost = (more: object) => ({ cost: { input: 1, output: 4, ...more } });

  test.each<[string, object, string | RegExp]>([
    ['no cost', { cost: undefined }, 'no price'],
    ['no input price', { cost: { output: 4 } }, /^cost\.input: /],
    ['no output price', { cost: { input: 1 } }, /^cost\.output: /],
    ['an unknown price', cost({ per_call: 0.01 }), /^cost: .*per_call/],
    ['an unknown price in a tier', cost({ tiers: [tier(1, { per_call: 1 })] }), /per_call/],
    ['a negative price', cost({ cache_read: -1 }), /^cost\.cache_read: /],
    ['a price as text', { cost: { input: 'NaN', output: 4 } }, /^cost\.input: /],
    ['a price above the maximum', { cost: { input: 1e9, output: 4 } }, 'cost.input: is not an amount of USD'],
    ['two tiers', cost({ tiers: [tier(1), tier(2)] }), 'more than one long-context threshold'],
    ['two prices of a tier', cost({ tiers: [tier(1), tier(1)] }), /two prices/],
    ['a tier of another type', cost({ tiers: [tier(1, { tier: { type: 'hour', size: 1 } })] }), /type/],
    ['a tier at 0 tokens', cost({ tiers: [tier(0)] }), 'invalid long-context threshold'],
    ['a tier at a fraction', cost({ tiers: [tier(0.5)] }), 'invalid long-context threshold'],
    ['costly reasoning', cost({ reasoning: 5 }), 'reasoning costs more than output'],
    [
      'a tier without cache writes',
      cost({ cache_write: 1.25, tiers: [tier(1)] }),
      'long context has no cache write price',
    ],
    ['free output of paid input', { cost: { input: 1, output: 0 } }, /^not a chat model: /],
    ['image output', modalities(['text'], ['text', 'image']), 'not a chat model'],
    ['no text output', modalities(['text'], ['audio']), 'not a chat model'],
    ['no text input', modalities(['audio'], ['text']), 'not a chat model'],
    ['the family of embeddings', { family: 'text-embedding' }, 'not a chat model'],
    ['no modalities', { modalities: undefined }, /^modalities: /],
  ])('with %s is rejected', (_what, model, reason) => {
    if (typeof reason === 'string') expect(rejection(model)).toBe(reason);
    else expect(rejection(model)).toMatch(reason);
  });

  test('of a model whose name says that it does not chat is rejected', () => {
    for (const id of ['big-embed-2', 'x-reranker', 'whisper-9', 'voice-tts'])
      expect([id, rejection({}, id)]).toEqual([id, 'not a chat model']);
  });

  test('with a name that the catalog cannot store is rejected', () => {
    expect(rejection({}, 'x'.repeat(201))).toBe('invalid name');
    expect(rejection({}, 'a\nb')).toBe('invalid name');
    expect(rejection({}, '')).toBe('invalid name');
  });
});
