import { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import { parseMessagesRequest } from './messages-request';

const user = { role: 'user', content: 'hi' };
const valid = { model: 'sim/claude', max_tokens: 100, messages: [user] };
const said = (...content: unknown[]) => ({ ...valid, messages: [{ role: 'user', content }] });
const tool = { name: 'f', input_schema: { type: 'object' } };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
const hour = { type: 'ephemeral', ttl: '1h' };

const parse = (body: unknown, headers = {}) => {
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  return parseMessagesRequest(Buffer.from(json), headers);
};

function errorOf(body: unknown, headers = {}): string {
  try {
    parse(body, headers);
    return 'none';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error.param ? `${error.code} ${error.param}` : error.code;
  }
}

const accepted: [string, unknown][] = [
  ['the least', valid],
  ['nulls for what is optional', { ...valid, temperature: null, system: null, thinking: null, tools: null }],
  ['system as text', { ...valid, system: 'be brief' }],
  ['system as blocks', { ...valid, system: [{ type: 'text', text: 'be brief', cache_control: hour }] }],
  [
    'a system message in the middle, as Claude Code sends',
    { ...valid, messages: [user, { role: 'system', content: 'x' }] },
  ],
  [
    'a system message that only changes the effort',
    { ...valid, messages: [user, { role: 'system', output_config: { effort: 'low' } }] },
  ],
  [
    'a tool round',
    {
      ...valid,
      tools: [tool, { ...tool, type: 'custom' }],
      tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
      messages: [
        user,
        { role: 'assistant', content: [call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '' }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [image] }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
      ],
    },
  ],
  [
    'images and documents',
    said(image, { type: 'document', source: { type: 'url', url: 'https://example.com/y.pdf' } }),
  ],
  [
    'a document of text',
    said({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'x' },
      title: null,
      context: '',
    }),
  ],
  [
    'thinking',
    { ...valid, thinking: { type: 'enabled', budget_tokens: 50 }, output_config: { effort: 'max' } },
  ],
  ['tools that the caller runs', { ...valid, tools: [{ type: 'bash_20250124', name: 'bash' }] }],
  [
    'blocks that only Anthropic knows',
    said({ type: 'server_tool_use', id: 'a', name: 'web_search', input: {} }),
  ],
  [
    'what Claude Code sends',
    {
      ...valid,
      context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
      output_config: {},
      metadata: { user_id: 'u' },
    },
  ],
  ['a beta field', { ...valid, output_format: { type: 'json_schema', schema: {} }, diagnostics: {} }],
  ['unknown nested fields', said({ type: 'text', text: 'x', colour: 'red' })],
  ['max_tokens 0, which fills the cache', { ...valid, max_tokens: 0 }],
  ['temperature 1', { ...valid, temperature: 1, top_p: 0.5, top_k: 3 }],
  [
    'a named region that costs nothing more',
    { ...valid, inference_geo: 'global', speed: 'standard', mcp_servers: [] },
  ],
];

