import { Quota } from '@gateway/quota';
import { describe, expect, test } from '@jest/globals';
import { callThrough, callWith } from '../app/recorded-call.fixture';
import { CALLS, receivedBy } from '../app/upstream-request.fixture';
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
    // The provider has reported no usage, so the gateway adds its own.
    return received!.replace(/data: [^\n]*"choices":\[\],"usage":[^\n]*\n\n/, '');
  };

  test('is unchanged if its calls need no repair', async () => {
    const body = chunks(
      { index: 0, ...called('') },
      ...['{"q', '":1}'].map((args) => ({ index: 0, function: { arguments: args } })),
      { index: 1, ...called('{}', { id: 'call_2', extra_content: { google: { thought_signature: 's' } } }) },
    );
    expect(await pass(body)).toBe(body.toString().replaceAll('"model":"m"', '"model":"sim/chat"'));
  });

  const more = (index: number, args: string) => ({ index, function: { arguments: args } });
  const second = { index: 1, ...called('', { id: 'call_2' }) };
  const streamOf = (...data: object[]) => Buffer.from(`${frames(...data)}data: [DONE]\n\n`);

  test('has a call that begins in the same list as a further piece of another', async () => {
    const start = { index: 0, ...called('{"q":') };
    const body = streamOf(
      chunk({ tool_calls: [start] }),
      chunk({ tool_calls: [more(0, '"a\\"}}]"}'), second] }),
      chunk({ tool_calls: [more(1, '{"q":2')] }),
      chunk({ tool_calls: [more(1, '}')] }),
      chunk({}, 'tool_calls'),
    );
    expect(readAsOpenAi(await pass(body), true)).toMatchObject({
      finish: 'tool_calls',
      calls: [
        { id: 'call_1', input: { q: 'a"}}]' } },
        { id: 'call_2', input: { q: 2 } },
      ],
    });
  });

  test('has a call of a choice whose chunk also has one of another choice', async () => {
    const choice = (index: number, ...tool_calls: object[]) => ({
      index,
      delta: { tool_calls },
      finish_reason: null,
    });
    const bare = { index: 0, function: { name: 'find', arguments: '{}' } };
    for (const choices of [
      [choice(0, more(0, '1}')), choice(1, bare)],
      [choice(1, bare), choice(0, more(0, '1}'))],
    ]) {
      const body = streamOf(chunk({ tool_calls: [{ index: 0, ...called('{"q":') }] }), {
        ...chunk({}),
        choices,
      });
      const [, last] = (await pass(body)).split('\n\n');
      const received = JSON.parse(last!.slice('data: '.length)).choices;
      const begun = received.find(({ index }: { index: number }) => index === 1).delta.tool_calls[0];
      expect(begun).toMatchObject({ id: expect.any(String), type: 'function' });
    }
  });

  test.each(['before', 'after'])('has a finish reason that is %s the pieces of its choice', async (where) => {
    const delta = { tool_calls: [more(0, '1}')] };
    const end = where === 'before' ? { finish_reason: 'stop', delta } : { delta, finish_reason: 'stop' };
    const body = streamOf(chunk({ tool_calls: [{ index: 0, ...called('{"q":') }] }), {
      ...chunk({}),
      choices: [{ index: 0, ...end }],
    });
    const received = await pass(body);
    expect(received.match(/"finish_reason":"[^"]*"/g)).toEqual(['"finish_reason":"tool_calls"']);
    expect(readAsOpenAi(received, true)).toMatchObject({ calls: [{ input: { q: 1 } }] });
  });

  test('has the arguments once if the finish reason is repeated', async () => {
    const body = chunks({ index: 0, ...called('') });
    const again = Buffer.from(frames(chunk({}, 'tool_calls')));
    const end = body.indexOf('data: [DONE]');
    const received = await pass(Buffer.concat([body.subarray(0, end), again, body.subarray(end)]));
    expect(readAsOpenAi(received, true)).toMatchObject({ finish: 'tool_calls', calls: [{ input: {} }] });
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

/** Kimi's ids are part of what the model reads. */
const ODD_ID = 'functions.find:0';
const LONG_ID = `functions.${'find_'.repeat(9)}:0`;
const parameters = { type: 'object', properties: {} };
const USER = { role: 'user', content: 'Sea?' };

/** Calls of each format, the id that their client reads in the reply, and the conversation with which it goes on. */
const ROUNDS = {
  chat: {
    first: CALLS.chat({
      messages: [USER],
      tools: [{ type: 'function', function: { name: 'find', parameters } }],
    }),
    idOf: (reply: string) => JSON.parse(reply).choices[0].message.tool_calls[0].id,
    next: (id: string) =>
      CALLS.chat({
        messages: [
          USER,
          { role: 'assistant', content: null, tool_calls: [called('{}', { id })] },
          { role: 'tool', tool_call_id: id, content: 'blue' },
        ],
      }),
  },
  responses: {
    first: CALLS.responses({ input: 'Sea?', tools: [{ type: 'function', name: 'find', parameters }] }),
    idOf: (reply: string) => JSON.parse(reply).output[0].call_id,
    next: (id: string) =>
      CALLS.responses({
        input: [
          USER,
          { type: 'function_call', call_id: id, name: 'find', arguments: '{}' },
          { type: 'function_call_output', call_id: id, output: 'blue' },
        ],
      }),
  },
  messages: {
    first: CALLS.messages({ messages: [USER], tools: [{ name: 'find', input_schema: parameters }] }),
    idOf: (reply: string) => JSON.parse(reply).content[0].id,
    next: (id: string) =>
      CALLS.messages({
        messages: [
          USER,
          { role: 'assistant', content: [{ type: 'tool_use', id, name: 'find', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'blue' }] },
        ],
      }),
  },
  generateContent: {
    first: CALLS.generateContent({ contents: [{ role: 'user', parts: [{ text: 'Sea?' }] }] }),
    idOf: (reply: string) => JSON.parse(reply).candidates[0].content.parts[0].functionCall.id,
    next: (id: string) =>
      CALLS.generateContent({
        contents: [
          { role: 'user', parts: [{ text: 'Sea?' }] },
          { role: 'model', parts: [{ functionCall: { id, name: 'find', args: {} } }] },
          { role: 'user', parts: [{ functionResponse: { id, name: 'find', response: { output: 'blue' } } }] },
        ],
      }),
  },
} as const;

test.each(Object.keys(ROUNDS) as (keyof typeof ROUNDS)[])(
  'the id of a call goes back to its provider as it came, for callers of %s',
  async (format) => {
    const { first, idOf, next } = ROUNDS[format];
    for (const id of [ODD_ID, LONG_ID]) {
      const body = completion(called('{}', { id }));
      const upstream = { send: async () => ({ status: 200, headers: {}, body: pieces(body) }) };
      const { body: reply } = await callThrough(openAi, upstream, first);
      const { messages } = receivedBy(openAi, next(idOf(reply!)));
      expect(messages[1].tool_calls[0].id).toBe(id);
      expect(messages[2].tool_call_id).toBe(id);
    }
  },
);

test.each(Object.keys(ROUNDS) as (keyof typeof ROUNDS)[])(
  'another provider gets an id that it accepts, for callers of %s',
  (format) => {
    for (const id of [ODD_ID, LONG_ID]) {
      const { messages } = receivedBy(anthropic, ROUNDS[format].next(id));
      const { id: fitted } = messages[1].content[0];
      expect(fitted).toMatch(/^[a-zA-Z0-9_-]+$/);
      expect(messages[2].content[0].tool_use_id).toBe(fitted);
      const strict = receivedBy(
        KINDS['azure-openai']({ ...ACCESS, id: 'azure' }, quota),
        ROUNDS[format].next(id),
      );
      expect(strict.messages[1].tool_calls[0].id.length).toBeLessThanOrEqual(40);
      expect(strict.messages[2].tool_call_id).toBe(strict.messages[1].tool_calls[0].id);
    }
  },
);

async function* pieces(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}
