import { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import { litellmEntry, modelsDevModel, pricesOf } from './price-list.fixture';
import { readPriceList } from './read-price-list';

const read = (list: object) => readPriceList(JSON.stringify(list));
const MIB = 1024 * 1024;

function detailOf(text: string): string | undefined {
  try {
    readPriceList(text);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'invalid_request') return error.detail;
    throw error;
  }
  throw new Error('the list was read');
}

describe('readPriceList', () => {
  test("recognizes models.dev's list, and reports every entry that it does not use", () => {
    const list = read({
      quill: { id: 'quill', models: { a: modelsDevModel(), b: modelsDevModel({ cost: undefined }), c: 7 } },
      broken: { id: 'broken' },
    });
    expect(list.format).toBe('models.dev');
    expect(list.entries.map(({ provider, upstreamModel }) => [provider, upstreamModel])).toEqual([
      ['quill', 'a'],
    ]);
    expect(list.rejected).toEqual([
      { name: 'quill/b', reason: 'no price', key: 'quill\nb' },
      { name: 'quill/c', reason: expect.stringContaining('expected object'), key: 'quill\nc' },
      { name: 'broken', reason: 'not a provider', key: undefined },
    ]);
  });

  test("recognizes LiteLLM's list without its sample", () => {
    const list = read({
      sample_spec: { litellm_provider: 'a page', mode: 'a mode', input_cost_per_token: 0 },
      a: litellmEntry(),
      b: litellmEntry({ mode: 'rerank' }),
      c: null,
    });
    expect([list.format, list.entries.map(({ upstreamModel }) => upstreamModel)]).toEqual(['litellm', ['a']]);
    expect(list.rejected).toEqual([
      { name: 'b', reason: 'not a chat model', key: 'some-provider\nb' },
      { name: 'c', reason: 'not a chat model', key: undefined },
    ]);
  });

  test('reads the amounts of a list without loss', () => {
    const { entries } = readPriceList(
      '{"m": {"litellm_provider": "p", "mode": "chat", "input_cost_per_token": 2.5e-06, "output_cost_per_token": 0.00000007}}',
    );
    expect(pricesOf(entries[0]!)).toEqual({ input: '2.5', output: '0.07' });
  });

  test('uses the first of two entries with the same prices', () => {
    const { entries, rejected } = read({
      m: litellmEntry({ max_output_tokens: 1 }),
      'some-provider/m': litellmEntry({ max_output_tokens: 2 }),
    });
    expect(entries.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1]);
    expect(rejected).toMatchObject([{ name: 'some-provider/m', reason: 'duplicate' }]);
  });

  test('uses none of the entries of one model with different prices', () => {
    const { entries, rejected } = read({
      m: litellmEntry(),
      'some-provider/m': litellmEntry({ input_cost_per_token: 2e-6 }),
      'some_provider/m': litellmEntry({ input_cost_per_token: 3e-6 }),
      other: litellmEntry(),
    });
    expect(entries.map(({ upstreamModel }) => upstreamModel)).toEqual(['other']);
    expect(rejected.map(({ name }) => name)).toEqual(['m', 'some-provider/m', 'some_provider/m']);
  });

  test.each<[string, string, RegExp]>([
    ['text that is not JSON', '{"a": NaN}', /not JSON/],
    ['an empty text', '', /not JSON/],
    ['an array', '[]', /not a JSON object/],
    ['a number', '1', /not a JSON object/],
    ['an empty object', '{}', /neither/],
    ['an object of another kind', '{"models": {"a": {"name": "b"}}}', /neither/],
    ['a mix of both formats', '{"a": {"models": {}}, "b": {"litellm_provider": "x"}}', /neither/],
    ['more than 32 MiB', `{"a": "${'é'.repeat(16 * MIB)}"}`, /larger than/],
    ['deep nesting', `{"a": ${'['.repeat(100)}${']'.repeat(100)}}`, /nested deeper/],
    ['unclosed nesting of megabytes', '[{"a":'.repeat(500_000), /nested deeper/],
    ['an unclosed string of escaped quotes', `{"${'\\"'.repeat(MIB)}`, /not JSON/],
  ])('refuses %s', (_what, text, detail) => expect(detailOf(text)).toMatch(detail));

  test('refuses a list of more than 50,000 entries', () => {
    const entries = Array.from({ length: 50_001 }, (_, index) => [`m${index}`, 0]);
    const list = { ...Object.fromEntries(entries), first: litellmEntry() };
    expect(detailOf(JSON.stringify(list))).toMatch(/50000 entries/);
  });

  test('does not count brackets inside strings as nesting', () => {
    const list = { m: litellmEntry({ comment: `\\"${'[{'.repeat(100)}` }) };
    expect(read(list).entries).toHaveLength(1);
  });

  test('treats __proto__ and constructor as names like any other', () => {
    const entry = JSON.stringify(litellmEntry());
    const { entries, rejected } = readPriceList(
      `{"__proto__": ${entry}, "constructor": ${entry}, "x": {"__proto__": ${entry}}}`,
    );
    expect(entries.map(({ upstreamModel }) => upstreamModel)).toEqual(['__proto__', 'constructor']);
    expect(rejected).toEqual([{ name: 'x', reason: 'not a chat model' }]);
    expect(({} as Record<string, unknown>).litellm_provider).toBeUndefined();
  });

  test('refuses __proto__ as a price of models.dev', () => {
    const model = JSON.stringify(modelsDevModel()).replace('"input":1', '"__proto__":{"input":1},"input":1');
    const { entries, rejected } = readPriceList(`{"p": {"models": {"m": ${model}}}}`);
    expect(entries).toEqual([]);
    expect(rejected[0]?.reason).toMatch(/__proto__/);
  });

  test('shortens names and reasons of rejected entries to one line', () => {
    const [rejected] = read({ a: litellmEntry(), [`x\n\ud800${'y'.repeat(1_000)}`]: {} }).rejected;
    expect(rejected?.name).toMatch(/^x \ufffdy{197}$/);
    const field = `cost_${'z'.repeat(1_000)}\n`;
    expect(read({ a: litellmEntry({ [field]: 1 }) }).rejected[0]?.reason).toHaveLength(200);
  });
});
