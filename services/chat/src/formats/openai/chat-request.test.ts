import { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import { AudioIdSealer } from '../../domain/audio-ids';
import { parseChatRequest } from './chat-request';

const user = { role: 'user', content: 'hi' };
const valid = { model: 'sim/chat', messages: [user] };
const SPOKEN = { voice: 'alloy', format: 'pcm16' };

function errorOf(body: unknown): string {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  try {
    parseChatRequest(bytes);
    return 'none';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error.param ? `${error.code} ${error.param}` : error.code;
  }
}

const accepted: [string, unknown][] = [
  ['the least', valid],
  [
    'a reply that was cut before its first word',
    { ...valid, messages: [user, { role: 'assistant', content: '' }, user] },
  ],
  [
    'fields of single providers',
    {
      ...valid,
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      reasoning: { effort: 'high', exclude: true },
      top_k: 40,
      min_p: 0.05,
      repetition_penalty: 1.1,
      safe_prompt: true,
      random_seed: 7,
      prompt_mode: 'reasoning',
      chat_template_kwargs: { enable_thinking: false },
      enable_thinking: false,
    },
  ],
  ['nulls for what is optional', { ...valid, temperature: null, stream: null, max_tokens: null, stop: null }],
  [
    'every role',
    { ...valid, messages: ['system', 'developer', 'user'].map((role) => ({ role, content: 'x' })) },
  ],
  [
    'a tool round',
    {
      ...valid,
      messages: [
        user,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: '' },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
    },
  ],
  [
    'an assistant turn without content but with tool calls',
    {
      ...valid,
      messages: [
        user,
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
        },
      ],
    },
  ],
  [
    'an assistant turn that only thought',
    { ...valid, messages: [user, { role: 'assistant', content: '', reasoning_content: 'hm' }, user] },
  ],
  [
    'image parts',
    {
      ...valid,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image_url', image_url: { url: 'https://example.com/y.png' } },
          ],
        },
      ],
    },
  ],
  ['unknown nested fields', { ...valid, messages: [{ ...user, cache_control: { type: 'ephemeral' } }] }],
  ['stream options on a stream', { ...valid, stream: true, stream_options: { include_usage: true } }],
  ['temperature 2', { ...valid, temperature: 2 }],
  [
    'a conversation of thousands of messages and calls of tools',
    {
      ...valid,
      messages: Array.from({ length: 5_000 }, (_, index) => {
        const id = `call_${index}`;
        const made = { id, type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
        return [
          { role: 'assistant', tool_calls: [made] },
          { role: 'tool', tool_call_id: id, content: [{ type: 'text', text: 'x' }] },
        ];
      }).flat(),
      tools: Array.from({ length: 1_000 }, (_, index) => {
        const properties = Object.fromEntries(
          Array.from({ length: 15 }, (_v, at) => [`p${index}_${at}`, {}]),
        );
        return {
          type: 'function',
          function: { name: `f${index}`, parameters: { type: 'object', properties } },
        };
      }),
    },
  ],
];

