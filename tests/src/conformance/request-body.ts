import { silentWav } from '../support/audio-files';
import { bearer, CHAT_ENDPOINTS, type ChatEndpoint, COMPLETIONS, COUNT_TOKENS, MESSAGES } from './caller';
import type { ConformanceCase } from './case';

const user = (content: unknown) => [{ role: 'user', content }];

const OPENAI_CALL = {
  role: 'assistant',
  content: 'I look.',
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
};
/** Bodies that are valid in one format and invalid in the other. */
const OPENAI_BODY = {
  messages: [{ role: 'developer', content: 'Be brief.' }, ...user('hi')],
  tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
  stream: true,
  stream_options: { include_usage: true },
};
const ANTHROPIC_BODY = {
  system: 'Be brief.',
  messages: user([{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }]),
  tools: [{ name: 'look', input_schema: { type: 'object' } }],
  max_tokens: 10,
};
const SPOKEN = { modalities: ['text', 'audio'], audio: { voice: 'x', format: 'mp3' } };
const SOUND = { type: 'input_audio', input_audio: { data: silentWav(1), format: 'wav' } };
const FILE_BLOCK = { type: 'document', source: { type: 'file', file_id: 'file_1' } };

/** Anthropic features without a price here, by their name in `detail`. */
const UNPRICED: readonly [string, object][] = [
  ['billing_policy', { billing_policy: {} }],
  ['compaction', { compaction: {} }],
  ['container', { container: 'container_1' }],
  ['context_management', { context_management: { edits: [{ type: 'compact_20260112' }] } }],
  ['fallback_credit_token', { fallback_credit_token: 'x' }],
  ['fallbacks', { fallbacks: [{ model: 'claude-haiku-4-5' }] }],
  ['inference_geo', { inference_geo: 'us' }],
  ['mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'x' }] }],
  ['speed', { speed: 'fast' }],
  ['web search', { tools: [{ type: 'web_search_20260209', name: 'web_search' }] }],
  ['fetched', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
  ['code execution', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }],
  ['containers', { messages: user([{ type: 'container_upload', file_id: 'file_1' }]) }],
];

/** Faults as fields that replace those of a valid body, and what `detail` must name. */
type Invalid = readonly [string, object, RegExp?];

const INVALID_ANYWHERE: readonly Invalid[] = [
  ['temperature above 2', { temperature: 2.01 }, /temperature/],
  ['temperature below 0', { temperature: -0.01 }, /temperature/],
  ['temperature a string', { temperature: '1' }, /temperature/],
  ['messages a string', { messages: 'hi' }, /messages/],
  ['messages an object', { messages: { role: 'user', content: 'hi' } }, /messages/],
  ['a message that is not an object', { messages: ['hi'] }, /messages\[0\]/],
  ['an unknown role', { messages: [{ role: 'robot', content: 'hi' }] }, /messages\[0\]\.role/],
  ['content a number', { messages: user(7) }, /messages\[0\]\.content/],
  [
    'an unknown content block',
    { messages: user([{ type: 'smell', text: 'hi' }]) },
    /messages\[0\]\.content\[0\]/,
  ],
  ['a text block without text', { messages: user([{ type: 'text', text: 7 }]) }, /content\[0\]\.text/],
  ['model a number', { model: 7 }, /model/],
  ['model an object', { model: {} }, /model/],
  ['stream a string', { stream: 'true' }, /stream/],
  ['max_tokens a fraction', { max_tokens: 1.5 }, /max_tokens/],
  ['max_tokens negative', { max_tokens: -1 }, /max_tokens/],
  ['max_tokens a string', { max_tokens: '10' }, /max_tokens/],
  ['an unknown field', { max_token: 10 }, /max_token/],
  ['top_p above 1', { top_p: 1.1 }, /top_p/],
  ['an unpriced service tier', { service_tier: 'warp' }, /service_tier/],
];

const INVALID_COMPLETIONS: readonly Invalid[] = [
  ['max_tokens 0', { max_tokens: 0 }, /max_tokens/],
  ['n 0', { n: 0 }, /\bn\b/],
  ['five stop strings', { stop: ['1', '2', '3', '4', '5'] }, /stop/],
  ['stream_options without stream', { stream_options: { include_usage: true } }, /stream_options/],
  ['stream_options with stream: false', { stream: false, stream_options: {} }, /stream_options/],
  ['an Anthropic system field', { system: 'be brief' }, /system/],
  ['Anthropic stop sequences', { stop_sequences: ['x'] }, /stop_sequences/],
  [
    'thinking that no provider documents',
    { thinking: { type: 'enabled', budget_tokens: 'many' } },
    /thinking/,
  ],
  ['a provider-specific field of a wrong type', { top_k: 'x' }, /top_k/],
  [
    'an Anthropic content block',
    { messages: user([{ type: 'tool_result', tool_use_id: 'x' }]) },
    /messages\[0\]/,
  ],
  [
    'an Anthropic tool',
    { tools: [{ name: 'look', input_schema: { type: 'object' } }] },
    /tools\[0\]\.input_schema/,
  ],
  ['an Anthropic body', ANTHROPIC_BODY, /system|tools/],
  ['audio output', SPOKEN, /modalities: .* does not reply with audio/],
  ['audio output that is not asked for', { audio: SPOKEN.audio }, /audio/],
  ['streamed audio in the format of a file', { ...SPOKEN, stream: true }, /audio\.format/],
  ['audio input', { messages: user([SOUND]) }, /audio: .* does not take audio/],
  [
    'a spoken reply of another account',
    { messages: [...user('hi'), { role: 'assistant', audio: { id: 'audio_1.AAAAAAAAAAAAAAAAAAAAAA' } }] },
    /messages\[1\]\.audio\.id: not found/,
  ],
  ['web search', { web_search_options: {} }, /web search: .* has no price for it/],
];

/** For both endpoints of Anthropic's format. */
const INVALID_MESSAGES: readonly Invalid[] = [
  ['temperature above 1', { temperature: 1.01 }, /temperature/],
  ['an OpenAI stop field', { stop: ['x'] }, /stop/],
  ['n', { n: 1 }, /\bn\b/],
  [
    'an OpenAI role',
    { messages: [{ role: 'developer', content: 'hi' }, ...user('hi')] },
    /messages\[0\]\.role/,
  ],
  [
    'an OpenAI content block',
    { messages: user([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }]) },
    /messages\[0\]\.content\[0\]/,
  ],
  ['OpenAI tool calls', { messages: [...user('hi'), OPENAI_CALL] }, /messages\[1\]\.tool_calls/],
  ['an OpenAI tool', { tools: [{ type: 'function', function: { name: 'look' } }] }, /tools\[0\]/],
  ['an OpenAI body', OPENAI_BODY, /messages\[0\]|stream_options|tools/],
  ['a tool with an invalid schema', { tools: [{ name: 'look', input_schema: 'object' }] }, /input_schema/],
  ['an unknown tool choice', { tool_choice: { type: 'perhaps' } }, /tool_choice/],
  ['a system block that is not text', { system: [{ type: 'image' }] }, /system\[0\]/],
  ['system a number', { system: 7 }, /system/],
  ['unknown thinking', { thinking: { type: 'perhaps' } }, /thinking/],
  ['an output format that is not a schema', { output_config: { format: { type: 'xml' } } }, /output_config/],
  ['a file by its id', { messages: user([FILE_BLOCK]) }, /messages\[0\]\.content\[0\]\.source/],
  ...UNPRICED.map(([name, fields]): Invalid => [`unpriced: ${name}`, fields, new RegExp(name)]),
];

