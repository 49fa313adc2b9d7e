import { describe, expect, test } from '@jest/globals';
import { litellmList, onlyEntry, pricesOf } from './price-list.fixture';

const read = (entry: object, name?: string) => onlyEntry(litellmList(entry, name));
const rejection = (entry: object, name?: string) => {
  const { entries, rejected } = litellmList(entry, name);
  expect(entries).toEqual([]);
  return rejected[0]?.reason;
};
const UNPRICED_BASE = { input_cost_per_token: undefined, output_cost_per_token: undefined };

describe('an entry of LiteLLM', () => {
  test('is read with all its fields', () => {
    const entry = read(
      {
        litellm_provider: 'quill_ai',
        max_input_tokens: 200_000,
        max_output_tokens: 64_000,
        max_tokens: 1,
        supports_function_calling: true,
        supports_response_schema: true,
        supports_vision: true,
        supports_pdf_input: true,
        supports_audio_input: true,
        supports_video_input: true,
        supports_reasoning: true,
        supported_output_modalities: ['text', 'code'],
        reasoning_effort_levels: ['low', 'high', 'extreme'],
        input_cost_per_token: 2.5e-6,
        output_cost_per_token: 0.00001,
        cache_read_input_token_cost: 2.5e-7,
        cache_creation_input_token_cost: 3.125e-6,
        cache_creation_input_token_cost_above_1hr: 5e-6,
        source: 'https://example.com/prices',
      },
      'quill_ai/maker/quill-3',
    );
    expect(entry).toEqual({
      provider: 'quill_ai',
      upstreamModel: 'maker/quill-3',
      name: 'maker/quill-3',
      inputModalities: ['text', 'image', 'video', 'audio', 'pdf'],
      outputModalities: ['text'],
      contextLength: 200_000,
      maxOutputTokens: 64_000,
      capabilities: ['tools', 'vision', 'json_schema', 'reasoning', 'effort_low', 'effort_high'],
      pricing: {
        input: 2_500_000_000n,
        output: 10_000_000_000n,
        cache_read: 250_000_000n,
        cache_write: 3_125_000_000n,
        cache_write_1h: 5_000_000_000n,
        audio_input: 2_500_000_000n,
        audio_cache_read: 250_000_000n,
        audio_output: undefined,
        service_tiers: {},
        units: {},
        long_context: undefined,
      },
      unpriced: [],
    });
  });

  test.each([
    ['quill', 'quill/m', 'quill', 'm'],
    ['quill', 'm', 'quill', 'm'],
    ['quill', 'other/m', 'quill', 'other/m'],
    ['quill_ai', 'quill-ai/m', 'quill_ai', 'm'],
    ['bedrock_converse', 'maker.m-v1:0', 'bedrock', 'maker.m-v1:0'],
    ['bedrock', 'bedrock/us-east-1/m', 'bedrock', 'us-east-1/m'],
    ['vertex_ai-maker_models', 'vertex_ai/m', 'vertex_ai', 'm'],
    ['cohere_chat', 'm', 'cohere', 'm'],
  ])('of %s named %s belongs to %s as %s', (litellm_provider, name, provider, upstreamModel) => {
    expect(read({ litellm_provider }, name)).toMatchObject({ provider, upstreamModel });
  });

  test('with prices above a threshold has a long context', () => {
    const entry = read({
      cache_read_input_token_cost: 1e-7,
      cache_creation_input_token_cost: 1.25e-6,
      cache_creation_input_token_cost_above_1hr: 2e-6,
      input_cost_per_token_above_200k_tokens: 2e-6,
      output_cost_per_token_above_200k_tokens: 6e-6,
      cache_read_input_token_cost_above_200k_tokens: 2e-7,
      cache_creation_input_token_cost_above_200k_tokens: 2.5e-6,
      cache_creation_input_token_cost_above_1hr_above_200k_tokens: 4e-6,
    });
    expect(pricesOf(entry)).toEqual({
      input: '1',
      output: '4',
      cache_read: '0.1',
      cache_write: '1.25',
      cache_write_1h: '2',
      'long_context.above_tokens': '200000',
      'long_context.input': '2',
      'long_context.output': '6',
      'long_context.cache_read': '0.2',
      'long_context.cache_write': '2.5',
      'long_context.cache_write_1h': '4',
    });
  });

  test('whose long context has no price of hour-long cache writes sells none', () => {
    const entry = read({
      cache_creation_input_token_cost_above_1hr: 2e-6,
      input_cost_per_token_above_200k_tokens: 2e-6,
    });
    expect(pricesOf(entry)).not.toHaveProperty('cache_write_1h');
    expect(pricesOf(entry)).toMatchObject({ 'long_context.input': '2', 'long_context.output': '4' });
    expect(entry.unpriced).toEqual(['cache_write_1h']);
  });

  const tiers = {
    input_cost_per_token_flex: 5e-7,
    output_cost_per_token_flex: 2e-6,
    cache_read_input_token_cost_flex: 5e-8,
    input_cost_per_token_priority: 2e-6,
    output_cost_per_token_priority: 8e-6,
  };

  test('sells its service tiers', () => {
    expect(pricesOf(read(tiers))).toEqual({
      input: '1',
      output: '4',
      'service_tiers.flex.input': '0.5',
      'service_tiers.flex.output': '2',
      'service_tiers.flex.cache_read': '0.05',
      'service_tiers.priority.input': '2',
      'service_tiers.priority.output': '8',
    });
  });

  test.each<[string, object, string[]]>([
    ['lacks an output price', { output_cost_per_token_flex: undefined }, ['service tier flex']],
    [
      'lacks the cache writes that the model prices above input',
      { cache_creation_input_token_cost: 1.25e-6, cache_creation_input_token_cost_flex: 6.25e-7 },
      ['service tier priority'],
    ],
    [
      'belongs to a model with a long context',
      { input_cost_per_token_above_200k_tokens: 2e-6 },
      ['service tier flex', 'service tier priority'],
    ],
    [
      'has a long context of its own',
      { input_cost_per_token_above_200k_tokens_flex: 1e-6 },
      ['service tier flex', 'service tier priority'],
    ],
  ])('does not sell a service tier that %s', (_what, more, unpriced) => {
    const entry = read({ ...tiers, ...more });
    expect(entry.unpriced).toEqual(unpriced);
    for (const tier of unpriced) {
      expect(Object.keys(entry.pricing.service_tiers)).not.toContain(tier.replace('service tier ', ''));
    }
  });

  const range = (from: number, to: number, input: number, more: object = {}) => ({
    range: [from, to],
    input_cost_per_token: input,
    output_cost_per_token: 4e-6,
    ...more,
  });

  test('with tiered_pricing of two ranges has a long context', () => {
    const two = read({
      ...UNPRICED_BASE,
      tiered_pricing: [
        range(0, 256_000, 1e-6, { cache_read_input_token_cost: 1e-7 }),
        range(256_000, 1e6, 3e-6),
      ],
    });
    expect(pricesOf(two)).toEqual({
      input: '1',
      output: '4',
      cache_read: '0.1',
      'long_context.above_tokens': '256000',
      'long_context.input': '3',
      'long_context.output': '4',
    });
    const one = read({ ...UNPRICED_BASE, tiered_pricing: [range(0, 1e6, 1e-6)] });
    expect(pricesOf(one)).toEqual({ input: '1', output: '4' });
  });

  test('keeps its prices of text and audio and reports what calls can do without', () => {
    const entry = read({
      supports_audio_input: true,
      supports_video_input: true,
      supported_output_modalities: ['text', 'audio'],
      input_cost_per_token_batches: 5e-7,
      output_cost_per_token_above_200k_tokens_batches: 5e-7,
      input_cost_per_token_ultrafast: 5e-6,
      cache_creation_input_token_cost_above_12hr: 2e-6,
      explicit_cache_read_input_token_cost: 1e-8,
      input_cost_per_audio_token: 1e-5,
      cache_read_input_audio_token_cost: 1e-6,
      output_cost_per_audio_token: 2e-5,
      input_cost_per_video_per_second: 0.001,
      output_cost_per_image: 0.04,
      search_context_cost_per_query: { search_context_size_low: 0.01 },
      google_maps_grounding_cost_per_query: 0.02,
      code_interpreter_cost_per_session: 0.03,
      regional_processing_uplift_multiplier_eu: 1.1,
      moonbase_uplift_multiplier: 1.4,
      provider_specific_entry: { us: 1.1 },
      input_dbu_cost_per_token: 1e-5,
    });
    expect(pricesOf(entry)).toEqual({
      input: '1',
      output: '4',
      audio_input: '10',
      audio_cache_read: '1',
      audio_output: '20',
    });
    expect(entry).toMatchObject({
      inputModalities: ['text', 'audio'],
      outputModalities: ['text', 'audio'],
      capabilities: [],
    });
    expect(entry.unpriced).toEqual([
      'batches',
      'service tier ultrafast',
      'cache_write_12h',
      'explicit cache_read',
      'video input',
      'image output',
      'search',
      'maps',
      'code interpreter',
      'region or mode',
    ]);
  });

  test.each([
    'fedramp_uplift_multiplier',
    'regional_processing_uplift_multiplier_jp',
    'sovereign_cloud_multiplier',
    'realtime_mode_multiplier',
    'moonbase_uplift',
  ])('is read although calls of another region or mode cost more by %s', (field) => {
    const entry = read({ [field]: 1.1 });
    expect([pricesOf(entry), entry.unpriced]).toEqual([{ input: '1', output: '4' }, ['region or mode']]);
    expect(read({ [field]: 1 }).unpriced).toEqual([]);
  });

  test('is billed at its usual price at all hours if it has an off-peak discount', () => {
    const windows = [{ weekdays: [6, 7], hours_utc: '00:00-00:00' }];
    const off_peak_pricing = { input_cost_per_token: 5e-7, output_cost_per_token: 4e-6, windows };
    const entry = read({ off_peak_pricing });
    expect([pricesOf(entry), entry.unpriced]).toEqual([{ input: '1', output: '4' }, ['off-peak discount']]);
  });

  test('that answers by the Responses API only is a chat model', () => {
    expect(read({ mode: 'responses' }).outputModalities).toEqual(['text']);
  });

  test('does not report what costs nothing or the same as text', () => {
    const entry = read({
      supports_audio_input: true,
      input_cost_per_audio_token: 1e-6,
      input_cost_per_image_token: 1e-6,
      input_cost_per_video_per_second: 0,
      input_cost_per_character: 0,
      output_cost_per_reasoning_token: 4e-6,
      input_cost_per_token_batches: null,
    });
    expect([entry.unpriced, pricesOf(entry).audio_input]).toEqual([[], '1']);
  });

  test('does not take audio that has a price per second only', () => {
    const entry = read({ supports_audio_input: true, input_cost_per_audio_per_second: 0.001 });
    expect(entry).toMatchObject({ inputModalities: ['text'], unpriced: ['audio input'] });
    expect(pricesOf(entry)).not.toHaveProperty('audio_input');
  });

  test('prices the audio of a long context, of which it has no price, at the higher one of short audio and long text', () => {
    const long = {
      input_cost_per_token_above_200k_tokens: 2e-6,
      output_cost_per_token_above_200k_tokens: 8e-6,
    };
    const dear = read({ ...long, input_cost_per_audio_token: 3e-6 });
    const cheap = read({ ...long, input_cost_per_audio_token: 1e-6 });
    expect(pricesOf(dear)['long_context.audio_input']).toBe('3');
    expect(pricesOf(cheap)['long_context.audio_input']).toBe('2');
  });

  test('reads the price of a cache hit as that of a cache read', () => {
    expect(pricesOf(read({ input_cost_per_token_cache_hit: 1e-7 })).cache_read).toBe('0.1');
    const both = { input_cost_per_token_cache_hit: 1e-7, cache_read_input_token_cost: 2e-7 };
    expect(rejection(both)).toBe('two prices for cache_read');
  });

  test('has the efforts that the list names, or those beside the usual three', () => {
    const efforts = (flags: object) =>
      read({ supports_reasoning: true, ...flags }).capabilities.filter((word) => word.startsWith('effort_'));
    expect(efforts({})).toEqual([]);
    expect(
      efforts({ supports_none_reasoning_effort: true, supports_minimal_reasoning_effort: false }),
    ).toEqual(['effort_none', 'effort_low', 'effort_medium', 'effort_high']);
    expect(efforts({ supports_low_reasoning_effort: false, supports_xhigh_reasoning_effort: true })).toEqual([
      'effort_medium',
      'effort_high',
      'effort_xhigh',
    ]);
    expect(efforts({ supports_reasoning: false, supports_max_reasoning_effort: true })).toEqual([]);
  });

  test('has the kinds of thinking of its version', () => {
    const kinds = (litellm_provider: string, flags: object) =>
      read({ supports_reasoning: true, litellm_provider, ...flags }).capabilities.slice(1);
    expect(kinds('anthropic', {})).toEqual(['thinking_budget']);
    expect(kinds('anthropic', { supports_adaptive_thinking: true, thinking_always_on: true })).toEqual([
      'adaptive_thinking',
      'thinking_always',
    ]);
    expect(kinds('other', { supports_adaptive_thinking: true, supports_legacy_thinking: true })).toEqual([
      'adaptive_thinking',
      'thinking_budget',
    ]);
    expect(kinds('other', {})).toEqual([]);
  });

  test('has limits that the catalog accepts', () => {
    expect(read({ max_input_tokens: 8_000, max_output_tokens: 8_192 }).contextLength).toBe(8_192);
    expect(read({ max_output_tokens: undefined, max_tokens: 500 }).maxOutputTokens).toBe(500);
    expect(read({ max_input_tokens: 'many', max_output_tokens: 1.5 })).toMatchObject({
      contextLength: 0,
      maxOutputTokens: 0,
    });
  });

  const tiered = (...tiered_pricing: unknown[]) => ({ ...UNPRICED_BASE, tiered_pricing });

  test.each<[string, object, string | RegExp]>([
    ['another mode', { mode: 'embedding' }, 'not a chat model'],
    ['no mode', { mode: undefined }, 'not a chat model'],
    ['no text output', { supported_output_modalities: ['audio'] }, 'not a chat model'],
    ['priced images as output', { output_cost_per_image_token: 3e-5 }, 'not a chat model'],
    [
      'priced videos as output',
      { output_cost_per_video_token: 3e-5, supported_output_modalities: ['text', 'video'] },
      'not a chat model',
    ],
    ['free output of paid input', { output_cost_per_token: 0 }, /^not a chat model: /],
    ['no input price', { input_cost_per_token: undefined }, 'no input price'],
    ['no output price', { output_cost_per_token: null }, 'no output price'],
    ['a price per request', { input_cost_per_request: 0.005 }, 'unsupported price input_cost_per_request'],
    ['a price of citations', { citation_cost_per_token: 1e-6 }, /^unsupported price/],
    ['a price per input image', { input_cost_per_image: 0.001 }, /^unsupported price/],
    [
      'higher off-peak prices',
      { off_peak_pricing: { input_cost_per_token: 1.1e-6 } },
      'off-peak price of input above the usual',
    ],
    [
      'an off-peak price that it has not otherwise',
      { off_peak_pricing: { cache_read_input_token_cost: 1e-8 } },
      'off-peak price of cache_read above the usual',
    ],
    [
      'an unknown off-peak price',
      { off_peak_pricing: { toll_cost: 1 } },
      'unsupported price off_peak_pricing.toll_cost',
    ],
    ['off-peak prices that are no object', { off_peak_pricing: 0.5 }, 'invalid off_peak_pricing'],
    ['an unknown surcharge', { weekend_surcharge: 2 }, 'unsupported price weekend_surcharge'],
    ['several unknown prices', { toll_cost: 2, entry_fee: 1 }, 'unsupported prices toll_cost, entry_fee'],
    ['a multiplier of what every call has', { cache_read_multiplier: 2 }, /^unsupported price/],
    ['a multiplier of times', { peak_hours_multiplier: 2 }, 'unsupported price peak_hours_multiplier'],
    ['a multiplier of anything', { multiplier: 2 }, 'unsupported price multiplier'],
    ['an unknown suffix', { input_cost_per_token_express: 1e-6 }, /^unsupported price/],
    ['an unknown lifetime', { output_cost_per_token_above_1hr: 1e-6 }, /^unsupported price/],
    ['costly reasoning', { output_cost_per_reasoning_token: 5e-6 }, 'reasoning costs more than output'],
    ['costly images', { input_cost_per_image_token: 2e-6 }, 'image input costs more than text'],
    [
      'two thresholds',
      { input_cost_per_token_above_32k_tokens: 2e-6, input_cost_per_token_above_256k_tokens: 3e-6 },
      'more than one long-context threshold',
    ],
    [
      'a long context without cache writes',
      { cache_creation_input_token_cost: 1.25e-6, input_cost_per_token_above_200k_tokens: 2e-6 },
      'long context has no cache write price',
    ],
    [
      'tiers of three ranges',
      tiered(range(0, 1, 1e-6), range(1, 2, 2e-6), range(2, 3, 3e-6)),
      'more than one long-context threshold',
    ],
    ['ranges with a gap', tiered(range(0, 1, 1e-6), range(2, 3, 2e-6)), 'invalid tiered_pricing'],
    ['a first range above 0', tiered(range(1, 2, 1e-6)), 'invalid tiered_pricing'],
    ['tiers without a range', tiered({ input_cost_per_token: 1e-6 }), 'invalid tiered_pricing'],
    ['no tiers', tiered(), 'invalid tiered_pricing'],
    ['tiers that are not a list', { ...UNPRICED_BASE, tiered_pricing: 'x' }, 'invalid tiered_pricing'],
    [
      'an unknown price in a tier',
      tiered(range(0, 1, 1e-6, { per_call: 1 })),
      'unsupported price tiered_pricing.per_call',
    ],
    [
      'tiers beside flat prices',
      { tiered_pricing: [range(0, 1, 1e-6)] },
      'tiered_pricing beside other token prices',
    ],
    ['a negative price', { input_cost_per_token: -1e-6 }, /^input_cost_per_token: /],
    ['a price as text', { input_cost_per_token: 'NaN' }, /^input_cost_per_token: /],
    ['a huge price', { input_cost_per_token: 1e300 }, /^input_cost_per_token: /],
    ['a price that is an object', { input_cost_per_token: {} }, /^input_cost_per_token: /],
    ['a provider with a control character', { litellm_provider: 'a\nb' }, /^litellm_provider: /],
  ])('with %s is rejected', (_what, entry, reason) => {
    if (typeof reason === 'string') expect(rejection(entry)).toBe(reason);
    else expect(rejection(entry)).toMatch(reason);
  });
});
