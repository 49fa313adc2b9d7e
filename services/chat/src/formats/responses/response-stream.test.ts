import { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import type { AssistantPart } from '../../domain/conversation';
import type { Reply, ReplyEvent } from '../../domain/reply';
import { parseResponsesRequest } from './responses-request';

const identity = { requestId: 'r', model: 'a/b', createdAtMs: 1_700_000_000_999 };
const USAGE = { input: 5, cache_read: 2, cache_write: 1, output: 7, reasoning: 3, costNano: 1_500n };
const OPTIONS = { includeUsage: true, estimatedInput: 1 };
const TOOLS = [
  { type: 'function', name: 'find', parameters: { type: 'object', properties: {} } },
  { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
  { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'spawn' }] },
];

const requestOf = (fields: object = {}) =>
  parseResponsesRequest(Buffer.from(JSON.stringify({ model: 'a/b', input: 'hi', tools: TOOLS, ...fields })), {
    canStore: 'store' in fields,
  }).withItems();
const ENCRYPTED = { include: ['reasoning.encrypted_content'] };

// biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its events.
function eventsOf(frames: string): any[] {
  return frames
    .trimEnd()
    .split('\n\n')
    .map((frame) => {
      const [event, data] = frame.split('\n') as [string, string];
      const json = JSON.parse(data.slice('data: '.length));
      expect(event).toBe(`event: ${json.type}`);
      return json;
    });
}

function streamOf(events: readonly ReplyEvent[], fields?: object) {
  const writer = requestOf(fields).replies.stream(identity, OPTIONS);
  return eventsOf(events.map((event) => writer.write([event])).join('') + writer.end(USAGE));
}

test('members of a large request are repeated in the event that completes the response, and in no other', () => {
  const metadata = { label: 'x'.repeat(300_000) };
  const [created, inProgress, ...rest] = streamOf([{ kind: 'text', text: 'x' }], { metadata });
  for (const { response } of [created, inProgress])
    expect(response).toMatchObject({ id: 'resp_r', metadata: {}, tools: [], instructions: null });
  expect(rest.at(-1).response.metadata).toEqual(metadata);
  const broken = requestOf({ metadata }).replies.errorFrame(new GatewayError('upstream_failed'), identity);
  expect(broken.length).toBeLessThan(10_000);
});

function wholeOf(parts: readonly AssistantPart[], fields?: object, stop: Reply['stop'] = 'end') {
  const { replies } = requestOf(fields);
  return JSON.parse(replies.write({ parts, stop }, USAGE, identity).toString());
}

const call = (name: string, args: string, id = 'call_1'): ReplyEvent[] => [
  { kind: 'tool_call', call: 0, id, name },
  { kind: 'tool_arguments', call: 0, text: args },
];

test('a text is written as the events of one message, numbered without gaps', () => {
  const events = streamOf([
    { kind: 'text', text: 'Hel' },
    { kind: 'text', text: 'lo' },
    { kind: 'stop', stop: 'end' },
  ]);
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
  const ids = new Set(events.flatMap(({ item_id, item }) => item_id ?? item?.id ?? []));
  expect([...ids]).toEqual(['msg_r_0']);
  const { response } = events.at(-1);
  expect(response).toMatchObject({
    id: 'resp_r',
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model: 'a/b',
    error: null,
    incomplete_details: null,
    output: [{ type: 'message', status: 'completed', content: [{ type: 'output_text', text: 'Hello' }] }],
    usage: {
      input_tokens: 8,
      input_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 3 },
      total_tokens: 15,
    },
  });
});

test('a response repeats its request, with defaults, without tools that are not offered', () => {
  const fields = {
    instructions: 'Be brief.',
    metadata: { a: 'b' },
    tools: [...TOOLS, { type: 'tool_search' }, { type: 'web_search', external_web_access: false }],
  };
  expect(wholeOf([{ kind: 'text', text: 'x' }], fields)).toMatchObject({
    instructions: 'Be brief.',
    metadata: { a: 'b' },
    access_programs: null,
    store: false,
    temperature: 1,
    tool_choice: 'auto',
    parallel_tool_calls: true,
    text: { format: { type: 'text' } },
    tools: [{ name: 'find', strict: null }, TOOLS[1], TOOLS[2]],
  });
});