const refused: [string, unknown, string][] = [
  ['nothing', '', 'invalid_request'],
  ['no JSON', '{"model":', 'invalid_request'],
  ['an array', [], 'invalid_request'],
  ['null', 'null', 'invalid_request'],
  [
    'a repeated key',
    '{"model":"sim/chat","messages":[{"role":"user","content":"x"}],"model":"sim/dear"}',
    'invalid_request',
  ],
  ['an unknown field', { ...valid, colour: 'red' }, 'invalid_request'],
  ['an Anthropic field', { ...valid, system: 'x', max_tokens: 5 }, 'invalid_request'],
  [
    'an Anthropic block',
    { ...valid, messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] }] },
    'invalid_request',
  ],
  [
    'an Anthropic tool',
    { ...valid, tools: [{ name: 'look', input_schema: { type: 'object' } }] },
    'invalid_request',
  ],
  ['temperature above 2', { ...valid, temperature: 2.1 }, 'invalid_request'],
  ['temperature as text', { ...valid, temperature: '1' }, 'invalid_request'],
  ['max_tokens 0', { ...valid, max_tokens: 0 }, 'invalid_request'],
  ['max_tokens 1.5', { ...valid, max_tokens: 1.5 }, 'invalid_request'],
  ['a role that is none', { ...valid, messages: [{ role: 'robot', content: 'x' }] }, 'invalid_request'],
  ['messages as text', { ...valid, messages: 'hi' }, 'invalid_request'],
  ['content as a number', { ...valid, messages: [{ role: 'user', content: 5 }] }, 'invalid_request'],
  ['model as a number', { ...valid, model: 5 }, 'invalid_request'],
  [
    'stream options without a stream',
    { ...valid, stream_options: { include_usage: true } },
    'invalid_request',
  ],
  ['two maxima that differ', { ...valid, max_tokens: 4_096, max_completion_tokens: 1 }, 'invalid_request'],
  [
    'more messages than a conversation has',
    { ...valid, messages: Array(30_000).fill({}) },
    'invalid_request',
  ],
  [
    'more parts than a conversation has',
    { ...valid, messages: [{ role: 'user', content: Array(30_000).fill({}) }] },
    'invalid_request',
  ],
  [
    'a file by its id',
    { ...valid, messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
    'invalid_request',
  ],
  [
    'a spoken reply by its id',
    { ...valid, messages: [user, { role: 'assistant', audio: { id: 'audio_1' } }, user] },
    'invalid_request',
  ],
  ['audio output without its format', { ...valid, modalities: ['text', 'audio'] }, 'missing_parameter audio'],
  ['audio without its modality', { ...valid, audio: SPOKEN }, 'invalid_request'],
  [
    'streamed audio in a file format',
    { ...valid, modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' }, stream: true },
    'invalid_request',
  ],
  [
    'an unknown format of audio',
    { ...valid, modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'ogg' } },
    'invalid_request',
  ],
  [
    'audio without a voice',
    { ...valid, modalities: ['text', 'audio'], audio: { format: 'wav' } },
    'missing_parameter audio.voice',
  ],
  [
    'audio without data',
    {
      ...valid,
      messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { format: 'wav' } }] }],
    },
    'missing_parameter messages[0].content[0].input_audio.data',
  ],
  ['a wrong value beside a missing one', { temperature: 5, messages: [user] }, 'invalid_request'],
  ['numbers for many modalities', { ...valid, modalities: Array(200_000).fill(1) }, 'invalid_request'],
  [
    'very many unknown fields',
    { ...valid, ...Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`field ${index}`, 1])) },
    'invalid_request',
  ],
  [
    'many tool calls that are none',
    { ...valid, messages: [user, { role: 'assistant', tool_calls: Array(100_000).fill({}) }] },
    'missing_parameter messages[1].tool_calls[0].id',
  ],
  [
    'a wrong tool call behind one that lacks something',
    { ...valid, messages: [user, { role: 'assistant', tool_calls: [{}, 5] }] },
    'invalid_request',
  ],
  ['no model', { messages: [user] }, 'missing_parameter model'],
  ['no messages', { model: 'sim/chat' }, 'missing_parameter messages'],
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
    'nulls in the place of content',
    { ...valid, messages: [user, { role: 'assistant', content: null, function_call: null, audio: null }] },
    'missing_parameter messages[1].content',
  ],
  [
    'a null text',
    { ...valid, messages: [{ role: 'user', content: [{ type: 'text', text: null }] }] },
    'missing_parameter messages[0].content[0].text',
  ],
  [
    'a null image',
    { ...valid, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: null }] }] },
    'missing_parameter messages[0].content[0].image_url',
  ],
  [
    'an image of nowhere',
    { ...valid, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: '' } }] }] },
    'missing_parameter messages[0].content[0].image_url.url',
  ],
  [
    'a tool without a name',
    { ...valid, tools: [{ type: 'function', function: { name: '' } }] },
    'missing_parameter tools[0].function.name',
  ],
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
  [
    'an empty list of parts',
    { ...valid, messages: [{ role: 'user', content: [] }] },
    'missing_parameter messages[0].content',
  ],
  [
    'no part type',
    { ...valid, messages: [{ role: 'user', content: [{ text: 'x' }] }] },
    'missing_parameter messages[0].content[0].type',
  ],
  ['a null model', { ...valid, model: null }, 'invalid_model model'],
  ['an empty model', { ...valid, model: '' }, 'invalid_model model'],
  ['an empty list for a model', { ...valid, model: [] }, 'invalid_model model'],
  ['a list for a model', { ...valid, model: ['sim/chat'] }, 'invalid_request'],
];

