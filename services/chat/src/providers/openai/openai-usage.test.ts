import { expect, test } from '@jest/globals';
import { audioOf } from '../../domain/usage';
import { fromOpenAiUsage, withTopUsage } from './openai-usage';
import { QUIRKS } from './quirks';

const INCLUDED = { reasoning: 'included', cached: 'included' } as const;
const DETECT = { reasoning: 'detect', cached: 'detect' } as const;
const SEPARATE = { reasoning: 'separate', cached: 'separate' } as const;

const usageOf = (cached: number, reasoning: number) => ({
  prompt_tokens: 100,
  completion_tokens: 20,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

test.each([
  [
    'included parts are not added',
    INCLUDED,
    40,
    15,
    { input: 60, cache_read: 40, output: 20, reasoning: 15 },
  ],
  [
    'included cached tokens are at most the prompt',
    INCLUDED,
    140,
    15,
    { input: 0, cache_read: 100, output: 20 },
  ],
  ['separate parts are added', SEPARATE, 40, 15, { input: 100, cache_read: 40, output: 35, reasoning: 15 }],
  ['parts that fit are taken as included', DETECT, 100, 20, { input: 0, cache_read: 100, output: 20 }],
  [
    'parts that are too large to be included are added',
    DETECT,
    101,
    21,
    { input: 100, cache_read: 101, output: 41 },
  ],
])('%s', (_rule, mode, cached, reasoning, figures) => {
  expect(fromOpenAiUsage(usageOf(cached, reasoning), mode)).toMatchObject(figures);
});

test.each<[string, object, object]>([
  ['a prompt alone', { prompt_tokens: 9 }, { input: 9, output: 0 }],
  ['a completion alone', { completion_tokens: 9 }, { input: 0, output: 9 }],
  ['an implausible prompt', { prompt_tokens: -1, completion_tokens: 2 }, { input: 0, output: 2 }],
  ['a prompt and a total', { prompt_tokens: 9, total_tokens: 14 }, { input: 9, output: 5 }],
  [
    'a completion and a total with cached tokens',
    { completion_tokens: 5, total_tokens: 14, prompt_tokens_details: { cached_tokens: 4 } },
    { input: 5, cache_read: 4, output: 5 },
  ],
  [
    'thinking that only the total has',
    { prompt_tokens: 9, completion_tokens: 5, total_tokens: 84 },
    { input: 9, output: 75, reasoning: 70 },
  ],
  [
    'reads beside a larger prompt, as the total shows',
    {
      prompt_tokens: 90,
      completion_tokens: 5,
      total_tokens: 135,
      prompt_tokens_details: { cached_tokens: 40 },
    },
    { input: 90, cache_read: 40, output: 5, reasoning: 0 },
  ],
  [
    'reads and writes beside the prompt, under the names of Anthropic',
    {
      ...{ prompt_tokens: 9, completion_tokens: 5, total_tokens: 154 },
      ...{ cache_read_input_tokens: 40, cache_creation_input_tokens: 100 },
    },
    { input: 9, cache_read: 40, cache_write: 100, output: 5, reasoning: 0 },
  ],
  [
    'writes beside a smaller prompt',
    { prompt_tokens: 9, completion_tokens: 5, cache_creation_input_tokens: 100 },
    { input: 9, cache_write: 100 },
  ],
  [
    'writes that are also counted as reads',
    {
      ...{ prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 },
      prompt_tokens_details: { cached_tokens: 90, cache_write_tokens: 80 },
    },
    { input: 10, cache_read: 10, cache_write: 80 },
  ],
  [
    'reads that are also counted as writes',
    {
      ...{ prompt_tokens: 100, completion_tokens: 5 },
      prompt_tokens_details: { cached_tokens: 80, cache_write_tokens: 95 },
    },
    { input: 5, cache_read: 80, cache_write: 15 },
  ],
  [
    'writes that exceed the prompt, beside which reads are as well',
    {
      ...{ prompt_tokens: 100, completion_tokens: 5, cache_creation_input_tokens: 500 },
      prompt_tokens_details: { cached_tokens: 80 },
    },
    { input: 100, cache_read: 80, cache_write: 500 },
  ],
  [
    'reads that exceed the prompt, beside which writes are as well',
    { prompt_tokens: 9, completion_tokens: 5, cached_tokens: 40, cache_creation_input_tokens: 5 },
    { input: 9, cache_read: 40, cache_write: 5 },
  ],
  [
    'reasoning that exceeds the completion and is in the total',
    {
      ...{ prompt_tokens: 10, completion_tokens: 100, total_tokens: 215 },
      completion_tokens_details: { reasoning_tokens: 105 },
    },
    { input: 10, output: 205, reasoning: 105 },
  ],
  [
    'reasoning that exceeds the completion, for which the total leaves no room',
    {
      ...{ prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 },
      completion_tokens_details: { reasoning_tokens: 105 },
    },
    { input: 10, output: 100, reasoning: 100 },
  ],
  [
    'reasoning that exceeds the completion, for which the total leaves no room beside the reads',
    {
      ...{ prompt_tokens: 5, completion_tokens: 2, total_tokens: 47 },
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 10 },
    },
    { input: 5, cache_read: 40, output: 2, reasoning: 2 },
  ],
  [
    'reasoning that exceeds the completion and is in the total, of a prompt with as many reads',
    {
      ...{ prompt_tokens: 100, completion_tokens: 20, total_tokens: 170 },
      prompt_tokens_details: { cached_tokens: 50 },
      completion_tokens_details: { reasoning_tokens: 50 },
    },
    { input: 50, cache_read: 50, output: 70, reasoning: 50 },
  ],
  [
    'reasoning that exceeds the completion, beside a total of 0',
    {
      ...{ prompt_tokens: 10, completion_tokens: 100, total_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 105 },
    },
    { input: 10, output: 205, reasoning: 105 },
  ],
  [
    'reasoning that exceeds the completion, and a total without a prompt',
    {
      ...{ completion_tokens: 100, total_tokens: 215 },
      completion_tokens_details: { reasoning_tokens: 105 },
    },
    { input: 10, output: 205, reasoning: 105 },
  ],
  [
    'reasoning that exceeds the completion, and a total without a prompt that leaves no room for it',
    {
      ...{ completion_tokens: 100, total_tokens: 110 },
      completion_tokens_details: { reasoning_tokens: 105 },
    },
    { input: 10, output: 100, reasoning: 100 },
  ],
  [
    'reads and reasoning that the total has beside larger figures',
    {
      ...{ prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_450 },
      prompt_tokens_details: { cached_tokens: 300 },
      completion_tokens_details: { reasoning_tokens: 50 },
    },
    { input: 1_000, cache_read: 300, output: 150, reasoning: 50 },
  ],
  [
    'reads, writes and reasoning that the total has beside larger figures',
    {
      ...{ prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_850 },
      prompt_tokens_details: { cached_tokens: 300, cache_write_tokens: 400 },
      completion_tokens_details: { reasoning_tokens: 50 },
    },
    { input: 1_000, cache_read: 300, cache_write: 400, output: 150, reasoning: 50 },
  ],
  [
    'reasoning once that the total has beside a larger completion',
    {
      ...{ prompt_tokens: 10, completion_tokens: 300, total_tokens: 510 },
      completion_tokens_details: { reasoning_tokens: 200 },
    },
    { input: 10, output: 500, reasoning: 200 },
  ],
  [
    "the other names of a response's figures",
    { input_tokens: 9, output_tokens: 5, input_tokens_details: { cached_tokens: 4 } },
    { input: 5, cache_read: 4, output: 5 },
  ],
])('reads %s', (_what, usage, expected) => {
  expect(fromOpenAiUsage(usage, DETECT)).toMatchObject(expected);
});

test.each([
  [20, { output: 70, reasoning: 50 }],
  [60, { output: 60, reasoning: 50 }],
])(
  'reasoning beside a completion of %i is charged by its size if a quirk says that the total may leave it out',
  (completion, output) => {
    const usage = {
      ...{ prompt_tokens: 10, completion_tokens: completion, total_tokens: 10 + completion },
      completion_tokens_details: { reasoning_tokens: 50 },
    };
    const mode = { reasoning: 'if_larger', cached: 'detect' } as const;
    expect(fromOpenAiUsage(usage, mode)).toMatchObject({ input: 10, ...output });
  },
);

test.each(['azure', 'compatible', 'openai'] as const)(
  'cached tokens of a deployment of Grok that reports them beside the prompt are charged at %s',
  (quirks) => {
    const usage = { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 40 } };
    expect(fromOpenAiUsage(usage, QUIRKS[quirks].usage)).toMatchObject({ input: 5, cache_read: 40 });
  },
);

