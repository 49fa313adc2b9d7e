import { memoryQuota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import type { CallerRequest } from '../domain/caller-request';
import type { Conversation } from '../domain/conversation';
import type { Model } from '../domain/model';
import { PASSED_TO } from '../domain/passed-reply.fixture';
import type { Reply } from '../domain/reply';
import { upperBound } from '../domain/upper-bound';
import { NO_USAGE, searchUnits } from '../domain/usage';
import { anthropicProvider } from '../providers/anthropic/anthropic-provider';
import { geminiProvider } from '../providers/gemini/gemini-provider';
import { parseMessagesRequest } from './anthropic/messages-request';
import { parseGenerateContent } from './gemini/gemini-request';
import { parseChatRequest } from './openai/chat-request';
import { parseResponsesRequest } from './responses/responses-request';

const bytes = (body: object) => Buffer.from(JSON.stringify(body));
const USER = [{ role: 'user', content: 'What is new?' }];
const TOOL = { type: 'web_search_20250305', name: 'web_search' };
const messages = (tool: object, more: object = {}) =>
  parseMessagesRequest(
    bytes({ model: 'sim/chat', max_tokens: 100, messages: USER, tools: [{ ...TOOL, ...tool }], ...more }),
    {},
  );
const responses = (tool: object, more: object = {}) =>
  parseResponsesRequest(
    bytes({ model: 'sim/chat', input: 'What is new?', tools: [{ type: 'web_search', ...tool }], ...more }),
  ).withItems();
const chat = (options: object, more: object = {}) =>
  parseChatRequest(bytes({ model: 'sim/chat', messages: USER, web_search_options: options, ...more }));
const gemini = (more: object = {}) =>
  parseGenerateContent(
    bytes({ contents: [{ parts: [{ text: 'What is new?' }] }], tools: [{ googleSearch: {} }], ...more }),
    { model: 'sim/chat', stream: false },
  );

const anthropic = anthropicProvider({ id: 'a', baseUrl: 'http://a', apiKey: 'k' }, memoryQuota(1_000, 0));
const google = geminiProvider({ id: 'g', baseUrl: 'http://g', apiKey: 'k', newToolId: () => 'new' });
const bodyFor = (provider: typeof google, conversation: Conversation) =>
  JSON.parse(String(provider.writeRequest(conversation, 'model', 100, new Set())));

const PLACE = { city: 'Oslo', country: 'NO' };

describe('a search of the web is read', () => {
  test.each<[string, CallerRequest, object]>([
    [
      "Anthropic's format",
      messages({
        max_uses: 3,
        allowed_domains: ['a.example'],
        user_location: { type: 'approximate', ...PLACE },
      }),
      { maxSearches: 3, allowedDomains: ['a.example'], blockedDomains: [], location: PLACE },
    ],
    [
      'the Responses format',
      responses(
        {
          filters: { allowed_domains: ['a.example'] },
          user_location: { type: 'approximate', ...PLACE, region: null },
        },
        { max_tool_calls: 4 },
      ),
      { maxSearches: 4, allowedDomains: ['a.example'], blockedDomains: [], location: PLACE },
    ],
    [
      'chat completions',
      chat({ user_location: { type: 'approximate', approximate: PLACE } }),
      { maxSearches: 10, allowedDomains: [], blockedDomains: [], location: PLACE },
    ],
    [
      "Google's format",
      gemini(),
      { maxSearches: 10, allowedDomains: [], blockedDomains: [], location: undefined },
    ],
  ])('from %s', (_, request, search) => {
    expect(request.conversation().webSearch).toEqual(search);
    expect(request.conversation().tools).toEqual([]);
    expect(request.size.webSearches).toBe((search as { maxSearches: number }).maxSearches);
  });

  test('not from the search of stored pages that Codex declares', () => {
    const request = responses({ external_web_access: false });
    expect([request.conversation().webSearch, request.size.webSearches]).toEqual([undefined, undefined]);
  });
});

const errorOf = (parse: () => CallerRequest) => {
  try {
    parse();
    return 'none';
  } catch (error) {
    return (error as { detail?: string }).detail;
  }
};

test.each<[string, () => CallerRequest]>([
  ['tools[0].max_uses', () => messages({ max_uses: 0 })],
  ['tools[0].name', () => messages({ name: 'search' })],
  ['tools[0].blocked_domains', () => messages({ allowed_domains: ['a'], blocked_domains: ['b'] })],
  ['tools[0].allowed_callers', () => messages({ allowed_callers: ['code_execution_20250825'] })],
  ['tools[1].type', () => messages({}, { tools: [TOOL, TOOL] })],
  ['tools[0].search_context_size', () => responses({ search_context_size: 'huge' })],
  ['declared twice', () => responses({}, { tools: [{ type: 'web_search' }, { type: 'web_search' }] })],
  ['web_search_options.search_context_size', () => chat({ search_context_size: 'huge' })],
])('a search with a wrong %s is refused', (what, parse) => {
  expect(errorOf(parse)).toContain(what);
});

test('a search without a maximum gets one on its way to Anthropic', () => {
  const change = { upstreamModel: 'claude', maxTokens: undefined, maxTokensField: 'max_tokens' } as const;
  const toolsOf = (request: CallerRequest) =>
    JSON.parse(String(request.passThroughBody(change as Parameters<CallerRequest['passThroughBody']>[0])))
      .tools;
  expect(toolsOf(messages({}))).toEqual([{ ...TOOL, max_uses: 10 }]);
  expect(toolsOf(messages({ max_uses: 2 }))).toEqual([{ ...TOOL, max_uses: 2 }]);
});

describe('a search of the web is written', () => {
  test('for Anthropic, with its maximum and domains, and forced if the caller forces it', () => {
    const conversation = responses(
      { filters: { blocked_domains: ['b.example'] }, user_location: PLACE },
      { tool_choice: { type: 'web_search' } },
    ).conversation();
    expect(bodyFor(anthropic, conversation)).toMatchObject({
      tools: [
        {
          ...TOOL,
          max_uses: 10,
          blocked_domains: ['b.example'],
          user_location: { type: 'approximate', ...PLACE },
        },
      ],
      tool_choice: { type: 'tool', name: 'web_search' },
    });
  });

  test('for Gemini, which has no choice of it', () => {
    const { tools, toolConfig } = bodyFor(
      google,
      messages({}, { tool_choice: { type: 'tool', name: 'web_search' } }).conversation(),
    );
    expect([tools, toolConfig]).toEqual([[{ googleSearch: {} }], undefined]);
  });

  test.each<[string, Conversation]>([
    ['domains', messages({ allowed_domains: ['a.example'] }).conversation()],
    [
      'other tools',
      messages({}, { tools: [TOOL, { name: 'f', input_schema: { type: 'object' } }] }).conversation(),
    ],
  ])('not for Gemini with %s', (what, conversation) => {
    expect(() => bodyFor(google, conversation)).toThrow(
      expect.objectContaining({ detail: expect.stringContaining(what) }),
    );
  });
});

const PAGE = { url: 'https://a.example/', title: 'A page' };
const REPLY: Reply = {
  parts: [
    { kind: 'web_search', id: 'x1', query: 'news', results: [PAGE] },
    { kind: 'text', text: 'Before. Nothing.', citations: [{ ...PAGE, cited: 'Nothing.', quote: '' }] },
  ],
  stop: 'end',
};
const USAGE = { ...NO_USAGE, input: 7, output: 3, units: searchUnits(1), costNano: 7n };
const IDENTITY = { requestId: 'r1', model: 'sim/chat', createdAtMs: 0 };
const wholeFor = ({ replies }: CallerRequest) => JSON.parse(String(replies.write(REPLY, USAGE, IDENTITY)));
const EVENTS = [
  REPLY.parts[0] as Extract<Reply['parts'][number], { kind: 'web_search' }>,
  { kind: 'text', text: 'Before. ' },
  { kind: 'text', text: 'Nothing.' },
  { kind: 'citation', citation: { ...PAGE, cited: 'Nothing.', quote: '' } },
  { kind: 'stop', stop: 'end' },
] as const;
function streamFor({ replies }: CallerRequest): Record<string, unknown>[] {
  const stream = replies.stream(IDENTITY, { includeUsage: true, estimatedInput: 1 });
  const frames = EVENTS.map((event) => stream.write([event])).join('') + stream.end(USAGE);
  return frames
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)));
}