const refused: [string, unknown, string][] = [
  ['nothing', '', 'invalid_request'],
  ['no JSON', '{"model":', 'invalid_request'],
  ['an array', [], 'invalid_request'],
  [
    'a repeated key',
    '{"model":"a/b","model":"a/c","max_tokens":1,"messages":[{"role":"user","content":"x"}]}',
    'invalid_request',
  ],
  ['an unknown field', { ...valid, colour: 'red' }, 'invalid_request'],
  ['temperature above 1', { ...valid, temperature: 1.1 }, 'invalid_request'],
  [
    'numbers for many stop sequences',
    { ...valid, stop_sequences: Array(200_000).fill(1) },
    'invalid_request',
  ],
  ['temperature as text', { ...valid, temperature: '1' }, 'invalid_request'],
  ['max_tokens as text', { ...valid, max_tokens: '1' }, 'invalid_request'],
  ['max_tokens below 0', { ...valid, max_tokens: -1 }, 'invalid_request'],
  ['a role that is none', { ...valid, messages: [{ role: 'robot', content: 'x' }] }, 'invalid_request'],
  ['messages as text', { ...valid, messages: 'hi' }, 'invalid_request'],
  ['a message that is none', { ...valid, messages: ['hi'] }, 'invalid_request'],
  ['content as a number', { ...valid, messages: [{ role: 'user', content: 5 }] }, 'invalid_request'],
  ['a block that is none', said('hi'), 'invalid_request'],
  ['a block of no known type', said({ type: 'hologram' }), 'invalid_request'],
  ['a block type that is no text', said({ type: { toString: [] } }), 'invalid_request'],
  [
    'a block of no known type in a result',
    said({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'hologram' }] }),
    'invalid_request',
  ],
  ['input that is no object', said({ ...call, input: '{}' }), 'invalid_request'],
  ...['title', 'context'].map((field): [string, object, string] => [
    `a document’s ${field} that is no text`,
    said({ type: 'document', source: { type: 'text', data: 'x' }, [field]: { toString: 1 } }),
    'invalid_request',
  ]),
  ['model as a number', { ...valid, model: 5 }, 'invalid_request'],
  ['system of images', { ...valid, system: [image] }, 'invalid_request'],
  [
    'thinking without a budget that is a number',
    { ...valid, thinking: { type: 'enabled', budget_tokens: 'x' } },
    'invalid_request',
  ],
  [
    'more messages than a conversation has',
    { ...valid, messages: Array(30_000).fill(user) },
    'invalid_request',
  ],
  [
    'more blocks than a conversation has',
    said(...Array(30_000).fill({ type: 'text', text: 'x' })),
    'invalid_request',
  ],
  ['more tools than a conversation has', { ...valid, tools: Array(2_000).fill(tool) }, 'invalid_request'],
  ['a wrong value beside a missing one', { temperature: 5, messages: [user] }, 'invalid_request'],
  [
    'a file by its id',
    said({ type: 'image', source: { type: 'file', file_id: 'file_1' } }),
    'invalid_request',
  ],
  [
    'OpenAI’s role for tools',
    { ...valid, messages: [user, { role: 'tool', content: 'x', tool_call_id: 'a' }] },
    'invalid_request',
  ],
  [
    'OpenAI’s tool calls',
    { ...valid, messages: [user, { role: 'assistant', content: null, tool_calls: [] }] },
    'invalid_request',
  ],
  ...['http://example.com/y.png', 'https://10.0.0.1/y.png', 'https://a:b@example.com/y.png', 'hello'].flatMap(
    (url): [string, unknown, string][] => [
      [`an image at ${url}`, said({ type: 'image', source: { type: 'url', url } }), 'invalid_request'],
      [`a document at ${url}`, said({ type: 'document', source: { type: 'url', url } }), 'invalid_request'],
    ],
  ),
  [
    'a private link in the result of a tool',
    said({
      type: 'tool_result',
      tool_use_id: 'a',
      content: [{ type: 'image', source: { type: 'url', url: 'https://metadata.google.internal/x' } }],
    }),
    'invalid_request',
  ],
  [
    'OpenAI’s images',
    said({ type: 'image_url', image_url: { url: 'https://example.com/y.png' } }),
    'invalid_request',
  ],
  ['OpenAI’s tools', { ...valid, tools: [{ type: 'function', function: { name: 'f' } }] }, 'invalid_request'],
  ['OpenAI’s response format', { ...valid, response_format: { type: 'json_object' } }, 'invalid_request'],
  ['no model', { max_tokens: 1, messages: [user] }, 'missing_parameter model'],
  ['no max_tokens', { model: 'sim/claude', messages: [user] }, 'missing_parameter max_tokens'],
  ['null max_tokens', { ...valid, max_tokens: null }, 'missing_parameter max_tokens'],
  ['no messages', { model: 'sim/claude', max_tokens: 1 }, 'missing_parameter messages'],
  ['null messages', { ...valid, messages: null }, 'missing_parameter messages'],
  ['empty messages', { ...valid, messages: [] }, 'missing_parameter messages'],
  ['no role', { ...valid, messages: [{ content: 'x' }] }, 'missing_parameter messages[0].role'],
  [
    'an empty role',
    { ...valid, messages: [{ role: '', content: 'x' }] },
    'missing_parameter messages[0].role',
  ],
  ['no content', { ...valid, messages: [user, { role: 'user' }] }, 'missing_parameter messages[1].content'],
  [
    'null content',
    { ...valid, messages: [{ role: 'user', content: null }] },
    'missing_parameter messages[0].content',
  ],
  [
    'empty content',
    { ...valid, messages: [{ role: 'user', content: '' }] },
    'missing_parameter messages[0].content',
  ],
  ['no blocks', said(), 'missing_parameter messages[0].content'],
  ['no block type', said({ text: 'x' }), 'missing_parameter messages[0].content[0].type'],
  ['no text', said({ type: 'text' }), 'missing_parameter messages[0].content[0].text'],
  ['a null text', said({ type: 'text', text: null }), 'missing_parameter messages[0].content[0].text'],
  [
    'nothing but an empty text',
    said({ type: 'text', text: '' }),
    'missing_parameter messages[0].content[0].text',
  ],
  ['a null source', said({ type: 'image', source: null }), 'missing_parameter messages[0].content[0].source'],
  [
    'an empty name of a tool',
    { ...valid, tools: [{ name: '', input_schema: {} }] },
    'missing_parameter tools[0].name',
  ],
  [
    'a null schema',
    { ...valid, tools: [{ name: 'x', input_schema: null }] },
    'missing_parameter tools[0].input_schema',
  ],
  [
    'no tool input',
    said({ type: 'tool_use', id: 'a', name: 'f' }),
    'missing_parameter messages[0].content[0].input',
  ],
  ['no name of a tool', { ...valid, tools: [{ input_schema: {} }] }, 'missing_parameter tools[0].name'],
  ['a null model', { ...valid, model: null }, 'invalid_model model'],
  ['an empty model', { ...valid, model: '' }, 'invalid_model model'],
  ['an empty list for a model', { ...valid, model: [] }, 'invalid_model model'],
  ['a list for a model', { ...valid, model: ['sim/chat'] }, 'invalid_request'],
];