/** Faults by the endpoints whose bodies can have them. */
const INVALID_FIELDS: readonly (readonly [ChatEndpoint, readonly Invalid[]])[] = [
  [COMPLETIONS, [...INVALID_ANYWHERE, ...INVALID_COMPLETIONS]],
  [
    MESSAGES,
    [
      ...INVALID_ANYWHERE,
      ...INVALID_MESSAGES,
      ['stop sequences of numbers', { stop_sequences: [1] }, /stop_sequences\[0\]/],
    ],
  ],
  [
    COUNT_TOKENS,
    [
      ...INVALID_ANYWHERE,
      ...INVALID_MESSAGES,
      ['max_tokens for a token count', { max_tokens: 10 }, /max_tokens/],
      ['stream for a token count', { stream: true }, /stream/],
      ['temperature for a token count', { temperature: 0.5 }, /temperature/],
      ['stop sequences for a token count', { stop_sequences: ['x'] }, /stop_sequences/],
    ],
  ],
];

const INVALID_BYTES: readonly [string, string | Buffer][] = [
  ['empty', ''],
  ['truncated', '{"model":"sim/chat","messages":[{"role":"user"'],
  ['not JSON', 'hello'],
  ['an array', '[]'],
  ['null', 'null'],
  ['a string', '"sim/chat"'],
  ['two bodies', `${JSON.stringify(MESSAGES.body())}${JSON.stringify(MESSAGES.body())}`],
  ['a repeated field', '{"model":"sim/chat","model":"sim/chat","messages":[{"role":"user","content":"hi"}]}'],
  [
    'not UTF-8',
    Buffer.concat([
      Buffer.from('{"model":"sim/chat","messages":[{"role":"user","content":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}]}'),
    ]),
  ],
  [
    'not JSON, with NaN',
    '{"model":"sim/chat","messages":[{"role":"user","content":"hi"}],"temperature":NaN}',
  ],
];

const CONTENT_TYPES: readonly [string, string | undefined][] = [
  ['absent', undefined],
  ['text', 'text/plain'],
  ['a form', 'application/x-www-form-urlencoded'],
  ['multipart', 'multipart/form-data; boundary=x'],
  ['almost JSON', 'application/jsonp'],
];

type Missing = readonly [string, string, object];

/** Fields that are required only where others have certain values; `required-fields.ts` has the others. */
const MISSING_ANYWHERE: readonly Missing[] = [
  [
    'content of a later message absent',
    'messages[1].content',
    { messages: [...user('hi'), { role: 'user' }] },
  ],
  [
    'content null of an assistant without tool calls',
    'messages[1].content',
    { messages: [...user('hi'), { role: 'assistant', content: null }] },
  ],
];

