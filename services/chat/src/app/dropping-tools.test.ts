import { GatewayError } from '@gateway/errors';
import type { LinkCall } from '@gateway/link';
import { Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { environmentAccount, SessionPins, TargetHealth } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import type { Model } from '../domain/model';
import { targetOf } from '../domain/route.fixture';
import { ToolNotSupported } from '../domain/tool-not-supported';
import { dropMessagesTools } from '../formats/anthropic/dropped-tools';
import { parseMessagesRequest } from '../formats/anthropic/messages-request';
import type { DropTools } from '../formats/dropped-tools';
import { dropContentsTools } from '../formats/gemini/dropped-tools';
import { parseGenerateContent } from '../formats/gemini/gemini-request';
import { parseChatRequest } from '../formats/openai/chat-request';
import { dropChatTools } from '../formats/openai/dropped-tools';
import { dropResponsesTools } from '../formats/responses/dropped-tools';
import { parseResponsesRequest } from '../formats/responses/responses-request';
import { KINDS } from '../providers/connect-provider';
import { droppingTools } from './dropping-tools';
import { planCall } from './plan-call';
import { PRICE } from './recorded-call.fixture';
import { responseProviders } from './response-providers';
import { providerOf } from './upstream-request.fixture';

const SCHEMA = { type: 'object', properties: { n: { type: 'integer' } } };
const CHAT_FUNCTION = { type: 'function', function: { name: 'f', parameters: SCHEMA } };
const FUNCTION = { type: 'function', name: 'f', parameters: SCHEMA };
const CUSTOM = { name: 'f', input_schema: SCHEMA };
const DECLARATIONS = { functionDeclarations: [{ name: 'f', parametersJsonSchema: SCHEMA }] };
const chat = (more: object) => ({ model: 'a/b', messages: [{ role: 'user', content: 'x' }], ...more });
const responses = (more: object) => ({ model: 'a/b', input: 'x', ...more });
const messages = (more: object) => ({
  ...{ model: 'a/b', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] },
  ...more,
});
const contents = (more: object) => ({ contents: [{ role: 'user', parts: [{ text: 'x' }] }], ...more });
const SEARCH = { type: 'web_search_20250305', name: 'web_search' };
const BASH = { type: 'bash_20250124', name: 'bash' };

/** Sends a body to a handler that refuses it with these errors, one after the other, and then accepts it. */
async function sent(dropTools: DropTools, body: object, refusals: Error[] = [], isDropping = true) {
  const seen: unknown[] = [];
  const handler = droppingTools(dropTools, async (_context, call) => {
    seen.push(JSON.parse(call.body.toString()));
    const refusal = refusals.shift();
    if (refusal) throw refusal;
    return { status: 200, headers: { a: 'b' }, body: call.body };
  });
  const key = { dropUnsupportedTools: isDropping };
  const call = { key, body: Buffer.from(JSON.stringify(body)) } as unknown as LinkCall;
  const { headers, body: last } = await handler({} as RequestContext, call);
  return { seen, last: last as Buffer, dropped: headers['x-gateway-dropped-tools'], headers };
}

const noSearch = () => new ToolNotSupported('web_search', 'web search: not supported');