describe('valid requests', () => {
  test.each(accepted)('%s', (_name, body) => {
    expect(errorOf(body)).toBe('none');
  });
});

describe('invalid requests', () => {
  test.each(refused)('%s', (_name, body, error) => {
    expect(errorOf(body)).toBe(error);
  });

  test('bytes that are not UTF-8', () => {
    const bytes = Buffer.from(JSON.stringify(valid));
    bytes[bytes.indexOf('hi')] = 0xff;
    expect(() => parseChatRequest(bytes)).toThrow(GatewayError);
  });
});

// Each runs at the provider, as often as the model likes: no hold bounds its cost.
test.each([
  'web_search',
  'web_search_preview',
  'x_search',
  'live_search',
  'file_search',
  'collections_search',
  'code_interpreter',
  'code_execution',
  'image_generation',
  'computer_use_preview',
  'mcp',
  'local_shell',
  'google_search',
  'url_context',
])('a tool that the provider runs is rejected, whatever its fields: %s', (type) => {
  const tools = [{ type, [type]: {}, function: { name: 'f' }, custom: { name: 'f' } }];
  for (const unknownFields of ['refuse', 'forward'] as const) {
    const bytes = Buffer.from(JSON.stringify({ ...valid, tools }));
    expect(() => parseChatRequest(bytes, unknownFields)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  }
});

test.each(['search_parameters', 'web_search_options', 'enable_search', 'plugins', 'mcp_servers'])(
  'a field that makes the provider search or call is rejected: %s',
  (field) => {
    expect(errorOf({ ...valid, [field]: { mode: 'on' } })).toBe('invalid_request');
  },
);

describe('the body sent to the provider', () => {
  const upstream = (json: string, maxTokens?: number) =>
    parseChatRequest(Buffer.from(json))
      .passThroughBody({ upstreamModel: 'up-1', maxTokens, maxTokensField: 'max_tokens' })
      .toString();

  test("equals the caller's except for the model", () => {
    const json =
      '{ "seed":12345678901234567890,"messages":[{"role":"user","content":"\\u0068i"}], "model":"sim/chat"}';
    expect(upstream(json)).toBe(json.replace('sim/chat', 'up-1'));
  });

  test('requests usage for a stream', () => {
    const stream = { ...valid, stream: true };
    expect(JSON.parse(upstream(JSON.stringify(stream))).stream_options).toEqual({ include_usage: true });
    const options = { ...stream, stream_options: { include_usage: false, include_obfuscation: false } };
    expect(JSON.parse(upstream(JSON.stringify(options))).stream_options).toEqual({
      include_usage: true,
      include_obfuscation: false,
    });
  });

  test('lowers the maximum to the output that the hold pays for', () => {
    const lowered = (fields: object) => JSON.parse(upstream(JSON.stringify({ ...valid, ...fields }), 50));
    expect(lowered({})).toEqual({ ...valid, model: 'up-1', max_tokens: 50 });
    expect(lowered({ max_completion_tokens: 900 })).toEqual({ ...valid, model: 'up-1', max_tokens: 50 });
    expect(lowered({ max_tokens: null })).toEqual({ ...valid, model: 'up-1', max_tokens: 50 });
  });

  test('names the maximum as the provider does, because it may ignore the other name', () => {
    const named = (fields: object) => JSON.parse(upstream(JSON.stringify({ ...valid, ...fields })));
    expect(named({ max_completion_tokens: 900 })).toEqual({ ...valid, model: 'up-1', max_tokens: 900 });
    expect(named({ max_completion_tokens: 9, max_tokens: 9 })).toEqual({
      ...valid,
      model: 'up-1',
      max_tokens: 9,
    });
    expect(
      upstream('{"model":"sim/chat","max_tokens":9.0,"messages":[{"role":"user","content":"hi"}]}'),
    ).toContain('9.0');
  });
});

test.each([
  ['no type', {}],
  ['null', { type: null }],
])("a tool call with %s, as Mistral's clients send it back, is one of a function", (_name, type) => {
  const call = { id: 'a', ...type, function: { name: 'f', arguments: '{}' } };
  const messages = [
    user,
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: 'x' },
  ];
  const request = parseChatRequest(Buffer.from(JSON.stringify({ ...valid, messages })));
  const change = { upstreamModel: 'up-1', maxTokens: undefined, maxTokensField: 'max_tokens' } as const;
  const sent = JSON.parse(request.passThroughBody(change).toString()).messages;
  expect(sent[1].tool_calls).toEqual([{ ...call, type: 'function' }]);
  expect(request.conversation().turns[1]?.parts).toMatchObject([{ kind: 'tool_call', id: 'a', name: 'f' }]);
  expect(errorOf({ ...valid, messages: [user, { ...messages[1], tool_calls: [{ id: 'a' }] }] })).toBe(
    'missing_parameter messages[1].tool_calls[0].type',
  );
});