describe('a search by another provider is shown', () => {
  const result = {
    type: 'web_search_result',
    ...PAGE,
    encrypted_content: '',
    page_age: null,
  };
  const cited = {
    type: 'web_search_result_location',
    cited_text: 'Nothing.',
    encrypted_index: '',
    ...PAGE,
  };

  test('to Anthropic clients as the blocks of its tool', () => {
    expect(wholeFor(messages({}))).toMatchObject({
      content: [
        { type: 'server_tool_use', id: 'srvtoolu_gw_x1', name: 'web_search', input: { query: 'news' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_gw_x1', content: [result] },
        { type: 'text', text: 'Before. Nothing.', citations: [cited] },
      ],
      usage: { server_tool_use: { web_search_requests: 1 } },
    });
  });

  test('to Anthropic clients as the same blocks in a stream', () => {
    const events = streamFor(messages({}));
    expect(events.map(({ type, delta, content_block }) => [type, delta ?? content_block])).toMatchObject([
      ['message_start', undefined],
      ['content_block_start', { type: 'server_tool_use', input: {} }],
      ['content_block_delta', { type: 'input_json_delta', partial_json: '{"query":"news"}' }],
      ['content_block_stop', undefined],
      ['content_block_start', { type: 'web_search_tool_result', content: [result] }],
      ['content_block_stop', undefined],
      ['content_block_start', { type: 'text', text: '' }],
      ['content_block_delta', { text: 'Before. ' }],
      ['content_block_delta', { text: 'Nothing.' }],
      ['content_block_delta', { type: 'citations_delta', citation: cited }],
      ['content_block_stop', undefined],
      ['message_delta', {}],
      ['message_stop', undefined],
    ]);
  });

  const annotation = { type: 'url_citation', start_index: 8, end_index: 16, ...PAGE };

  test('to Responses clients as a call and annotations', () => {
    const { output } = wholeFor(responses({}));
    expect(output).toMatchObject([
      { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'news' } },
      { type: 'message', content: [{ text: 'Before. Nothing.', annotations: [annotation] }] },
    ]);
    const events = streamFor(responses({}));
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        'response.web_search_call.in_progress',
        'response.web_search_call.searching',
        'response.web_search_call.completed',
        'response.output_text.annotation.added',
      ]),
    );
    expect(events.at(-1)).toMatchObject({ response: { output } });
    expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_, at) => at));
  });

  const { url, title, ...range } = annotation;
  const { type: _, ...positions } = range;
  const nested = { type: 'url_citation', url_citation: { ...positions, url, title } };

  test('to clients of chat completions as annotations', () => {
    const [choice] = wholeFor(chat({})).choices;
    expect(choice.message).toMatchObject({ content: 'Before. Nothing.', annotations: [nested] });
    const deltas = streamFor(chat({})).flatMap(({ choices }) => choices as { delta: object }[]);
    expect(deltas.map(({ delta }) => delta)).toContainEqual({ annotations: [nested] });
  });

  test("to clients of Google's format as grounding", () => {
    const grounding = {
      webSearchQueries: ['news'],
      groundingChunks: [{ web: { uri: PAGE.url, title: PAGE.title } }],
      groundingSupports: [
        { segment: { startIndex: 8, endIndex: 16, text: 'Nothing.' }, groundingChunkIndices: [0] },
      ],
    };
    expect(wholeFor(gemini()).candidates[0].groundingMetadata).toEqual(grounding);
    const [last] = streamFor(gemini()).at(-1)!.candidates as { groundingMetadata: object }[];
    expect(last!.groundingMetadata).toEqual(grounding);
  });
});

