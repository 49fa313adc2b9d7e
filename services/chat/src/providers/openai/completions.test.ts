import { Quota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import { callThrough } from '../../app/recorded-call.fixture';
import type { ChatProvider } from '../../domain/chat-provider';
import { parseCompletionsRequest } from '../../formats/openai/completions-request';
import { connectAsOpenAi, KINDS } from '../connect-provider';

const quota = new Quota({ limit: 1_000_000 });
const access = (baseUrl: string, options?: Record<string, unknown>) => ({
  ...{ id: 'p', baseUrl, apiKey: 'k' },
  ...(options && { options }),
});
const PROVIDERS = {
  openai: connectAsOpenAi(access('https://api.openai.com/v1'), quota),
  compatible: KINDS.openai(access('http://x/v1'), quota),
  deepseek: KINDS.deepseek(access('https://api.deepseek.com/v1'), quota),
  'deepseek without v1': KINDS.deepseek(access('https://api.deepseek.com'), quota),
  mistral: KINDS.mistral(access('https://api.mistral.ai/v1'), quota),
  quirk: KINDS.openai(access('http://x/v1', { quirks: { completions_path: '/fim' } }), quota),
} satisfies Record<string, ChatProvider>;
type Name = keyof typeof PROVIDERS;

const completing = (name: Name): ChatProvider => ({ ...PROVIDERS[name], ...PROVIDERS[name].completions });
const request = (fields: object) =>
  parseCompletionsRequest(Buffer.from(JSON.stringify({ model: 'x/y', prompt: 'Hi', ...fields })));

/** Sends a call to a provider that answers so; returns what it got and what the caller and the ledger get. */
async function complete(name: Name, fields: object, answer: string) {
  const sent: { url: URL; body: Record<string, unknown> }[] = [];
  const upstream = {
    async send({ url, body }: { url: URL; body?: Buffer | undefined }) {
      sent.push({ url, body: JSON.parse(String(body)) });
      return { status: 200, headers: {}, body: inPieces(answer) };
    },
  };
  // biome-ignore lint/suspicious/noExplicitAny: a client's response has more than these tests need.
  const result = await callThrough(completing(name), upstream as any, request(fields));
  return { ...result, sent: sent[0]! };
}

async function* inPieces(text: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += 40) yield Buffer.from(text.slice(at, at + 40));
}