test('images are counted apart from the text', () => {
  const url = `data:image/png;base64,${'A'.repeat(1_000)}`;
  const content = [
    { type: 'text', text: 'x' },
    { type: 'image_url', image_url: { url } },
    { type: 'image_url', image_url: { url: 'https://example.com/y.png' } },
  ];
  const body = { ...valid, messages: [{ role: 'user', content }] };
  expect(parseChatRequest(Buffer.from(JSON.stringify(body))).size).toMatchObject({
    hasMedia: false,
    images: 2,
    imageBytes: url.length + 'https://example.com/y.png'.length,
  });
});

test('a prediction is counted in bytes, an upper bound for its tokens in every script', () => {
  const prediction = { type: 'content', content: '日本語' };
  const { predictionBytes } = parseChatRequest(Buffer.from(JSON.stringify({ ...valid, prediction }))).size;
  expect(predictionBytes).toBe(Buffer.byteLength(JSON.stringify(prediction)));
});

describe('URLs that the provider would fetch', () => {
  const detailOf = (part: object): string | undefined => {
    const body = {
      ...valid,
      messages: [user, { role: 'user', content: [{ type: 'text', text: 'x' }, part] }],
    };
    try {
      parseChatRequest(Buffer.from(JSON.stringify(body)));
      return undefined;
    } catch (error) {
      return error instanceof GatewayError && error.code === 'invalid_request'
        ? error.detail
        : 'another error';
    }
  };
  const image = (url: string) => ({ type: 'image_url', image_url: { url } });
  const file = (fields: object) => ({ type: 'file', file: { filename: 'a.pdf', ...fields } });

  test.each([
    image('https://example.com/y.png'),
    image('data:image/png;base64,AAAA'),
    file({ file_data: 'data:application/pdf;base64,AAAA' }),
    file({ file_data: 'JVBERi0x' }),
    file({ file_url: 'https://example.com/y.pdf' }),
  ])('a public URL or data URL is accepted: %j', (part) => {
    expect(detailOf(part)).toBeUndefined();
  });

  test.each([
    [image('http://example.com/y.png'), 'image_url.url: must be an https link or a data: URL'],
    [image('hello'), 'image_url.url: must be an https link or a data: URL'],
    [image('https://169.254.169.254/latest'), 'image_url.url: the link must point to a public host'],
    [image('https://localhost/y.png'), 'image_url.url: the link must point to a public host'],
    [image('https://a:b@example.com/y.png'), 'image_url.url: the link must not contain credentials'],
    [file({ file_data: 'http://example.com/y.pdf' }), 'file.file_data: must be an https link or a data: URL'],
    [file({ file_url: 'https://10.0.0.1/y.pdf' }), 'file.file_url: the link must point to a public host'],
  ])('%j is rejected with the reason', (part, detail) => {
    expect(detailOf(part)).toBe(`messages[1].content[1].${detail}`);
  });
});

