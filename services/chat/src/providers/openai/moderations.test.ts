import { Quota } from '@gateway/quota';
import { expect, test } from '@jest/globals';
import { moderationCall } from '../../app/moderation-call';
import type { Model } from '../../domain/model';
import type { ModerationRequest } from '../../domain/moderation';
import { NO_USAGE } from '../../domain/usage';
import { connectAsOpenAi, KINDS } from '../connect-provider';

const quota = new Quota({ limit: 1 });
const access = { id: 'p', baseUrl: 'http://x/v1', apiKey: 'k' };
const OPENAI = connectAsOpenAi(access, quota).moderations!;
const MISTRAL = KINDS.mistral(access, quota).moderations!;

const PARTS = [
  { type: 'text', text: 'one' },
  { type: 'text', text: 'two' },
] as const;
const IMAGE = { type: 'image_url', image_url: { url: 'https://x/a.png' } } as const;
const TEXTS: ModerationRequest = {
  ...{ model: 'x/y', input: ['one', 'two'], texts: ['one', 'two'], images: 0, results: 2 },
};
const OF_PARTS: ModerationRequest = { ...TEXTS, input: PARTS, results: 1 };
const WITH_IMAGE: ModerationRequest = { ...OF_PARTS, input: [...PARTS, IMAGE], images: 1 };

test.each<[string, ModerationRequest, unknown, unknown]>([
  ['texts', TEXTS, ['one', 'two'], ['one', 'two']],
  ['parts', OF_PARTS, PARTS, 'one\ntwo'],
])('%s are written in the form that each provider takes', (_what, request, openAi, mistral) => {
  expect(JSON.parse(String(OPENAI.writeRequest(request, 'm')))).toEqual({ model: 'm', input: openAi });
  expect(JSON.parse(String(MISTRAL.writeRequest(request, 'm')))).toEqual({ model: 'm', input: mistral });
});

test('an image is refused for a provider that takes texts', () => {
  expect(JSON.parse(String(OPENAI.writeRequest(WITH_IMAGE, 'm'))).input).toHaveLength(3);
  expect(() => MISTRAL.writeRequest(WITH_IMAGE, 'm')).toThrow(
    expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching('not images') }),
  );
});

const CATEGORIES = { categories: { pii: true, hate: false }, category_scores: { pii: 0.9, hate: 0.1 } };

test("Mistral's results get what follows from their categories", () => {
  const reply = { id: 'm', results: [CATEGORIES], usage: { prompt_tokens: 3 } };
  expect(MISTRAL.readReply(reply)).toEqual({
    id: 'm',
    results: [
      {
        flagged: true,
        category_applied_input_types: { pii: ['text'], hate: ['text'] },
        ...CATEGORIES,
      },
    ],
    inputTokens: 3,
  });
});

test("OpenAI's results are as they were", () => {
  const result = { flagged: false, ...CATEGORIES, category_applied_input_types: { pii: ['image'] } };
  expect(OPENAI.readReply({ id: 'm', results: [result] })).toEqual({
    ...{ id: 'm', results: [result], inputTokens: undefined },
  });
});

const MODEL = { slug: 'x/y', contextLength: 100, maxImageTokens: 85 } as Model;

test.each<[string, Partial<Model>, number, number]>([
  ['the maximum of the model', {}, 10 + 85, 2 + 85],
  ['its context without one', { maxImageTokens: 0 }, 10 + 100, 2 + 100],
])('an image counts as %s', (_what, more, bound, counted) => {
  const { boundUsage, countUsage } = moderationCall(WITH_IMAGE);
  const model = { ...MODEL, ...more };
  expect([boundUsage(model), countUsage(model)]).toEqual([
    { ...NO_USAGE, input: bound },
    { ...NO_USAGE, input: counted },
  ]);
});

test.each<[string, object]>([
  ['has too few results', { results: [CATEGORIES] }],
  ['has no categories', { results: [CATEGORIES, {}] }],
  ['has no results', {}],
])('a reply that %s is an error', async (_what, reply) => {
  const protocol = moderationCall(TEXTS).protocolOf(connectAsOpenAi(access, quota))!;
  await expect(async () => protocol.readReply(Buffer.from(JSON.stringify(reply)), MODEL)).rejects.toThrow();
});