test('a complete response has the items that its stream would have', () => {
  const parts: AssistantPart[] = [
    { kind: 'thinking', text: 'hm', signature: { wire: 'anthropic', value: 'S' } },
    { kind: 'redacted_thinking', data: { wire: 'anthropic', value: 'R' } },
    { kind: 'text', text: 'Looking.' },
    { kind: 'tool_call', id: 'call_1', name: 'find', arguments: '{"q":1}' },
  ];
  const events = streamOf(
    [
      { kind: 'thinking', text: 'h' },
      { kind: 'thinking', text: 'm' },
      { kind: 'thinking_signature', signature: { wire: 'anthropic', value: 'S' } },
      { kind: 'redacted_thinking', data: { wire: 'anthropic', value: 'R' } },
      { kind: 'text', text: 'Looking.' },
      ...call('find', '{"q":1}'),
      { kind: 'stop', stop: 'tool_calls' },
    ],
    ENCRYPTED,
  );
  const { output } = wholeOf(parts, ENCRYPTED, 'tool_calls');
  expect(events.at(-1).response.output).toEqual(output);
  expect(output.map(({ type }: { type: string }) => type)).toEqual([
    'reasoning',
    'reasoning',
    'message',
    'function_call',
  ]);
  const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
  expect(done).toEqual(output);
});

test('the pieces of arguments of a call without any are those of its end', () => {
  const events = streamOf([{ kind: 'tool_call', call: 0, id: 'call_1', name: 'find' }]);
  const of = (type: string) =>
    events.filter((event) => event.type === `response.function_call_arguments.${type}`);
  expect([of('delta').map(({ delta }) => delta), of('done')[0].arguments]).toEqual([['{}'], '{}']);
});

describe('tools', () => {
  test('in a namespace are called by their own name', () => {
    const [item] = streamOf(call('agents__spawn', '{}')).at(-1).response.output;
    expect(item).toMatchObject({
      type: 'function_call',
      name: 'spawn',
      namespace: 'agents',
      call_id: 'call_1',
    });
  });

  test('that take a text get it, not JSON', () => {
    const events = streamOf(call('patch', '{"input":"*** Begin"}'));
    expect(events.filter(({ type }) => type.includes('custom_tool_call_input'))).toMatchObject([
      { type: 'response.custom_tool_call_input.delta', delta: '*** Begin' },
      { type: 'response.custom_tool_call_input.done', input: '*** Begin' },
    ]);
    const [item] = events.at(-1).response.output;
    expect(item).toMatchObject({ type: 'custom_tool_call', name: 'patch', input: '*** Begin' });
  });

  test('that take a text get what the model wrote if that is no such JSON', () => {
    const [item] = streamOf(call('patch', '*** Begin')).at(-1).response.output;
    expect(item).toMatchObject({ input: '*** Begin' });
  });

  test('that take a text are described with their grammar', () => {
    const tools = requestOf().conversation().tools;
    expect(tools.map(({ name }) => name)).toEqual(['find', 'patch', 'agents__spawn']);
    expect(tools[1]).toMatchObject({
      description: expect.stringContaining('start: "x"'),
      parameters: { required: ['input'] },
    });
  });

  test('without arguments get an empty object', () => {
    const [item] = streamOf([{ kind: 'tool_call', call: 0, id: 'call_1', name: 'find' }]).at(-1).response
      .output;
    expect(item.arguments).toBe('{}');
  });

  test('whose pieces alternate each have their own arguments, by the id of the item', () => {
    const events = streamOf([
      { kind: 'tool_call', call: 0, id: 'call_a', name: 'find' },
      { kind: 'tool_call', call: 1, id: 'call_b', name: 'find' },
      { kind: 'tool_arguments', call: 0, text: '{"a"' },
      { kind: 'tool_arguments', call: 1, text: '{"b":' },
      { kind: 'tool_arguments', call: 0, text: ':1}' },
      { kind: 'tool_arguments', call: 1, text: '2}' },
    ]);
    const collected: Record<string, string> = {};
    for (const { type, item_id, delta } of events)
      if (type === 'response.function_call_arguments.delta')
        collected[item_id] = (collected[item_id] ?? '') + delta;
    expect(collected).toEqual({ fc_r_0: '{"a":1}', fc_r_1: '{"b":2}' });
  });

  test('with long names in a namespace keep a name of 64 characters that is their own', () => {
    const inner = ['a', 'b'].map((end) => ({ type: 'function', name: `${'x'.repeat(50)}${end}` }));
    const tools = [{ type: 'namespace', name: 'n'.repeat(20), tools: inner }];
    const request = requestOf({ tools });
    const names = request.conversation().tools.map(({ name }) => name);
    expect(names.map((name) => name.length)).toEqual([64, 64]);
    expect(new Set(names).size).toBe(2);
  });
});