test("xAI's cached tokens are charged also for models that do not include them in the prompt", () => {
  const usage = { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 40 } };
  expect(fromOpenAiUsage(usage, QUIRKS.xai.usage)).toMatchObject({ input: 5, cache_read: 40, output: 2 });
});

test.each([
  { prompt_tokens_details: { cached_tokens: 40 } },
  { prompt_cache_hit_tokens: 40 },
  { num_cached_tokens: 40 },
  { cached_tokens: 40 },
])('cached tokens are read from the field of the provider in %j', (fields) => {
  const usage = { prompt_tokens: 100, completion_tokens: 20, ...fields };
  expect(fromOpenAiUsage(usage, INCLUDED)).toMatchObject({ input: 60, cache_read: 40 });
});

test.each(['cache_write_tokens', 'caching_tokens', 'cache_creation_input_tokens', 'cache_creation_tokens'])(
  'cache writes are read from %s',
  (field) => {
    const usage = { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { [field]: 30 } };
    expect(fromOpenAiUsage(usage, INCLUDED)).toMatchObject({ input: 70, cache_write: 30 });
  },
);

test.each([undefined, null, {}, { prompt_tokens: -1 }, { total_tokens: 3 }])(
  'usage without credible figures, such as %j, is none',
  (usage) => {
    expect(fromOpenAiUsage(usage, INCLUDED)).toBeUndefined();
  },
);