test('a search of another provider is not sent back to Anthropic, and none to other providers', () => {
  const { content } = wholeFor(messages({}));
  const again = messages(
    {},
    { messages: [...USER, { role: 'assistant', content }, { role: 'user', content: 'Go on.' }] },
  );
  const change = { upstreamModel: 'claude', maxTokens: undefined, maxTokensField: 'max_tokens' };
  const sent = JSON.parse(
    String(again.passThroughBody(change as Parameters<CallerRequest['passThroughBody']>[0])),
  );
  expect(sent.messages[1].content).toEqual([{ type: 'text', text: 'Before. Nothing.' }]);
  expect(again.conversation().turns[1]).toMatchObject({
    role: 'assistant',
    parts: [{ kind: 'text', text: 'Before. Nothing.' }],
  });
});

test("Gemini's grounding is read as searches before the text, and counted", () => {
  const reply = {
    candidates: [
      {
        content: { parts: [{ text: 'Nothing.' }] },
        finishReason: 'STOP',
        groundingMetadata: {
          webSearchQueries: ['news', 'more news'],
          groundingChunks: [{ web: { uri: PAGE.url, title: PAGE.title } }, { image: {} }],
          groundingSupports: [
            { segment: { endIndex: 8, text: 'Nothing.' }, groundingChunkIndices: [0, 1, 5] },
          ],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
  };
  expect(google.readReply(reply).parts).toEqual([
    { kind: 'web_search', id: 'new', query: 'news', results: [PAGE] },
    { kind: 'web_search', id: 'new', query: 'more news', results: [] },
    {
      kind: 'text',
      text: 'Nothing.',
      cache: undefined,
      citations: [{ ...PAGE, cited: 'Nothing.', quote: '' }],
    },
  ]);
  expect(google.readUsage(reply)?.units).toEqual({ web_search: 2, web_search_prompt: 1 });
});

test('Gemini lists queries twice or empty, and bills the distinct ones', () => {
  const groundingMetadata = { webSearchQueries: ['', 'news', '', 'more news', 'news'] };
  const reply = {
    candidates: [{ content: { parts: [{ text: 'Nothing.' }] }, finishReason: 'STOP', groundingMetadata }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
  };
  const stream = google.readStream();
  const events = stream.read(Buffer.from(`data: ${JSON.stringify(reply)}\n\n`));
  for (const usage of [google.readUsage(reply), stream.usage])
    expect(usage?.units).toEqual({ web_search: 2, web_search_prompt: 1 });
  for (const shown of [google.readReply(reply).parts, events])
    expect(shown.filter(({ kind }) => kind === 'web_search')).toMatchObject([
      { query: 'news' },
      { query: 'more news' },
    ]);
});

test("a stream of Anthropic's that is cut has the searches that it has shown", () => {
  const stream = anthropic.passStream!(
    { model: 'sim/chat', includeUsage: true, chargedNano: () => 0n },
    PASSED_TO,
  );
  const event = (data: object) => stream.take(Buffer.from(`data: ${JSON.stringify(data)}\n\n`));
  event({ type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } });
  event({
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
  });
  expect(stream.usage).toMatchObject({ input: 5, units: { web_search: 1 } });
});

describe('the bound of a call with searches', () => {
  const model = { contextLength: 100_000, maxOutputTokens: 10, outputFloorTokens: 1, maxImageTokens: 0 };
  const price = {
    input: 1_000_000n,
    output: 0n,
    units: { web_search: 10_000_000n },
  };
  const size = { bodyBytes: 1_000, hasMedia: false, choices: 1, predictionBytes: 0, webSearches: 3 };
  const boundOf = (more: object) => upperBound(model as Model, price, { ...size, ...more });

  test('includes the price of each search', () => {
    expect(boundOf({})).toMatchObject({
      inputTokens: 1_000,
      units: { web_search: 3, web_search_prompt: 1 },
      costNano: 1_000n + 30_000_000n,
      floorCostNano: 1_000n + 30_000_000n,
    });
  });

  test('includes the input that each search bills again, with the results so far', () => {
    const inputTokens = 1_000 + 11_000 + 21_000 + 31_000;
    expect(boundOf({ searchResultTokens: 10_000 }).inputTokens).toBe(inputTokens);
    expect(boundOf({ searchResultTokens: 90_000 }).inputTokens).toBeLessThanOrEqual(4 * 100_000);
  });
});