test.each([
  { top_k: 1.5 },
  { min_p: 2 },
  { repetition_penalty: -1 },
  { thinking: { type: 'sometimes' } },
  { thinking: true },
  { reasoning: { effort: 'huge' } },
  { safe_prompt: 'yes' },
  { chat_template_kwargs: [] },
])('an invalid value of a provider-specific field is rejected: %j', (fields) => {
  expect(errorOf({ ...valid, ...fields })).toBe('invalid_request');
});

test('an assistant message without content, tool calls or thinking is rejected for missing content', () => {
  expect(errorOf({ ...valid, messages: [user, { role: 'assistant', content: null }] })).toBe(
    'missing_parameter messages[1].content',
  );
});

test.each([
  ['JVBERi0x', ['JVBERi0x']],
  ['data:application/pdf;base64,JVBERi0x', ['JVBERi0x']],
  ['data:application/pdf;name=a;base64,JVBERi0x', ['JVBERi0x']],
  ['data:application/pdf;base64,AAAA', undefined],
  ['data:text/plain;base64,JVBERi0x', undefined],
])('the file %s is distinguished from media of unbounded cost', (file_data, pdfs) => {
  const content = [{ type: 'file', file: { filename: 'a', file_data } }];
  const { size } = parseChatRequest(
    Buffer.from(JSON.stringify({ ...valid, messages: [{ role: 'user', content }] })),
  );
  expect(size.hasMedia).toBe(pdfs === undefined);
  expect(size.pdfs).toEqual(pdfs);
});

describe('audio', () => {
  const ids = new AudioIdSealer(['secret']).of('account-1');
  const data = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]).toString('base64');
  const heard = { role: 'user', content: [{ type: 'input_audio', input_audio: { data, format: 'mp3' } }] };
  const change = { upstreamModel: 'up', maxTokens: undefined, maxTokensField: 'max_tokens' } as const;
  const parse = (fields: object) =>
    parseChatRequest(Buffer.from(JSON.stringify({ ...valid, ...fields })), 'refuse', ids);

  test('in a prompt is measured and not counted as media of an unknown size', () => {
    const { size } = parse({ messages: [heard, heard] });
    expect(size).toMatchObject({ hasMedia: false, audio: { bytes: 2 * data.length, replies: 0 } });
    expect(size.audio?.seconds).toBeCloseTo(2 * (1_152 / 44_100 + 1), 3);
    const unknown = { type: 'input_audio', input_audio: { data: 'T2dnUw==', format: 'ogg' } };
    expect(parse({ messages: [{ role: 'user', content: [unknown] }] }).size).toMatchObject({
      hasMedia: true,
      audio: { seconds: 0 },
    });
    expect(parse({}).size).not.toHaveProperty('audio');
  });

  test("of an earlier reply reaches the provider under its own id, without the caller's copy", () => {
    const audio = { id: ids.seal('audio_1'), data: 'A'.repeat(1_000), transcript: 'Hi', expires_at: 1 };
    const request = parse({ messages: [user, { role: 'assistant', content: null, audio }, user] });
    expect(JSON.parse(request.passThroughBody(change).toString()).messages).toEqual([
      user,
      { role: 'assistant', content: null, audio: { id: 'audio_1' } },
      user,
    ]);
    expect(request.size).toMatchObject({ audio: { seconds: 0, bytes: 1_000, replies: 1 } });
    expect(() => request.conversation()).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  test('of a spoken reply is asked for as the caller asks', () => {
    const spoken = { modalities: ['text', 'audio'], audio: SPOKEN };
    const request = parse(spoken);
    expect(request).toMatchObject({ size: { speaks: true }, audioIds: ids });
    expect(JSON.parse(request.passThroughBody(change).toString())).toMatchObject(spoken);
    expect(parse({ modalities: ['text'] })).not.toHaveProperty('audioIds');
  });
});