const unpriced: [string, unknown][] = [
  ['web search', { ...valid, tools: [{ type: 'web_search_20260209', name: 'web_search' }] }],
  ['web fetch', { ...valid, tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
  ['code execution', { ...valid, tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }],
  ['tool search', { ...valid, tools: [{ type: 'tool_search_tool_bm25', name: 'tool_search_tool_bm25' }] }],
  ['an adviser', { ...valid, tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'x' }] }],
  [
    'a tool that a server tool’s code calls',
    { ...valid, tools: [{ name: 'f', input_schema: {}, allowed_callers: ['code_execution_20250825'] }] },
  ],
  ['an MCP toolset', { ...valid, tools: [{ type: 'mcp_toolset', mcp_server_name: 'x' }] }],
  [
    'a server tool that is added on the way',
    said({
      type: 'tool_addition',
      tool: { type: 'tool_definition', definition: { type: 'web_search_20260318', name: 'web_search' } },
    }),
  ],
  ['MCP servers', { ...valid, mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'x' }] }],
  ['a container', { ...valid, container: 'container_1' }],
  ['a file for a container', said({ type: 'container_upload', file_id: 'file_1' })],
  ['fast answers', { ...valid, speed: 'fast' }],
  ['a region', { ...valid, inference_geo: 'us' }],
  ['fallbacks', { ...valid, fallbacks: [{ model: 'x' }] }],
  ['the default fallbacks', { ...valid, fallbacks: 'default' }],
  ['a credit', { ...valid, fallback_credit_token: 'x' }],
  ['compaction', { ...valid, compaction: { type: 'summarize' } }],
  ['compaction on the way', { ...valid, context_management: { edits: [{ type: 'compact_20260112' }] } }],
  ['a thread', { ...valid, thread: { type: 'create' } }],
  ['another bill', { ...valid, billing_policy: { type: 'billing_policy', bill_to: 'user_profile' } }],
];