describe('reasoning', () => {
  const thought: ReplyEvent[] = [
    { kind: 'thinking', text: 'hm' },
    { kind: 'thinking_signature', signature: { wire: 'anthropic', value: 'S' } },
    { kind: 'text', text: 'So.' },
  ];

  test('has its encrypted content only if the caller asks for it', () => {
    const reasoning = (fields?: object) => streamOf(thought, fields).at(-1).response.output[0];
    expect(reasoning()).toEqual({
      id: 'rs_r_0',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'hm' }],
    });
    expect(reasoning(ENCRYPTED).encrypted_content).toBe('gw1.anthropic.S');
  });

  test('returns to its provider unchanged: thinking, what it hides, and the proof of a call', () => {
    const parts: AssistantPart[] = [
      { kind: 'thinking', text: 'first\n\nthen', signature: { wire: 'anthropic', value: 'S' } },
      { kind: 'redacted_thinking', data: { wire: 'anthropic', value: 'R' } },
      {
        kind: 'tool_call',
        id: 'call_1',
        name: 'find',
        arguments: '{}',
        signature: { wire: 'gemini', value: 'G' },
      },
    ];
    const { output } = wholeOf(parts, ENCRYPTED, 'tool_calls');
    const result = { type: 'function_call_output', call_id: 'call_1', output: 'found' };
    const next = requestOf({ input: [{ role: 'user', content: 'hi' }, ...output, result] }).conversation();
    const said = next.turns
      .filter(({ role }) => role === 'assistant')
      .flatMap((turn): readonly object[] => turn.parts);
    expect(said).toMatchObject(parts);
  });

  test('that proves several calls returns to each of them, also from clients that keep items in the order in which they end', () => {
    const signed = (call: number): ReplyEvent => ({
      kind: 'tool_call',
      call,
      id: `call_${call}`,
      name: 'find',
      signature: { wire: 'gemini', value: `G${call}` },
    });
    const events = streamOf([signed(0), signed(1), { kind: 'text', text: 'x' }], ENCRYPTED);
    const ended = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
    for (const items of [ended, events.at(-1).response.output]) {
      const { turns } = requestOf({ input: [{ role: 'user', content: 'hi' }, ...items] }).conversation();
      const calls = turns.flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'tool_call'));
      expect(calls).toMatchObject([
        { id: 'call_0', signature: { value: 'G0' } },
        { id: 'call_1', signature: { value: 'G1' } },
      ]);
    }
  });

  test('of OpenAI itself is not taken for that of another provider', () => {
    const foreign = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] };
    const input = [
      { role: 'user', content: 'hi' },
      { ...foreign, encrypted_content: 'gAAAA' },
      { role: 'user', content: 'x' },
    ];
    const said = requestOf({ input }).conversation().turns[1]!.parts;
    expect(said).toMatchObject([{ kind: 'thinking', signature: { wire: 'openai', value: 'gAAAA' } }]);
  });
});

