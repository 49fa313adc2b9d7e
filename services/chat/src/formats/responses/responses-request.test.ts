import { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import { parseResponsesRequest } from './responses-request';

const user = { role: 'user', content: 'hi' };
const valid = { model: 'sim/chat', input: [user] };
const parse = (body: unknown) => parseResponsesRequest(Buffer.from(JSON.stringify(body))).withItems();
const tool = (name: string) => ({ type: 'function', name, parameters: { type: 'object', properties: {} } });
const conversationOf = (fields: object) => parse({ ...valid, ...fields }).conversation();

function errorOf(body: unknown): string {
  try {
    parse(body).conversation();
    return 'none';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return `${error.code} ${error.param ?? error.detail ?? ''}`.trim();
  }
}

describe('a valid request', () => {
  test.each<[string, object]>([
    ['with a text as input', { input: 'hi' }],
    [
      'with nulls for what is optional',
      { temperature: null, tools: null, text: null, store: null, include: null },
    ],
    ['that is not to be stored', { store: false }],
    [
      'as Codex sends it',
      {
        stream: true,
        store: false,
        include: ['reasoning.encrypted_content'],
        prompt_cache_key: 'a session',
        client_metadata: { thread_id: 'x' },
        reasoning: { effort: 'high', summary: 'auto' },
        text: { verbosity: 'low' },
        tool_choice: 'auto',
        parallel_tool_calls: true,
        tools: [
          { type: 'function', name: 'exec', description: 'd', strict: false, parameters: { type: 'object' } },
          {
            type: 'namespace',
            name: 'agents',
            tools: [{ type: 'function', name: 'spawn', parameters: null }],
          },
          { type: 'web_search', external_web_access: true },
          { type: 'tool_search', execution: 'client' },
        ],
      },
    ],
    [
      'as the Agents SDK sends it',
      {
        instructions: 'Be brief.',
        include: [],
        text: { verbosity: 'medium' },
        reasoning: { effort: 'none' },
      },
    ],
  ])('%s is accepted', (_, fields) => {
    expect(errorOf({ ...valid, ...fields })).toBe('none');
  });

  test('has its instructions before the first message, and developer messages as instructions', () => {
    const { system, turns } = conversationOf({
      instructions: 'First.',
      input: [{ role: 'developer', content: 'Second.' }, user, { role: 'system', content: 'Third.' }],
    });
    expect(system.map(({ text }) => text)).toEqual(['First.', 'Second.']);
    expect(turns.map(({ role }) => role)).toEqual(['user', 'system']);
  });

  test('has its tools, output format, effort and limits', () => {
    const schema = { type: 'object', properties: {} };
    const conversation = conversationOf({
      max_output_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'reply', schema, strict: true } },
      tools: [{ type: 'function', name: 'find', parameters: schema, strict: true }],
      tool_choice: { type: 'function', name: 'find' },
      parallel_tool_calls: false,
      user: 'someone',
    });
    expect(conversation).toMatchObject({
      maxOutputTokens: 50,
      sampling: { temperature: 0.5, topP: 0.9 },
      reasoning: { effort: 'low' },
      output: { kind: 'schema', name: 'reply', schema, strict: true },
      tools: [{ name: 'find', parameters: schema, strict: true }],
      toolChoice: { kind: 'tool', name: 'find' },
      parallelToolCalls: false,
      endUser: 'someone',
    });
  });

  test('has calls of a round and their results, with images, in adjacent turns', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };
    const { turns } = conversationOf({
      input: [
        user,
        { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'find', arguments: '{"q":1}' },
        { type: 'function_call', call_id: 'b', name: 'spawn', namespace: 'agents', arguments: '{}' },
        { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'say "hi"' },
        { type: 'function_call_output', call_id: 'a', output: 'found' },
        { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'done' }, image] },
        { type: 'custom_tool_call_output', call_id: 'c', output: 'patched' },
      ],
    });
    const parts = turns.slice(1).flatMap((turn): readonly object[] => turn.parts);
    expect(parts).toMatchObject([
      { kind: 'tool_call', id: 'a', name: 'find', arguments: '{"q":1}' },
      { kind: 'tool_call', id: 'b', name: 'agents__spawn' },
      { kind: 'tool_call', id: 'c', name: 'patch', arguments: '{"input":"say \\"hi\\""}' },
      { kind: 'tool_result', callId: 'a', parts: [{ text: 'found' }] },
      { kind: 'tool_result', callId: 'b', parts: [{ text: 'done' }, { kind: 'image' }] },
      { kind: 'tool_result', callId: 'c' },
    ]);
  });

  test('may have a role in items that are no messages, which have no content', () => {
    const call = { type: 'function_call', role: 'user', call_id: 'a', name: 'f', arguments: '{}' };
    expect(errorOf({ ...valid, input: [user, call] })).toBe('none');
  });

  test('counts its images and PDFs', () => {
    const content = [
      { type: 'input_image', image_url: 'https://example.com/a.png' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0x' },
    ];
    expect(parse({ ...valid, input: [{ role: 'user', content }] }).size).toMatchObject({
      images: 1,
      pdfs: ['JVBERi0x'],
      hasMedia: false,
    });
  });
});