describe('valid requests', () => {
  test.each(accepted)('%s', (_name, body) => {
    expect(errorOf(body)).toBe('none');
  });

  test('a tool that only the model itself calls', () => {
    const tool = { name: 'f', input_schema: {}, allowed_callers: ['direct'] };
    expect(errorOf({ ...valid, tools: [tool] })).toBe('none');
  });
});

describe('invalid requests', () => {
  test.each(refused)('%s', (_name, body, error) => {
    expect(errorOf(body)).toBe(error);
  });

  test('content blocks that nest too deeply', () => {
    const [open, close] = ['{"type":"tool_result","tool_use_id":"a","content":[', ']}'];
    const nested = (depth: number) =>
      `{"model":"a/b","max_tokens":1,"messages":[{"role":"user","content":[${open.repeat(depth)}${close.repeat(depth)}]}]}`;
    expect(errorOf(nested(200))).toBe('none');
    expect(errorOf(nested(100_000))).toBe('invalid_request');
  });

  test.each(unpriced)('parameters without a price or a bound: %s', (_name, body) => {
    expect(() => parse(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', detail: expect.stringContaining('not supported') }),
    );
  });

  // Even with both limits: max_content_tokens does not apply to PDFs.
  test.each([
    [
      'fetched pages have no maximum size',
      { type: 'web_fetch_20250910', max_uses: 1, max_content_tokens: 1 },
    ],
    ['code execution is billed by the hour', { type: 'code_execution_20250825' }],
    ["a server's responses have no maximum size", { type: 'mcp_toolset' }],
  ])('the refusal of a server tool has the reason: %s', (reason, tool) => {
    expect(() => parse({ ...valid, tools: [tool] })).toThrow(
      expect.objectContaining({ code: 'invalid_request', detail: expect.stringContaining(reason) }),
    );
  });

  test('a thread is rejected with the code after which the official SDK continues without one', () => {
    expect(() => parse({ ...valid, thread: { type: 'create' } })).toThrow(
      expect.objectContaining({ formatCode: 'thread_unsupported_request' }),
    );
    expect(errorOf({ ...valid, thread: null })).toBe('none');
  });
});

describe('the size of a request', () => {
  const size = (body: unknown) => parse(body).size;

  test('counts plain text in bytes', () => {
    expect(size(valid)).toEqual({
      bodyBytes: JSON.stringify(valid).length,
      hasMedia: false,
      images: 0,
      imageBytes: 0,
      choices: 1,
      predictionBytes: 0,
      maxOutputTokens: 100,
      hiddenInputTokens: 0,
      longCache: false,
    });
  });

  test.each([
    ['a PDF', said({ type: 'document', source: { type: 'url', url: 'https://example.com/y.pdf' } })],
    [
      'text that is cut for citations',
      said({ type: 'document', source: { type: 'text', data: 'x' }, citations: { enabled: true } }),
    ],
    [
      'a search result that is cut for citations',
      said({ type: 'search_result', title: 't', source: 's', content: [], citations: { enabled: true } }),
    ],
    ['encrypted results', said({ type: 'web_search_tool_result', tool_use_id: 'a', content: [] })],
    ['a set of tools', { ...valid, tools: [{ type: 'browser_toolset_20260801' }] }],
  ])('an image whose size %s is not readable from its bytes has no known size', (_name, body) => {
    expect(size(body).hasMedia).toBe(true);
  });

  test.each([
    ['alone', said(image)],
    ['in a result', said({ type: 'tool_result', tool_use_id: 'a', content: [image] })],
    ['in a document', said({ type: 'document', source: { type: 'content', content: [image] } })],
  ])('the bytes of an image %s are counted apart from the text', (_name, body) => {
    expect(size(body)).toMatchObject({ hasMedia: false, images: 1 });
    const data = 'A'.repeat(10_000);
    const larger = JSON.parse(
      JSON.stringify(body).replace(
        JSON.stringify(image.source),
        JSON.stringify({ type: 'base64', media_type: 'image/png', data }),
      ),
    );
    expect(size(larger)).toMatchObject({ images: 1, imageBytes: data.length });
  });

  test.each([
    ['the whole request', { ...valid, cache_control: hour }],
    ['the system', { ...valid, system: [{ type: 'text', text: 'x', cache_control: hour }] }],
    ['a tool', { ...valid, tools: [{ ...tool, cache_control: hour }] }],
    [
      'a tool of Anthropic’s',
      { ...valid, tools: [{ type: 'bash_20250124', name: 'bash', cache_control: hour }] },
    ],
    ['a block', said({ type: 'text', text: 'x', cache_control: hour })],
    [
      'a block of a result',
      said({
        type: 'tool_result',
        tool_use_id: 'a',
        content: [{ type: 'text', text: 'x', cache_control: hour }],
      }),
    ],
    [
      'a block that we do not know',
      said({ type: 'web_fetch_tool_result', content: { content: [{ cache_control: hour }] } }),
    ],
  ])('a 1-hour cache is detected in %s', (_name, body) => {
    expect(size(body).longCache).toBe(true);
  });

  test('does not take a 5-minute cache, or a tool parameter named ttl, for a 1-hour cache', () => {
    const short = { type: 'text', text: '"1h"', cache_control: { type: 'ephemeral', ttl: '5m' } };
    expect(size(said(short)).longCache).toBe(false);
    const schema = { type: 'object', properties: { cache_control: { ttl: '1h' } } };
    expect(size({ ...valid, tools: [{ name: 'f', input_schema: schema }] }).longCache).toBe(false);
  });

  test('includes the text that Anthropic adds', () => {
    expect(size({ ...valid, tools: [tool] }).hiddenInputTokens).toBe(1_000);
    const text_editor = { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' };
    expect(size({ ...valid, tools: [tool, text_editor] }).hiddenInputTokens).toBe(2_500);
    const definition = { type: 'bash_20250124', name: 'bash' };
    const added = { type: 'tool_addition', tool: { type: 'tool_definition', definition } };
    expect(size(said(added)).hiddenInputTokens).toBe(2_500);
    const format = { type: 'json_schema', schema: {} };
    expect(size({ ...valid, output_config: { format } }).hiddenInputTokens).toBe(1_000);
  });

  test('includes the thinking budget', () => {
    const thinking = { type: 'enabled', budget_tokens: 50 };
    expect(size({ ...valid, thinking }).thinkingBudgetTokens).toBe(50);
    expect(size({ ...valid, thinking: { type: 'adaptive' } })).not.toHaveProperty('thinkingBudgetTokens');
  });
});

describe('the body sent to Anthropic', () => {
  const passed = (json: string, maxTokens?: number) =>
    parse(json)
      .passThroughBody({ upstreamModel: 'up-1', maxTokens, maxTokensField: 'max_tokens' })
      .toString();

  test("equals the caller's except for the model", () => {
    const json =
      '{ "max_tokens":9.0,"messages":[{"role":"user","content":"\\u0068i"}], "model":"sim/claude"}';
    expect(passed(json)).toBe(json.replace('sim/claude', 'up-1'));
  });

  test('lowers max_tokens to the output that the hold pays for', () => {
    expect(JSON.parse(passed(JSON.stringify(valid), 50))).toEqual({
      ...valid,
      model: 'up-1',
      max_tokens: 50,
    });
  });

  const thought = (signature?: string) => ({ type: 'thinking', thinking: 'hm', signature });
  const answered = (...content: unknown[]) => ({
    ...valid,
    messages: [user, { role: 'assistant', content }, { role: 'user', content: 'and?' }],
  });

  test("keeps Anthropic's own thinking unchanged and removes other providers' thinking", () => {
    const own = [thought('EqQB'), { type: 'redacted_thinking', data: 'EmwK' }];
    const text = { type: 'text', text: 'x' };
    const untouched = JSON.stringify(answered(...own, text)).replace('"user"', '"\\u0075ser"');
    expect(passed(untouched)).toBe(untouched.replace('sim/claude', 'up-1'));
    const foreign = [
      thought('gw1.gemini.AAA'),
      thought('gw1.openai.'),
      thought(''),
      thought(),
      { type: 'redacted_thinking', data: 'gw1.openai.BBB' },
    ];
    const mixed = JSON.stringify(answered(...foreign, ...own, text));
    expect(JSON.parse(passed(mixed))).toEqual({ ...answered(...own, text), model: 'up-1' });
  });

  test("omits messages that held only another provider's thinking", () => {
    const body = JSON.parse(passed(JSON.stringify(answered(thought('gw1.openai.')))));
    expect(body.messages).toEqual([user, { role: 'user', content: 'and?' }]);
  });

  test('keeps the digits of long integers in the parts that are rewritten', () => {
    const own = { ...call, input: { id: 7 } };
    const json = JSON.stringify(answered(thought('gw1.openai.'), own)).replace('7}', '12345678901234567890}');
    expect(passed(json)).toContain('"input":{"id":12345678901234567890}');
    const { turns } = parse(json).conversation();
    expect(turns[1]?.parts).toMatchObject([
      { kind: 'thinking' },
      { arguments: '{"id":12345678901234567890}' },
    ]);
  });
});

describe('a tool call turn that is still open, with a thinking budget', () => {
  const thinking = { type: 'enabled', budget_tokens: 1_024 };
  const clearing = { type: 'clear_thinking_20251015', keep: 'all' };
  const clearingTools = { type: 'clear_tool_uses_20250919' };
  const own = { type: 'thinking', thinking: 'hm', signature: 'EqQB' };
  const another = { ...call, id: 'call_1' };
  const result = (id: string) => ({
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: id },
      { type: 'text', text: 'Go on.' },
    ],
  });
  const round = (id: string, ...content: unknown[]) => [{ role: 'assistant', content }, result(id)];
  const aside = { role: 'system', content: 'It is late.' };
  const passed = (messages: unknown[], more = {}) => {
    const request = parse({ ...valid, max_tokens: 2_000, thinking, messages, ...more });
    return JSON.parse(
      request
        .passThroughBody({ upstreamModel: 'up-1', maxTokens: undefined, maxTokensField: 'max_tokens' })
        .toString(),
    );
  };

  test('disables thinking if another model began the turn', () => {
    const foreign = { type: 'thinking', thinking: 'hm', signature: 'gw1.gemini.AAA' };
    for (const begun of [[another], [foreign, another], [{ type: 'text', text: 'I look.' }, another]]) {
      const body = passed([user, ...round('call_1', ...begun), aside], {
        context_management: { edits: [clearing, clearingTools] },
      });
      expect(body).not.toHaveProperty('thinking');
      expect(body.context_management).toEqual({ edits: [clearingTools] });
      expect(body.messages[1].content).toEqual(begun.filter((block) => block !== foreign));
    }
  });

  test('removes its thinking and all parameters that require thinking', () => {
    const body = passed([user, ...round('call_1', another), ...round('toolu_1', own, call)], {
      context_management: { edits: [clearing] },
    });
    expect(body).not.toHaveProperty('context_management');
    expect(body.messages[3].content).toEqual([call]);
  });

  test.each([
    ['its own', [user, ...round('toolu_1', own, call)]],
    ['its own, with calls in between', [user, ...round('toolu_1', own, call), ...round('call_1', another)]],
    ['its own whose thought is lost: the caller is told', [user, ...round('toolu_1', call)]],
    ['over', [user, ...round('call_1', another), { role: 'assistant', content: 'Done.' }, user]],
    ['over, without a last word', [user, ...round('call_1', another), user]],
    ['not there', [user]],
  ])('thinking that is %s is passed on unchanged', (_, messages) => {
    const more = { context_management: { edits: [clearing] } };
    expect(passed(messages, more)).toMatchObject({ thinking, messages, ...more });
  });

  test('is sent unchanged without a budget', () => {
    const messages = [user, ...round('call_1', another)];
    expect(passed(messages, { thinking: { type: 'adaptive' } })).toMatchObject({
      thinking: { type: 'adaptive' },
      messages,
    });
    expect(passed(messages, { thinking: null })).toMatchObject({ thinking: null, messages });
  });
});