/** For both endpoints of Anthropic's format. */
const MISSING_MESSAGES: readonly Missing[] = [
  ...MISSING_ANYWHERE,
  ['a tool without a schema', 'tools[0].input_schema', { tools: [{ name: 'look' }] }],
  ['a tool without a name', 'tools[0].name', { tools: [{ input_schema: {} }] }],
];

const MISSING_FIELDS: readonly (readonly [ChatEndpoint, readonly Missing[]])[] = [
  [COMPLETIONS, MISSING_ANYWHERE],
  [MESSAGES, MISSING_MESSAGES],
  [COUNT_TOKENS, MISSING_MESSAGES],
];

/** Headers of Anthropic's clients. */
const HEADERS: readonly [string, Record<string, string>, RegExp][] = [
  [
    'anthropic-version with invalid characters',
    { 'anthropic-version': '2023-06-01 or so' },
    /anthropic-version/,
  ],
  ['anthropic-version that is too long', { 'anthropic-version': '1'.repeat(65) }, /anthropic-version/],
  ['anthropic-beta with invalid characters', { 'anthropic-beta': 'a;b' }, /anthropic-beta/],
];

export const REQUEST_BODY_CASES: readonly ConformanceCase[] = [
  ...INVALID_FIELDS.flatMap(([endpoint, invalid]) =>
    invalid.map(
      ([when, fields, detail]): ConformanceCase => ({
        code: 'invalid_request',
        when: `${when}, POST ${endpoint.path}`,
        ...(detail && { detail }),
        provoke: ({ caller, customer }) => caller.chat(customer.apiKey, fields, endpoint),
      }),
    ),
  ),
  ...CHAT_ENDPOINTS.flatMap((endpoint): ConformanceCase[] => [
    ...INVALID_BYTES.map(
      ([when, bytes]): ConformanceCase => ({
        code: 'invalid_request',
        when: `the body is ${when}, POST ${endpoint.path}`,
        provoke: ({ caller, customer }) => caller.chatBytes(customer.apiKey, bytes, endpoint),
      }),
    ),
    ...CONTENT_TYPES.map(
      ([when, type]): ConformanceCase => ({
        code: 'invalid_request',
        when: `Content-Type: ${when}, POST ${endpoint.path}`,
        provoke: ({ caller, customer }) => {
          const headers = { ...bearer(customer.apiKey), 'content-type': type };
          return caller.api('POST', endpoint.path, headers, endpoint.body());
        },
      }),
    ),
    {
      code: 'invalid_request',
      when: `the body is over the limit, POST ${endpoint.path}`,
      provoke: ({ caller, customer }) => {
        const headers = { ...bearer(customer.apiKey), 'content-length': 33 * 1024 * 1024 };
        return caller.api('POST', endpoint.path, headers, '');
      },
    },
  ]),
  ...[MESSAGES, COUNT_TOKENS].map(
    (endpoint): ConformanceCase => ({
      code: 'invalid_request',
      when: `unpriced: thread, POST ${endpoint.path}`,
      detail: /thread/,
      // Anthropic's SDK continues without a thread when it gets this code.
      formatCode: 'thread_unsupported_request',
      provoke: ({ caller, customer }) =>
        caller.chat(customer.apiKey, { thread: { type: 'create' } }, endpoint),
    }),
  ),
  ...HEADERS.map(
    ([when, headers, detail]): ConformanceCase => ({
      code: 'invalid_request',
      when: `${when}, POST ${MESSAGES.path}`,
      detail,
      provoke: ({ caller, customer }) =>
        caller.api('POST', MESSAGES.path, { 'x-api-key': customer.apiKey, ...headers }, MESSAGES.body()),
    }),
  ),
  {
    code: 'invalid_request',
    when: 'a dashboard body that is not JSON, POST /api/v1/keys',
    provoke: ({ caller, customer }) => caller.dashboard('POST', '/api/v1/keys', bearer(customer.token), '{'),
  },
  {
    code: 'invalid_request',
    when: 'a dashboard body with an unknown field, POST /api/v1/keys',
    provoke: ({ caller, customer }) =>
      caller.dashboard('POST', '/api/v1/keys', bearer(customer.token), { name: 'x', colour: 'red' }),
  },
  {
    code: 'invalid_request',
    when: 'an unknown model kind, GET /api/v1/models',
    provoke: ({ caller, customer }) =>
      caller.dashboard('GET', '/api/v1/models?type=smell', bearer(customer.token)),
  },
  ...MISSING_FIELDS.flatMap(([endpoint, missing]) =>
    missing.map(
      ([when, param, fields]): ConformanceCase => ({
        code: 'missing_parameter',
        when: `${when}, POST ${endpoint.path}`,
        param,
        detail: /required/,
        provoke: ({ caller, customer }) => caller.chat(customer.apiKey, fields, endpoint),
      }),
    ),
  ),
];