describe('an invalid request', () => {
  test.each<[string, object]>([
    ['missing_parameter input', { input: undefined }],
    ['missing_parameter input', { input: [] }],
    ['missing_parameter input', { input: '' }],
    ['missing_parameter input[0].content', { input: [{ role: 'user', content: '' }] }],
    ['missing_parameter input[0].role', { input: [{ content: 'hi' }] }],
    [
      'missing_parameter input[1].call_id',
      { input: [user, { type: 'function_call', name: 'f', arguments: '' }] },
    ],
    ['missing_parameter tools[0].name', { tools: [{ type: 'function' }] }],
    ['invalid_model', { model: '' }],
    ['invalid_request body: Unrecognized key: "colour"', { colour: 'red' }],
    ['invalid_request temperature', { temperature: 3 }],
    ['invalid_request body: Unrecognized key: "messages"', { messages: [user] }],
    [
      'invalid_request input[0].type: items of type mcp_call are not supported',
      { input: [{ type: 'mcp_call' }] },
    ],
    [
      'invalid_request tools[0].type: code_interpreter is not supported',
      { tools: [{ type: 'code_interpreter' }] },
    ],
    ['invalid_request tools[1].name: another tool has this name', { tools: [tool('f'), tool('f')] }],
    [
      'invalid_request tools[1].name: another tool has this name',
      { tools: [tool('f'), tool('f')], input: [], model: '' },
    ],
    [
      'invalid_request tools: too many entries',
      {
        tools: ['a', 'b'].map((name) => ({
          type: 'namespace',
          name,
          tools: Array.from({ length: 600 }, (_, at) => tool(`f${at}`)),
        })),
      },
    ],
    [
      'invalid_request tool_choice: only functions',
      { tools: [tool('f')], tool_choice: { type: 'file_search' } },
    ],
    [
      'invalid_request tool_choice: does not match',
      { tools: [tool('f')], tool_choice: { type: 'web_search' } },
    ],
    [
      'invalid_request tool_choice: does not match',
      { tools: [tool('f')], tool_choice: { type: 'function', name: 'g' } },
    ],
    [
      'invalid_request input[0].content[0].image_url.url: ',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'http://10.0.0.1/a' }] }] },
    ],
    [
      'invalid_request input[0].content[0].image_url.url: ',
      {
        model: '',
        input: [
          { role: 'user', content: [{ type: 'input_image', image_url: 'http://10.0.0.1/a' }] },
          { role: 'user', content: '' },
        ],
      },
    ],
    [
      'invalid_request input[0].content[0]: needs file_data',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://example.com/a.pdf' }] }] },
    ],
  ])('is refused with %s', (expected, fields) => {
    expect(errorOf({ ...valid, ...fields })).toContain(expected);
  });

  test.each<[unknown]>([[5], [true], [{}], [{ toString: 1 }], [['message']], [['function']]])(
    'is refused with an item or a tool of the type %j',
    (type) => {
      expect(errorOf({ ...valid, input: [{ ...user, type }] })).toMatch(/^invalid_request input\[0\].type: /);
      expect(errorOf({ ...valid, tools: [{ ...tool('f'), type }] })).toMatch(
        /^invalid_request tools\[0\].type: /,
      );
    },
  );

  test.each<[string, object]>([
    ['store', { store: true }],
    ['background', { background: true }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['input[0]', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
  ])('that needs a stored response is refused rather than ignored without a storage: %s', (field, fields) => {
    expect(errorOf({ ...valid, ...fields })).toContain(`invalid_request ${field}: responses are not stored`);
  });

  test.each([
    { prompt: { id: 'p' } },
    { moderation: { model: 'm' } },
    { context_management: [{ type: 'compaction' }] },
    { top_logprobs: 2 },
    { include: ['message.output_text.logprobs'] },
    { service_tier: 'priority' },
  ])('%j is refused, because the caller would miss its effect', (fields) => {
    expect(errorOf({ ...valid, ...fields })).toMatch(/^invalid_request .*not supported/);
  });
});