describe('headers', () => {
  const passed = (headers: Record<string, string>) => parse(valid, headers).passThroughHeaders;

  test("the caller's anthropic-version and anthropic-beta are forwarded, no others", () => {
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a-2026-01-01, b', cookie: 'x' };
    expect(passed(headers)).toEqual({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'a-2026-01-01,b',
    });
    expect(passed({})).toEqual({});
  });

  test("betas that exceed the model's catalog limits are removed", () => {
    expect(passed({ 'anthropic-beta': 'context-1m-2025-08-07,a,output-128k-2025-02-19' })).toEqual({
      'anthropic-beta': 'a',
    });
    expect(passed({ 'anthropic-beta': 'context-1m-2025-08-07' })).toEqual({});
  });

  test.each([
    ['anthropic-version', 'x\r\nauthorization: y'],
    ['anthropic-version', 'x'.repeat(65)],
    ['anthropic-beta', 'x;y'],
    ['anthropic-beta', 'x'.repeat(2_001)],
  ])('malformed thinking is rejected: %s', (name, value) => {
    expect(errorOf(valid, { [name]: value })).toBe('invalid_request');
  });
});

describe('an empty reply that the caller sends back', () => {
  const turn = { role: 'user', content: 'x' };
  const cut = ['', [], [{ type: 'text', text: '' }]];
  const read = (content: unknown) =>
    parseMessagesRequest(
      Buffer.from(JSON.stringify({ ...valid, messages: [turn, { role: 'assistant', content }, turn] })),
      {},
    );

  test.each(cut)('%j is accepted and does not count as a turn', (content) => {
    expect(
      read(content)
        .conversation()
        .turns.map(({ role }) => role),
    ).toEqual(['user', 'user']);
  });

  test.each(cut)('%j is omitted for Anthropic, which rejects it', (content) => {
    const change = { upstreamModel: 'm', maxTokens: undefined, maxTokensField: 'max_tokens' } as const;
    const { messages } = JSON.parse(read(content).passThroughBody(change).toString());
    expect(messages).toEqual([turn, turn]);
  });

  test('an empty user message is still rejected for missing content', () => {
    expect(() => read('')).not.toThrow();
    expect(() =>
      parseMessagesRequest(
        Buffer.from(JSON.stringify({ ...valid, messages: [{ role: 'user', content: [] }] })),
        {},
      ),
    ).toThrow(expect.objectContaining({ code: 'missing_parameter' }));
  });
});

test('inline PDFs are distinguished from media of unbounded cost', () => {
  const sizeOf = (source: object) =>
    parseMessagesRequest(Buffer.from(JSON.stringify(said({ type: 'document', source }))), {}).size;
  expect(sizeOf({ type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' })).toMatchObject({
    hasMedia: false,
    pdfs: ['JVBERi0x'],
    pdfBytes: 8,
  });
  expect(sizeOf({ type: 'url', url: 'https://example.com/y.pdf' })).toMatchObject({ hasMedia: true });
});
