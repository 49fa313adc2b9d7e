import { bearer, CHAT, validBody } from './caller';
import type { ConformanceCase } from './case';

const user = (content: unknown) => [{ role: 'user', content }];

/** By what is wrong: fields over a valid body, and what `detail` must name. */
const INVALID_FIELDS: readonly [string, object, RegExp?][] = [
  ['temperature above 2', { temperature: 2.01 }, /temperature/],
  ['temperature below 0', { temperature: -0.01 }, /temperature/],
  ['temperature a string', { temperature: '1' }, /temperature/],
  ['messages a string', { messages: 'hi' }, /messages/],
  ['messages an object', { messages: { role: 'user', content: 'hi' } }, /messages/],
  ['a message that is no object', { messages: ['hi'] }, /messages\[0\]/],
  ['an unknown role', { messages: [{ role: 'robot', content: 'hi' }] }, /messages\[0\]\.role/],
  ['content a number', { messages: user(7) }, /messages\[0\]\.content/],
  [
    'an unknown content block',
    { messages: user([{ type: 'smell', text: 'hi' }]) },
    /messages\[0\]\.content\[0\]/,
  ],
  ['model a number', { model: 7 }, /model/],
  ['model an object', { model: {} }, /model/],
  ['stream a string', { stream: 'true' }, /stream/],
  ['max_tokens a fraction', { max_tokens: 1.5 }, /max_tokens/],
  ['max_tokens 0', { max_tokens: 0 }, /max_tokens/],
  ['max_tokens a string', { max_tokens: '10' }, /max_tokens/],
  ['an unknown field', { max_token: 10 }, /max_token/],
  ['n 0', { n: 0 }, /\bn\b/],
  ['top_p above 1', { top_p: 1.1 }, /top_p/],
  ['five stop strings', { stop: ['1', '2', '3', '4', '5'] }, /stop/],
  ['stream_options without stream', { stream_options: { include_usage: true } }, /stream_options/],
  ['stream_options with stream: false', { stream: false, stream_options: {} }, /stream_options/],
  ['an Anthropic system field', { system: 'be brief' }, /system/],
  ['Anthropic stop sequences', { stop_sequences: ['x'] }, /stop_sequences/],
  [
    'an Anthropic content block',
    { messages: user([{ type: 'tool_result', tool_use_id: 'x' }]) },
    /messages\[0\]/,
  ],
  ['an unpriced service tier', { service_tier: 'warp' }, /service_tier/],
];

const INVALID_BYTES: readonly [string, string | Buffer][] = [
  ['nothing', ''],
  ['half a body', '{"model":"sim/chat","messages":[{"role":"user"'],
  ['no JSON', 'hello'],
  ['an array', '[]'],
  ['null', 'null'],
  ['a string', '"sim/chat"'],
  ['two bodies', `${JSON.stringify(validBody())}${JSON.stringify(validBody())}`],
  ['a repeated field', '{"model":"sim/chat","model":"sim/chat","messages":[{"role":"user","content":"hi"}]}'],
  [
    'not UTF-8',
    Buffer.concat([
      Buffer.from('{"model":"sim/chat","messages":[{"role":"user","content":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}]}'),
    ]),
  ],
  ['a NaN', '{"model":"sim/chat","messages":[{"role":"user","content":"hi"}],"temperature":NaN}'],
];

const CONTENT_TYPES: readonly [string, string | undefined][] = [
  ['absent', undefined],
  ['text', 'text/plain'],
  ['a form', 'application/x-www-form-urlencoded'],
  ['multipart', 'multipart/form-data; boundary=x'],
  ['almost JSON', 'application/jsonp'],
];

const MISSING: readonly [string, string, object][] = [
  ['messages absent', 'messages', { messages: undefined }],
  ['messages null', 'messages', { messages: null }],
  ['messages empty', 'messages', { messages: [] }],
  ['model absent', 'model', { model: undefined }],
  ['role absent', 'messages[0].role', { messages: [{ content: 'hi' }] }],
  ['role null', 'messages[0].role', { messages: [{ role: null, content: 'hi' }] }],
  ['role empty', 'messages[0].role', { messages: [{ role: '', content: 'hi' }] }],
  ['content absent', 'messages[0].content', { messages: [{ role: 'user' }] }],
  ['content null', 'messages[0].content', { messages: user(null) }],
  ['content empty', 'messages[0].content', { messages: user('') }],
  ['content an empty array', 'messages[0].content', { messages: user([]) }],
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
  ['block type absent', 'messages[0].content[0].type', { messages: user([{ text: 'hi' }]) }],
  ['block type null', 'messages[0].content[0].type', { messages: user([{ type: null, text: 'hi' }]) }],
  ['block type empty', 'messages[0].content[0].type', { messages: user([{ type: '', text: 'hi' }]) }],
];

export const REQUEST_BODY_CASES: readonly ConformanceCase[] = [
  ...INVALID_FIELDS.map(
    ([when, fields, detail]): ConformanceCase => ({
      code: 'invalid_request',
      when,
      ...(detail && { detail }),
      provoke: ({ caller, customer }) => caller.chat(customer.apiKey, fields),
    }),
  ),
  ...INVALID_BYTES.map(
    ([when, bytes]): ConformanceCase => ({
      code: 'invalid_request',
      when: `the body is ${when}`,
      provoke: ({ caller, customer }) => caller.chatBytes(customer.apiKey, bytes),
    }),
  ),
  ...CONTENT_TYPES.map(
    ([when, type]): ConformanceCase => ({
      code: 'invalid_request',
      when: `Content-Type: ${when}`,
      provoke: ({ caller, customer }) => {
        const bytes = Buffer.from(JSON.stringify(validBody()));
        return caller.api('POST', CHAT, { ...bearer(customer.apiKey), 'content-type': type }, bytes);
      },
    }),
  ),
  {
    code: 'invalid_request',
    when: 'the body is over the limit',
    provoke: ({ caller, customer }) =>
      caller.api('POST', CHAT, { ...bearer(customer.apiKey), 'content-length': 33 * 1024 * 1024 }, ''),
  },
  {
    code: 'invalid_request',
    when: 'the dashboard’s body is no JSON, POST /api/v1/keys',
    provoke: ({ caller, customer }) => caller.dashboard('POST', '/api/v1/keys', bearer(customer.token), '{'),
  },
  {
    code: 'invalid_request',
    when: 'the dashboard’s body has an unknown field, POST /api/v1/keys',
    provoke: ({ caller, customer }) =>
      caller.dashboard('POST', '/api/v1/keys', bearer(customer.token), { name: 'x', colour: 'red' }),
  },
  {
    code: 'invalid_request',
    when: 'an unknown model kind, GET /api/v1/models',
    provoke: ({ caller, customer }) =>
      caller.dashboard('GET', '/api/v1/models?type=smell', bearer(customer.token)),
  },
  ...MISSING.map(
    ([when, param, fields]): ConformanceCase => ({
      code: 'missing_parameter',
      when,
      param,
      detail: /required/,
      provoke: ({ caller, customer }) => caller.chat(customer.apiKey, fields),
    }),
  ),
  {
    code: 'missing_parameter',
    when: 'name absent, POST /api/v1/keys',
    param: 'name',
    provoke: ({ caller, customer }) => caller.dashboard('POST', '/api/v1/keys', bearer(customer.token), {}),
  },
];
