import { Quota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import { callWith } from '../app/recorded-call.fixture';
import { KINDS } from './connect-provider';
import { readAsAnthropic, readAsOpenAi } from './received-reply.fixture';

const ACCESS = { baseUrl: 'http://provider.invalid/v1', apiKey: 'k', options: {} };
const quota = new Quota({ limit: 1_000_000 });
const openAi = KINDS.openai({ ...ACCESS, id: 'compatible' }, quota);
const anthropic = KINDS.anthropic({ ...ACCESS, id: 'anthropic' }, quota);
const CLIENTS = [
  { wire: 'openai', read: readAsOpenAi },
  { wire: 'anthropic', read: readAsAnthropic },
] as const;

const frames = (...data: object[]) => data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
});
/** A stream with these pieces of tool calls, each in a chunk of its own. */
const chunks = (...pieces: object[]) =>
  Buffer.from(
    `${frames(
      chunk({ role: 'assistant', content: null }),
      ...pieces.map((piece) => chunk({ tool_calls: [piece] })),
      chunk({}, 'tool_calls'),
    )}data: [DONE]\n\n`,
  );
const completion = (...tool_calls: object[]) =>
  Buffer.from(
    JSON.stringify({
      id: 'c1',
      object: 'chat.completion',
      model: 'm',
      choices: [
        { index: 0, message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' },
      ],
    }),
  );

const called = (args: unknown, more: object = {}) => ({
  id: 'call_1',
  type: 'function',
  function: { name: 'find', arguments: args },
  ...more,
});

describe.each(CLIENTS)('a client of $wire receives from a provider of OpenAI’s format', ({ wire, read }) => {
  const receive = async (body: Buffer, isStream: boolean) => {
    const { body: received, error } = await callWith(openAi, { status: 200, isStream, body }, wire);
    return received === undefined ? error?.code : read(received, isStream);
  };

  test.each([null, '', 'null', ' null\n', '{}', {}, undefined])(
    'an empty object for the arguments %j',
    async (args) => {
      const calls = [{ id: 'call_1', name: 'find', input: {} }];
      expect(await receive(completion(called(args)), false)).toMatchObject({ calls });
      expect(await receive(chunks({ index: 0, ...called(args) }), true)).toMatchObject({ calls });
    },
  );

  test('arguments in pieces that begin like null as they are', async () => {
    const pieces = ['n', 'ull'].map((args) => ({ index: 0, function: { arguments: args } }));
    const stream = chunks({ index: 0, ...called('') }, ...pieces);
    expect(await receive(stream, true)).toMatchObject({ calls: [{ input: {} }] });
    const object = ['{"q":', 'null', '}'].map((args) => ({ index: 0, function: { arguments: args } }));
    expect(await receive(chunks({ index: 0, ...called('') }, ...object), true)).toMatchObject({
      calls: [{ input: { q: null } }],
    });
  });

  test('arguments that are an object with all their digits', async () => {
    const raw = (body: Buffer) => Buffer.from(body.toString().replaceAll('"DIGITS"', '12345678901234567890'));
    const { body: whole } = await callWith(
      openAi,
      { status: 200, isStream: false, body: raw(completion(called({ id: 'DIGITS' }))) },
      wire,
    );
    expect(whole).toContain('12345678901234567890');
    const stream = raw(chunks({ index: 0, ...called({ id: 'DIGITS' }) }));
    const { body: streamed } = await callWith(openAi, { status: 200, isStream: true, body: stream }, wire);
    expect(streamed).toContain('12345678901234567890');
  });

  test('an id and a type for a call without them', async () => {
    const bare = { function: { name: 'find', arguments: '{"q":1}' } };
    for (const id of [undefined, null, '']) {
      const calls = [{ id: expect.stringMatching(/^[\w-]{1,40}$/), name: 'find', input: { q: 1 } }];
      expect(await receive(completion({ id, ...bare }), false)).toMatchObject({ calls });
      expect(await receive(chunks({ id, ...bare }), true)).toMatchObject({ calls });
    }
  });

  test('no call for a piece that says nothing, and a failure for one without a name', async () => {
    const ghost = { id: '', type: 'function', function: { name: '', arguments: '' } };
    const calls = [{ id: 'call_1', name: 'find', input: { q: 1 } }];
    expect(await receive(completion(called('{"q":1}'), ghost), false)).toMatchObject({ calls });
    const stream = chunks({ index: 0, ...called('{"q":1}') }, { index: 1, ...ghost });
    expect(await receive(stream, true)).toMatchObject({ calls });
    const nameless = { id: 'call_1', type: 'function', function: { arguments: '{"q":1}' } };
    expect(await receive(completion(nameless), false)).toBe('upstream_failed');
    expect(await receive(chunks({ index: 0, ...nameless }), true)).toMatchObject({
      errorCode: 'upstream_failed',
    });
  });

  test('a name that arrives after the id and the arguments', async () => {
    const stream = chunks(
      { index: 0, id: 'call_1', type: 'function', function: { arguments: '{"q"' } },
      { index: 0, function: { name: 'find', arguments: ':1' } },
      { index: 0, function: { arguments: '}' } },
    );
    expect(await receive(stream, true)).toMatchObject({
      calls: [{ id: 'call_1', name: 'find', input: { q: 1 } }],
    });
  });
});

describe('a stream of OpenAI’s format that passes through', () => {
  const pass = async (body: Buffer) => {
    const { body: received } = await callWith(openAi, { status: 200, isStream: true, body }, 'openai');
    return received!;
  };

  test('is unchanged if its calls need no repair', async () => {
    const body = chunks(
      { index: 0, ...called('') },
      ...['{"q', '":1}'].map((args) => ({ index: 0, function: { arguments: args } })),
      { index: 1, ...called('{}', { id: 'call_2', extra_content: { google: { thought_signature: 's' } } }) },
    );
    expect(await pass(body)).toBe(body.toString().replaceAll('"model":"m"', '"model":"sim/chat"'));
  });

  test('keeps calls of custom tools as they are', async () => {
    const custom = { index: 0, id: 'call_1', type: 'custom', custom: { name: 'shell', input: '' } };
    const body = chunks(custom, { index: 0, custom: { input: 'ls' } });
    expect(await pass(body)).toBe(body.toString().replaceAll('"model":"m"', '"model":"sim/chat"'));
  });
});

describe.each(CLIENTS)('a client of $wire receives from a server like Anthropic’s', ({ wire, read }) => {
  const message = {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const receive = async (block: object, deltas: readonly string[] = []) => {
    const whole = JSON.stringify({
      ...message,
      content: [block],
      stop_reason: 'tool_use',
      stop_sequence: null,
    });
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: block },
      ...deltas.map((text) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: text },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ];
    const stream = events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join('');
    const replies = [];
    for (const [isStream, body] of [
      [false, whole],
      [true, stream],
    ] as const) {
      const reply = await callWith(anthropic, { status: 200, isStream, body: Buffer.from(body) }, wire);
      replies.push(read(reply.body!, isStream).calls);
    }
    return replies;
  };

  test.each([null, undefined, 'null', ''])('an object for the input %j', async (input) => {
    const calls = [{ id: 'toolu_1', name: 'find', input: {} }];
    expect(await receive({ type: 'tool_use', id: 'toolu_1', name: 'find', input })).toEqual([calls, calls]);
  });

  test('an object for an input that is streamed as null, and an id where there is none', async () => {
    const call = { id: expect.stringMatching(/^[\w-]{1,40}$/), name: 'find', input: {} };
    expect(await receive({ type: 'tool_use', name: 'find', input: {} }, ['null'])).toEqual([[call], [call]]);
  });
});