describe('tools that the gateway offers with no model', () => {
  const parseChat = (bytes: Buffer) => parseChatRequest(bytes);
  const parseResponses = (bytes: Buffer) => parseResponsesRequest(bytes);
  const parseMessages = (bytes: Buffer) => parseMessagesRequest(bytes, {});
  const parseContents = (bytes: Buffer) => parseGenerateContent(bytes, { model: 'a/b', stream: false });

  test.each<[string, DropTools, (bytes: Buffer) => unknown, object, object, string]>([
    [
      'responses',
      dropResponsesTools,
      parseResponses,
      responses({
        tools: [FUNCTION, { type: 'code_interpreter', container: { type: 'auto' } }, { type: 'mcp' }],
        tool_choice: { type: 'code_interpreter' },
      }),
      responses({ tools: [FUNCTION] }),
      'code_interpreter, mcp',
    ],
    [
      'responses with no other tools',
      dropResponsesTools,
      parseResponses,
      responses({ tools: [{ type: 'file_search' }], tool_choice: 'required', parallel_tool_calls: true }),
      responses({}),
      'file_search',
    ],
    [
      'chat completions',
      dropChatTools,
      parseChat,
      chat({ tools: [{ type: 'web_search' }, CHAT_FUNCTION], tool_choice: 'auto' }),
      chat({ tools: [CHAT_FUNCTION], tool_choice: 'auto' }),
      'web_search',
    ],
    [
      'messages',
      dropMessagesTools,
      parseMessages,
      messages({
        tools: [CUSTOM, { type: 'web_fetch_20250910', name: 'web_fetch' }, BASH],
        tool_choice: { type: 'tool', name: 'web_fetch' },
        mcp_servers: [{ type: 'url', url: 'https://a.example', name: 'm' }],
      }),
      messages({ tools: [CUSTOM, BASH] }),
      'web_fetch_20250910, mcp_servers',
    ],
    [
      'contents',
      dropContentsTools,
      parseContents,
      contents({ tools: [DECLARATIONS, { codeExecution: {} }, { googleSearch: {}, urlContext: {} }] }),
      contents({ tools: [DECLARATIONS, { googleSearch: {} }] }),
      'codeExecution, urlContext',
    ],
    [
      'contents with no other tools',
      dropContentsTools,
      parseContents,
      contents({ tools: [{ code_execution: {} }], tool_config: {} }),
      contents({}),
      'code_execution',
    ],
  ])('are left out of %s and named in a header', async (_, dropTools, parse, body, expected, names) => {
    expect(() => parse(Buffer.from(JSON.stringify(body)))).toThrow(GatewayError);
    const { seen, last, dropped, headers } = await sent(dropTools, body);
    expect(seen).toEqual([expected]);
    expect(() => parse(last)).not.toThrow();
    expect(dropped).toBe(names);
    expect(headers.a).toBe('b');
  });

  test('reach the handler where the key does not ask for it', async () => {
    const body = responses({ tools: [{ type: 'mcp' }] });
    const { seen, dropped } = await sent(dropResponsesTools, body, [], false);
    expect([seen, dropped]).toEqual([[body], undefined]);
  });

  test('have names of which a header has only harmless characters', async () => {
    const { dropped } = await sent(dropResponsesTools, responses({ tools: [{ type: 'a\r\nb: ü' }] }));
    expect(dropped).toBe('a__b___');
  });
});

describe('a search that the model of the call can not have', () => {
  test.each<[string, DropTools, object, object, string]>([
    [
      'responses',
      dropResponsesTools,
      responses({ tools: [FUNCTION, { type: 'web_search' }], tool_choice: { type: 'web_search_preview' } }),
      responses({ tools: [FUNCTION] }),
      'web_search',
    ],
    [
      'chat completions',
      dropChatTools,
      chat({ tools: [CHAT_FUNCTION], web_search_options: {} }),
      chat({ tools: [CHAT_FUNCTION] }),
      'web_search',
    ],
    [
      'messages',
      dropMessagesTools,
      messages({ tools: [SEARCH, BASH] }),
      messages({ tools: [BASH] }),
      SEARCH.type,
    ],
    [
      'contents',
      dropContentsTools,
      contents({ tools: [{ googleSearch: {} }] }),
      contents({}),
      'googleSearch',
    ],
  ])(
    'is left out of %s only when the call is refused for it',
    async (_, dropTools, body, expected, names) => {
      const kept = await sent(dropTools, body);
      expect([kept.seen, kept.dropped]).toEqual([[body], undefined]);
      const { seen, dropped } = await sent(dropTools, body, [noSearch()]);
      expect([seen, dropped]).toEqual([[body, expected], names]);
    },
  );

  test('is left out besides tools that Anthropic defines, and they in the end too', async () => {
    const body = messages({ tools: [SEARCH, BASH, CUSTOM] });
    const refusals = [noSearch(), new ToolNotSupported('anthropic_tool', 'no')];
    const { seen, dropped } = await sent(dropMessagesTools, body, refusals);
    expect(seen.at(-1)).toEqual(messages({ tools: [CUSTOM] }));
    expect(dropped).toBe('web_search_20250305, bash_20250124');
  });

  test('is refused after all if it is refused again', async () => {
    const twice = sent(dropResponsesTools, responses({}), [noSearch(), noSearch()]);
    await expect(twice).rejects.toBeInstanceOf(ToolNotSupported);
  });
});