describe('with a storage', () => {
  const id = '01890000-0000-7000-8000-000000000001';
  const message = { id: `msg_${id}_0`, type: 'message', role: 'assistant', content: 'earlier' };
  const read = (fields: object) =>
    parseResponsesRequest(Buffer.from(JSON.stringify({ ...valid, ...fields })), { canStore: true });

  test.each([
    [{}, true],
    [{ store: null }, true],
    [{ store: true }, true],
    [{ store: false }, false],
  ])('a call with %j has isStored %p', (fields, isStored) => {
    expect(read(fields).isStored).toBe(isStored);
  });

  test('a call continues a conversation without its instructions, and its size includes the stored items', () => {
    const request = read({ previous_response_id: `resp_${id}`, instructions: 'Now.' });
    expect([request.previousId, request.itemIds]).toEqual([`resp_${id}`, []]);
    const call = request.withItems({ conversation: [user, message], byId: new Map() });
    expect(call.conversation()).toMatchObject({
      system: [{ text: 'Now.' }],
      turns: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'assistant', parts: [{ text: 'earlier' }] },
        { role: 'user', parts: [{ text: 'hi' }] },
      ],
    });
    const alone = request.withItems().size.bodyBytes;
    expect(call.size.bodyBytes).toBe(alone + JSON.stringify(user).length + JSON.stringify(message).length);
    expect(call.ownItems).toEqual([user]);
  });

  test('a reference is replaced by its item, and refused without one', () => {
    const request = read({ input: [user, { type: 'item_reference', id: message.id }, user] });
    expect(request.itemIds).toEqual([message.id]);
    const call = request.withItems({ conversation: [], byId: new Map([[message.id, message]]) });
    expect(call.ownItems).toEqual([user, message, user]);
    expect(() => request.withItems({ conversation: [], byId: new Map() })).toThrow(
      expect.objectContaining({ code: 'not_found', detail: 'input[1]: the item is not stored' }),
    );
  });

  test('a search of the web in a stored conversation is left out: its answer follows', () => {
    const search = { id: `ws_${id}_0`, type: 'web_search_call', status: 'completed', action: {} };
    const request = read({ input: [{ type: 'item_reference', id: search.id }, user] });
    const call = request.withItems({ conversation: [search, message], byId: new Map([[search.id, search]]) });
    expect(call.ownItems).toEqual([user]);
    expect(call.conversation().turns.map(({ role }) => role)).toEqual(['assistant', 'user']);
  });

  test('conversations are refused', () => {
    expect(() => read({ conversation: 'conv_1' })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  test('a call in the background sends its provider neither that nor to store the response', () => {
    const request = read({ background: true, store: true });
    expect([request.isBackground, request.isStored]).toEqual([true, true]);
    const change = { upstreamModel: 'm', maxTokens: undefined, maxTokensField: 'max_tokens' } as const;
    const sent = JSON.parse(request.withItems().passThroughBody(change).toString());
    expect([sent.background, sent.store]).toEqual([undefined, false]);
  });

  test.each([
    ['background', { store: false }],
    ['stream', { stream: true }],
  ])('a call in the background is refused for %s with %j', (field, fields) => {
    expect(() => read({ background: true, ...fields })).toThrow(
      expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(`^${field}: `) }),
    );
  });
});

test('an item may be referred to once', () => {
  const input = [user, ...Array(2).fill({ type: 'item_reference', id: 'msg_1' })];
  expect(() =>
    parseResponsesRequest(Buffer.from(JSON.stringify({ ...valid, input })), { canStore: true }),
  ).toThrow(expect.objectContaining({ detail: 'input: an item is referred to twice' }));
});

test.each([
  ['a message', { role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }, 'content'],
  [
    'an output',
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', file_id: 'file-1' }] },
    'output',
  ],
])('a file by its id in %s is refused for every provider', (_name, item, list) => {
  expect(() => parse({ ...valid, input: [item] })).toThrow(
    expect.objectContaining({ detail: `input[0].${list}[0].file_id: files by id are not supported` }),
  );
});