test('usage inside another member moves to the top', () => {
  const chunk = { id: 'c', usage: null, x_groq: { id: 'r', usage: { prompt_tokens: 1 } } };
  expect(withTopUsage(chunk, 'x_groq')).toEqual({
    id: 'c',
    x_groq: { id: 'r' },
    usage: { prompt_tokens: 1 },
  });
});

test('usage at the top is used as it is, so that the same figures are not read twice', () => {
  const chunk = { usage: { prompt_tokens: 1 }, x_groq: { usage: { prompt_tokens: 2 } } };
  expect(withTopUsage(chunk, 'x_groq')).toBe(chunk);
  expect(withTopUsage({ x_groq: { usage: {} } }, undefined)).toEqual({ x_groq: { usage: {} } });
});

test.each<[string, object, object | undefined]>([
  [
    'audio in and out',
    { prompt_tokens_details: { audio_tokens: 60 }, completion_tokens_details: { audio_tokens: 15 } },
    { input: 60, cacheRead: 0, output: 15 },
  ],
  [
    'cached audio by its own figure',
    {
      prompt_tokens_details: {
        audio_tokens: 60,
        cached_tokens: 50,
        cached_tokens_details: { audio_tokens: 20 },
      },
    },
    { input: 40, cacheRead: 20, output: 0 },
  ],
  [
    'cached tokens that may be audio as text, as far as possible',
    { prompt_tokens_details: { audio_tokens: 60, cached_tokens: 50 } },
    { input: 50, cacheRead: 10, output: 0 },
  ],
  [
    'no more audio than tokens',
    { prompt_tokens_details: { audio_tokens: 600 }, completion_tokens_details: { audio_tokens: 600 } },
    { input: 100, cacheRead: 0, output: 20 },
  ],
  ['no audio', { prompt_tokens_details: { audio_tokens: 0 } }, undefined],
])('reads %s', (_, details, audio) => {
  const usage = { prompt_tokens: 100, completion_tokens: 20, ...details };
  expect(audioOf(fromOpenAiUsage(usage, INCLUDED)!)).toEqual(audio);
});