const MODEL = {
  ...{ slug: 'a/b', contextLength: 200_000, maxOutputTokens: 8_000, outputFloorTokens: 1, maxImageTokens: 0 },
  capabilities: new Set<string>(),
  targets: [targetOf('any')],
  pricing: {
    version: 1n,
    base: { ...PRICE, units: { web_search: 1n } },
    serviceTiers: new Map(),
  },
} as unknown as Model;

/** Returns the body that the first target of a call gets, as the service plans it. */
function plannedFor(provider: ChatProvider, request: CallerRequest): string {
  const accounts = { loaded: true, accountsOf: () => [environmentAccount(provider)] };
  const searches = request.size.webSearches !== undefined;
  const isResponding = searches || request.wire === 'responses';
  const deps = {
    providers: isResponding ? responseProviders(accounts, searches) : accounts,
    health: new TargetHealth(() => 0, 1_000),
    sessions: new SessionPins(() => 0),
  };
  const call = { key: { accountId: 'a' }, headers: {} } as unknown as LinkCall;
  return planCall(deps, call, MODEL, request, (size) => size).body.toString();
}

const BUILT_IN = ['code_interpreter', 'file_search', 'mcp', 'image_generation', 'computer_use_preview'];
const SERVER_TOOLS = ['web_fetch_20250910', 'code_execution_20250825', 'web_search_20260209'];

/** A call with a function, a search and other built-in tools in each format, and the names of the latter. */
const WITH_ALL: readonly (readonly [
  string,
  DropTools,
  (bytes: Buffer) => CallerRequest,
  object,
  string,
  string[],
])[] = [
  [
    'chat completions',
    dropChatTools,
    (bytes) => parseChatRequest(bytes),
    chat({ tools: [CHAT_FUNCTION, { type: 'code_interpreter' }], web_search_options: {} }),
    'web_search',
    ['code_interpreter'],
  ],
  [
    'responses',
    dropResponsesTools,
    (bytes) => parseResponsesRequest(bytes).withItems(),
    responses({
      tools: [FUNCTION, { type: 'web_search' }, ...[...BUILT_IN, 'local_shell'].map((type) => ({ type }))],
    }),
    'web_search',
    [...BUILT_IN, 'local_shell'],
  ],
  [
    'messages',
    dropMessagesTools,
    (bytes) => parseMessagesRequest(bytes, {}),
    messages({ tools: [CUSTOM, SEARCH, ...SERVER_TOOLS.map((type) => ({ type, name: type }))] }),
    SEARCH.type,
    SERVER_TOOLS,
  ],
  [
    'contents',
    dropContentsTools,
    (bytes) => parseGenerateContent(bytes, { model: 'a/b', stream: false }),
    contents({ tools: [DECLARATIONS, { googleSearch: {}, urlContext: {} }, { codeExecution: {} }] }),
    'googleSearch',
    ['urlContext', 'codeExecution'],
  ],
];

const TARGETS: readonly (readonly [string, ChatProvider, boolean])[] = [
  [
    'OpenAI',
    KINDS.openai({ id: 'any', baseUrl: 'https://api.openai.com/v1', apiKey: 'k' }, new Quota({ limit: 1 })),
    true,
  ],
  ['Azure OpenAI', providerOf('azure-openai'), true],
  ['Anthropic', providerOf('anthropic'), true],
  ['xAI', providerOf('xai'), true],
  ['Gemini', providerOf('gemini'), false],
  ['a compatible server', providerOf('openai'), false],
  ['Mistral', providerOf('mistral'), false],
  ['DeepSeek', providerOf('deepseek'), false],
  ['Cohere', providerOf('cohere'), false],
  ['Bedrock', providerOf('bedrock', { region: 'us-east-1' }), false],
];