const sse = (...events: object[]) =>
  `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;
const USAGE = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
/** Of 2 and 11 nano-USD per token. */
const WITH_COST = { ...USAGE, cost: 61e-9 };
const WHOLE = JSON.stringify({
  ...{ id: 'c', object: 'text_completion', model: 'up' },
  choices: [{ index: 0, text: ' there', logprobs: null, finish_reason: 'stop' }],
  usage: USAGE,
});
/** 2 nano-USD per input token, 11 per output token. */
const settled = (input: number, output: number, source = 'PROVIDER') => [
  expect.objectContaining({
    costNano: String(2 * input + 11 * output),
    usageSource: `USAGE_SOURCE_${source}`,
  }),
];

test.each<[Name, string]>([
  ['openai', 'https://api.openai.com/v1/completions'],
  ['compatible', 'http://x/v1/completions'],
  ['deepseek', 'https://api.deepseek.com/beta/completions'],
  ['deepseek without v1', 'https://api.deepseek.com/beta/completions'],
  ['quirk', 'http://x/v1/fim'],
])('%s completes at its own path and is paid by its figures', async (name, url) => {
  const { sent, body, billed } = await complete(name, { suffix: '!', seed: 1 }, WHOLE);
  expect(String(sent.url)).toBe(url);
  expect(sent.body).toMatchObject({ prompt: 'Hi', suffix: '!', max_tokens: 16, seed: 1 });
  expect(JSON.parse(body!)).toEqual({ ...JSON.parse(WHOLE), model: 'sim/chat', usage: WITH_COST });
  expect(billed).toEqual(settled(3, 5));
});

describe.each([true, false])('finish reasons (streamed: %s)', (stream) => {
  const ending = (finish_reason: string) => {
    const reply = {
      ...JSON.parse(WHOLE),
      choices: [{ index: 0, text: ' there', logprobs: null, finish_reason }],
    };
    return stream ? sse(reply) : JSON.stringify(reply);
  };

  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['eos', 'stop'],
    ['max_tokens', 'length'],
  ])('%s is %s', async (received, finish) => {
    const { body, billed } = await complete('compatible', { stream }, ending(received));
    expect(body).toContain(`"finish_reason":"${finish}"`);
    expect(billed).toEqual(settled(3, 5));
  });

  test('of a failure are no end', async () => {
    const { body, error } = await complete('compatible', { stream }, ending('error'));
    expect(body ?? error!.code).toContain('upstream_failed');
  });
});

test('a provider without text completions has none', () => {
  expect(KINDS.openai(access('http://x', { preset: 'groq' }), quota).completions).toBeUndefined();
  const none = access('http://x/v1', { quirks: { completions_path: 'none' } });
  expect(KINDS.openai(none, quota).completions).toBeUndefined();
  expect(KINDS['azure-openai'](access('https://r.openai.azure.com'), quota).completions).toBeUndefined();
});

describe('Mistral', () => {
  const said = (content: unknown, more: object = {}) => ({
    ...{ id: 'c', object: 'chat.completion', model: 'up', usage: USAGE },
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    ...more,
  });

  test('gets what it knows', async () => {
    const fields = {
      suffix: '!',
      seed: 1,
      user: 'u',
      n: 1,
      echo: false,
      frequency_penalty: 0,
      logprobs: null,
    };
    const { sent } = await complete('mistral', fields, JSON.stringify(said(' there')));
    expect(String(sent.url)).toBe('https://api.mistral.ai/v1/fim/completions');
    expect(sent.body).toEqual({
      ...{ model: 'target-of-p', prompt: 'Hi', suffix: '!', max_tokens: 16, random_seed: 1 },
      model: sent.body.model,
    });
  });

  test.each([
    ['n', 2],
    ['echo', true],
    ['logprobs', 1],
    ['logit_bias', { 1: 2 }],
    ['presence_penalty', 1],
    ['prompt', ['a', 'b']],
    ['prompt', [1, 2]],
  ])('does not know %s %j', async (field, value) => {
    const { error } = await complete('mistral', { [field]: value }, '');
    expect(error).toMatchObject({
      code: 'invalid_request',
      detail: expect.stringMatching(`^${field}: `),
    });
  });

  test('answers with text completions, whole', async () => {
    const { body, billed } = await complete('mistral', {}, JSON.stringify(said(' there')));
    expect(JSON.parse(body!)).toEqual({
      ...{ id: 'c', object: 'text_completion', model: 'sim/chat', usage: WITH_COST },
      choices: [{ index: 0, text: ' there', logprobs: null, finish_reason: 'stop' }],
    });
    expect(billed).toEqual(settled(3, 5));
  });

  test('answers with text completions, streamed', async () => {
    const chunk = (content: string, finish_reason: string | null = null) => ({
      ...{ id: 'c', object: 'chat.completion.chunk', model: 'up' },
      choices: [{ index: 0, delta: { content }, finish_reason }],
    });
    const stream = sse(chunk(' the'), chunk('re'), { ...chunk('', 'stop'), usage: USAGE });
    const { body, billed, sent } = await complete('mistral', { stream: true }, stream);
    expect(sent.body).not.toHaveProperty('stream_options');
    const events = body!
      .trim()
      .split('\n\n')
      .slice(0, -1)
      .map((event) => JSON.parse(event.slice(6)));
    expect(events.map(({ object, choices }) => [object, choices[0].text, choices[0].finish_reason])).toEqual([
      ['text_completion', ' the', null],
      ['text_completion', 're', null],
      ['text_completion', '', 'stop'],
    ]);
    expect(billed).toEqual(settled(3, 5));
  });
});

describe('without figures from the provider', () => {
  const text = (index: number, said: string) => ({
    index,
    text: said,
    logprobs: null,
    finish_reason: 'stop',
  });
  const whole = (...choices: object[]) => JSON.stringify({ id: 'c', object: 'text_completion', choices });

  test('prompts, suffix and every choice are counted', async () => {
    const fields = { prompt: ['one two', 'three'], suffix: 'four' };
    const { billed } = await complete('openai', fields, whole(text(0, ' five six'), text(1, ' seven')));
    expect(billed).toEqual(settled(4, 3, 'COUNTED'));
  });

  test('tokens are counted as such', async () => {
    const { billed } = await complete('openai', { prompt: [[1, 2], [3]] }, whole(text(0, ' one')));
    expect(billed).toEqual(settled(3, 1, 'COUNTED'));
  });

  test('what echo repeats is not output', async () => {
    const prompt = 'word '.repeat(100);
    const reply = whole(text(0, `${prompt} one`));
    const { billed } = await complete('openai', { prompt, echo: true }, reply);
    expect(Number(billed[0]!.tokens!.output)).toBeLessThan(5);
  });

  test('a stream that breaks is charged what had arrived', async () => {
    const open = { ...text(0, ' one two'), finish_reason: null };
    const stream = sse({ id: 'c', choices: [open] }).slice(0, -'data: [DONE]\n\n'.length);
    const { body, billed } = await complete('openai', { stream: true }, stream);
    expect(body).toContain('"upstream_failed"');
    expect(billed).toEqual(settled(1, 2, 'COUNTED'));
  });

  test('a complete reply to a stream becomes its events, and a stream a complete reply', async () => {
    const reply = { id: 'c', object: 'text_completion', choices: [text(0, ' one two')] };
    const streamed = await complete('openai', { stream: true }, JSON.stringify(reply));
    expect(streamed.body).toMatch(/"text":" one two".*\n\ndata: \[DONE\]\n\n$/s);
    const pieces = [
      { id: 'c', choices: [{ ...text(0, ' one'), finish_reason: null }] },
      { id: 'c', choices: [text(0, ' two')] },
    ];
    const joined = await complete(
      'openai',
      {},
      pieces.map((piece) => sse(piece).split('data: [DONE]')[0]).join(''),
    );
    expect(JSON.parse(joined.body!).choices).toEqual([expect.objectContaining(text(0, ' one two'))]);
    for (const { billed } of [streamed, joined]) expect(billed).toEqual(settled(1, 2, 'COUNTED'));
  });

  test('a stream that ends after the finish reasons of all choices is complete', async () => {
    const sent = (...choices: object[]) => sse({ id: 'c', choices }).slice(0, -'data: [DONE]\n\n'.length);
    const fields = { stream: true, n: 2 };
    const { body, billed } = await complete('openai', fields, sent(text(0, ' one two'), text(1, ' three')));
    expect(body).toMatch(/data: \[DONE\]\n\n$/);
    expect(billed).toEqual(settled(1, 3, 'COUNTED'));
    const cut = await complete('openai', fields, sent(text(0, ' one two')));
    expect(cut.body).toContain('"upstream_failed"');
  });
});