describe('a response that is cut', () => {
  test.each([
    ['length', 'max_output_tokens'],
    ['context_full', 'max_output_tokens'],
    ['refusal', 'content_filter'],
  ] as const)('by %s is incomplete because of %s', (stop, reason) => {
    const last = streamOf([
      { kind: 'text', text: 'x' },
      { kind: 'stop', stop },
    ]).at(-1);
    expect(last.type).toBe('response.incomplete');
    expect(last.response).toMatchObject({ status: 'incomplete', incomplete_details: { reason } });
  });

  test('by a refusal without a word says so', () => {
    const { response } = streamOf([{ kind: 'stop', stop: 'refusal' }]).at(-1);
    expect(response.output).toMatchObject([{ type: 'message', content: [{ type: 'refusal' }] }]);
  });

  test('by an error ends with a failed response that has the complete items', () => {
    const writer = requestOf().replies.stream(identity, OPTIONS);
    const frames = writer.write([
      { kind: 'thinking', text: 'hm' },
      { kind: 'text', text: 'Hel' },
    ]);
    const events = eventsOf(frames + writer.fail!(new GatewayError('upstream_failed')));
    const last = events.at(-1);
    expect(last).toMatchObject({
      type: 'response.failed',
      sequence_number: events.length - 1,
      response: { status: 'failed', error: { code: 'upstream_failed', message: 'Upstream request failed.' } },
    });
    expect(last.response.output.map(({ type }: { type: string }) => type)).toEqual(['reasoning']);
  });

  test('before its first event begins and fails', () => {
    const frames = requestOf().replies.errorFrame(new GatewayError('upstream_failed'), identity);
    expect(eventsOf(frames).map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.failed',
    ]);
  });
});

describe('a response that is stored', () => {
  const STORED = { store: true };
  const SIGNED: ReplyEvent[] = [
    { kind: 'thinking', text: 'hm' },
    { kind: 'thinking_signature', signature: { wire: 'anthropic', value: 'S' } },
    { kind: 'tool_call', call: 0, id: 'call_1', name: 'find', signature: { wire: 'gemini', value: 'G' } },
    { kind: 'tool_arguments', call: 0, text: '{}' },
  ];

  test('has encrypted content only as it is stored, in items with the same ids', () => {
    const { replies } = requestOf(STORED);
    const writer = replies.stream(identity, OPTIONS);
    const events = eventsOf(writer.write(SIGNED) + writer.end(USAGE));
    const shown = events.at(-1).response;
    expect(shown).toMatchObject({
      store: true,
      output: [{ type: 'reasoning' }, {}, { type: 'function_call' }],
    });
    expect(JSON.stringify(events)).not.toContain('encrypted_content');
    const stored = replies.last?.stored;
    const { output, ...rest } = JSON.parse(`${stored?.json}`);
    expect(stored?.id).toBe('resp_r');
    expect({ ...rest, output: shown.output }).toEqual(shown);
    expect(output.map(({ encrypted_content, ...item }: { encrypted_content: string }) => item)).toEqual(
      shown.output,
    );
    expect(output.map((item: object) => 'encrypted_content' in item)).toEqual([true, true, false]);
  });

  test.each(['streamed', 'whole'])('says that it is not if it could not be, %s', (how) => {
    const { replies } = requestOf(STORED);
    const written = () => {
      if (how === 'whole')
        return replies.write({ parts: [{ kind: 'text', text: 'é' }], stop: 'end' }, USAGE, identity);
      const writer = replies.stream(identity, OPTIONS);
      return Buffer.from(writer.write([{ kind: 'text', text: 'é' }]) + writer.end(USAGE));
    };
    const end = written().toString();
    const unstored = replies.last!.unstored(Buffer.from(end)).toString();
    expect(unstored.replace(/"store":false(?!.*"store")/s, '"store":true')).toBe(end);
    expect(unstored).not.toBe(end);
  });

  test('is not stored if it fails', () => {
    const writer = requestOf(STORED).replies.stream(identity, OPTIONS);
    const events = eventsOf(
      writer.write([{ kind: 'text', text: 'x' }]) + writer.fail!(new GatewayError('upstream_failed')),
    );
    expect(events.at(-1).response).toMatchObject({ status: 'failed', store: false });
  });
});