describe.each(TARGETS)('a call with a function and all built-in tools to %s', (_, provider, searches) => {
  test.each(WITH_ALL)('keeps the function: %s', async (_format, dropTools, parse, body, search, others) => {
    const sentTo: string[] = [];
    const handler = droppingTools(dropTools, async (_context, call) => {
      sentTo.push(plannedFor(provider, parse(call.body)));
      return { status: 200, headers: {}, body: call.body };
    });
    const call = { key: { dropUnsupportedTools: true }, body: Buffer.from(JSON.stringify(body)) };
    const { headers } = await handler({} as RequestContext, call as unknown as LinkCall);
    const dropped = headers['x-gateway-dropped-tools']!.split(', ');
    expect(dropped.toSorted()).toEqual([...others, ...(searches ? [] : [search])].toSorted());
    expect(sentTo).toHaveLength(1);
    expect(sentTo[0]).toContain('"f"');
    expect(/search/i.test(sentTo[0]!)).toBe(searches);
  });
});

describe('a search by Gemini in its own format', () => {
  const gemini = providerOf('gemini');
  const both = { tools: [DECLARATIONS, { google_search: {} }] };
  const combined = { ...both, tool_config: { include_server_side_tool_invocations: true } };
  const planned = (body: object, upstreamModel: string) => {
    const request = parseGenerateContent(Buffer.from(JSON.stringify(contents(body))), {
      ...{ model: 'a/b', stream: false },
    });
    return gemini.passThroughMembers!(request.parsed, new Set(), upstreamModel);
  };

  test('is refused beside functions, as in other formats, unless the model combines them and is asked to', () => {
    const refused = expect.objectContaining({ tool: 'web_search', code: 'invalid_request' });
    expect(() => planned(both, 'gemini-3.5-flash')).toThrow(refused);
    expect(() => planned(combined, 'gemini-2.5-flash')).toThrow(refused);
    expect(planned(combined, 'gemini-3.5-flash').size).toBe(0);
    expect(planned({ tools: [{ googleSearch: {} }] }, 'gemini-2.5-flash').size).toBe(0);
    expect(planned({ tools: [DECLARATIONS] }, 'gemini-2.5-flash').size).toBe(0);
    expect(
      planned({ tools: [{ functionDeclarations: [] }, { googleSearch: {} }] }, 'gemini-2.5-flash').size,
    ).toBe(0);
  });
});

test('a search that stop sequences exclude is left out', async () => {
  const [, openAi] = TARGETS[0]!;
  const body = chat({ web_search_options: {}, stop: ['END'] });
  const handler = droppingTools(dropChatTools, async (_context, call) => {
    plannedFor(openAi, parseChatRequest(call.body));
    return { status: 200, headers: {}, body: call.body };
  });
  const call = { key: { dropUnsupportedTools: true }, body: Buffer.from(JSON.stringify(body)) };
  const { headers } = await handler({} as RequestContext, call as unknown as LinkCall);
  expect(headers['x-gateway-dropped-tools']).toBe('web_search');
});

test('tools of the request inside a body of countTokens are left out too', async () => {
  const generateContentRequest = contents({ tools: [DECLARATIONS, { codeExecution: {} }], toolConfig: {} });
  const { last, dropped } = await sent(dropContentsTools, { generateContentRequest });
  const kept = contents({ tools: [DECLARATIONS], toolConfig: {} });
  expect(JSON.parse(String(last))).toEqual({ generateContentRequest: kept });
  expect(dropped).toBe('codeExecution');
});

test('any other refusal is no reason to leave out a tool', async () => {
  const refusal = new GatewayError('model_not_found');
  const call = sent(dropResponsesTools, responses({ tools: [{ type: 'web_search' }] }), [refusal]);
  await expect(call).rejects.toBe(refusal);
});
