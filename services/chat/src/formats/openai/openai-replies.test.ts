import { GatewayError } from '@gateway/errors';
import { SseSplitter } from '@gateway/upstream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AssistantPart, ThinkingPart } from '../../domain/conversation';
import type { Reply, ReplyEvent, ReplyPart } from '../../domain/reply';
import { anyReply, eventsOf } from '../../domain/reply.fixture';
import { fromOpenAiUsage } from '../../providers/openai/openai-usage';
import { QUIRKS } from '../../providers/openai/quirks';
import { ChunkReader } from '../../providers/openai/read-chunks';
import { readCompletion } from '../../providers/openai/read-completion';
import { parseChatRequest } from './chat-request';
import { legacyReplies, openAiReplies } from './openai-replies';

const identity = { requestId: 'r-1', model: 'anthropic/x', createdAtMs: 1_700_000_000_999 };
const usage = {
  input: 10,
  cache_read: 3,
  cache_write: 2,
  cache_write_1h: 1,
  output: 7,
  reasoning: 4,
  costNano: 1_500n,
};
const USAGE = {
  prompt_tokens: 16,
  completion_tokens: 7,
  total_tokens: 23,
  prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 4 },
  cost: 0.0000015,
};

const text = (words: string): AssistantPart => ({ kind: 'text', text: words });
const calling = (id: string, args = '{}'): AssistantPart => ({
  kind: 'tool_call',
  id,
  name: 'f',
  arguments: args,
});
const reply = (parts: AssistantPart[], stop: Reply['stop'] = 'end'): Reply => ({ parts, stop });

const whole = (of: Reply) => JSON.parse(openAiReplies.write(of, usage, identity).toString());
const messageOf = (of: Reply) => whole(of).choices[0].message;

function streamed(events: readonly ReplyEvent[], includeUsage = false): string {
  const writer = openAiReplies.stream(identity, { includeUsage, estimatedInput: 5 });
  return events.map((event) => writer.write([event])).join('') + writer.end(usage);
}

// biome-ignore lint/suspicious/noExplicitAny: chunks are read as a client reads them
type Chunk = any;

const framesOf = (stream: string) => new SseSplitter().push(Buffer.from(stream)).map(String);
const chunksOf = (stream: string): Chunk[] =>
  framesOf(stream)
    .slice(0, -1)
    .map((frame) => JSON.parse(frame.slice('data: '.length)));

/** What clients make of a field that they do not know, piece by piece. */
const CLIENTS: Record<string, (earlier: Chunk[] | undefined, piece: Chunk[]) => Chunk[]> = {
  'keeps the last piece, as openai-node’s stream helper does': (_earlier, piece) => piece,
  'keeps every piece': (earlier, piece) => [...(earlier ?? []), ...piece],
};

/** The message as clients put it together from the chunks. */
function collected(stream: string, collect = CLIENTS['keeps every piece']!): Chunk {
  const message: Chunk = { role: 'assistant', content: '', refusal: '', reasoning_content: '' };
  const calls: Chunk[] = [];
  for (const { choices } of chunksOf(stream)) {
    const delta = choices[0]?.delta ?? {};
    for (const field of ['content', 'refusal', 'reasoning_content']) message[field] += delta[field] ?? '';
    if (delta.reasoning_details) {
      message.reasoning_details = collect(message.reasoning_details, delta.reasoning_details);
    }
    for (const { index, ...piece } of delta.tool_calls ?? []) {
      if (calls[index]) calls[index].function.arguments += piece.function.arguments;
      else calls[index] = piece;
    }
  }
  return { ...message, ...(calls.length > 0 && { tool_calls: calls }) };
}

/** A reply's message as it comes back in the next request. */
function sentBack(message: object): readonly AssistantPart[] {
  const messages = [{ role: 'user', content: 'x' }, message, { role: 'user', content: 'y' }];
  const request = parseChatRequest(Buffer.from(JSON.stringify({ model: 'a/b', messages })));
  return request.conversation().turns.flatMap((turn) => (turn.role === 'assistant' ? turn.parts : []));
}

/** What of a reply this format can say: thoughts, then words, then calls. */
function sayable({ parts, stop }: Reply): AssistantPart[] {
  const words = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  const calls = parts.flatMap((part) =>
    part.kind === 'tool_call' ? [{ ...part, arguments: part.arguments || '{}' }] : [],
  );
  const hasNoText = words === '' && calls.length === 0;
  const thoughts = parts.filter((part) => part.kind === 'thinking' || part.kind === 'redacted_thinking');
  const isSigned = thoughts.some((part) => part.kind !== 'thinking' || part.signature);
  const thought = thoughts.map((part) => (part.kind === 'thinking' ? part.text : '')).join('');
  return [
    // Unsigned thoughts are one text.
    ...(isSigned || thought === '' ? thoughts : [{ kind: 'thinking', text: thought } as const]),
    ...(words === '' ? [] : [text(words)]),
    ...(hasNoText && stop === 'refusal' ? [text('The model declined to answer.')] : []),
    ...calls,
  ];
}

/** A turn in which nothing was said, called or thought is refused, so these are the replies that come back. */
const tellingReply = anyReply.filter((any) => sayable(any).length > 0);

/** Unsigned thoughts that follow each other are one to who hears them. */
function joinThoughts(parts: readonly AssistantPart[]): AssistantPart[] {
  const joined: AssistantPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.kind === 'thinking' && last?.kind === 'thinking' && !last.signature) {
      joined[joined.length - 1] = { ...part, text: last.text + part.text } satisfies ThinkingPart;
    } else joined.push(part);
  }
  return joined;
}

describe('a complete chat.completion', () => {
  test('has every member that clients read', () => {
    expect(whole(reply([text('Hel'), text('lo')]))).toEqual({
      id: 'chatcmpl-r-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'anthropic/x',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: USAGE,
    });
  });

  test('reports usage that reads back the same: cached tokens are not counted twice', () => {
    const long = { ...usage, cache_write: 3 };
    const { cache_write_1h: _long, costNano: _cost, ...merged } = long;
    expect(fromOpenAiUsage(whole(reply([])).usage, QUIRKS.common.usage)).toEqual(merged);
  });

  test('has null content beside tool calls, and never an empty list of tool calls', () => {
    expect(messageOf(reply([calling('a')], 'tool_calls'))).toMatchObject({ content: null });
    expect(messageOf(reply([]))).toEqual({ role: 'assistant', content: '', refusal: null });
  });

  test('has a default text for a refusal without one', () => {
    expect(whole(reply([], 'refusal')).choices[0]).toMatchObject({
      message: { content: null, refusal: expect.stringMatching(/./) },
      finish_reason: 'content_filter',
    });
    expect(messageOf(reply([text('I ca')], 'refusal'))).toMatchObject({ content: 'I ca', refusal: null });
  });

  test.each([
    ['end', 'stop'],
    ['stop_sequence', 'stop'],
    ['length', 'length'],
    ['context_full', 'length'],
    ['pause', 'length'],
    ['tool_calls', 'tool_calls'],
    ['refusal', 'content_filter'],
  ] as const)('%s is %s', (stop, finishReason) => {
    expect(whole(reply([text('x')], stop)).choices[0].finish_reason).toBe(finishReason);
  });

  test('sent back in the next request, yields the same reply with every signature', () => {
    fc.assert(
      fc.property(tellingReply, (any) => {
        expect(sentBack(messageOf(any))).toEqual(sayable(any));
      }),
    );
  });

  test("read as a provider's reply, yields the same reply", () => {
    fc.assert(
      fc.property(anyReply, (any) => {
        const bare = (parts: readonly ReplyPart[]) =>
          parts
            .filter(({ kind }) => kind !== 'redacted_thinking')
            .map(({ signature: _, ...part }: Chunk) => part);
        expect(bare(readCompletion(whole(any)).parts)).toEqual(bare(sayable(any)));
      }),
    );
  });
});

describe('a stream', () => {
  const hello: ReplyEvent[] = [
    { kind: 'text', text: 'Hel' },
    { kind: 'text', text: 'lo "you"' },
    { kind: 'stop', stop: 'end' },
  ];

  test('is written chunk by chunk', () => {
    const head =
      '{"id":"chatcmpl-r-1","object":"chat.completion.chunk","created":1700000000,"model":"anthropic/x"';
    const chunk = (delta: string, finish: string) =>
      `data: ${head},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]}\n\n`;
    expect(framesOf(streamed(hello))).toEqual([
      chunk('{"role":"assistant","content":"Hel"}', 'null'),
      chunk('{"content":"lo \\"you\\""}', 'null'),
      chunk('{}', '"stop"'),
      'data: [DONE]\n\n',
    ]);
  });

  test('reports usage only on request: null in every chunk, figures in one without choices', () => {
    expect(chunksOf(streamed(hello)).some((chunk) => 'usage' in chunk)).toBe(false);
    const chunks = chunksOf(streamed(hello, true));
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null && chunk.choices.length === 1)).toBe(
      true,
    );
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: USAGE });
  });

  test('sends a tool call whole that its provider sent whole, as clients of Mistral expect it', () => {
    const writer = openAiReplies.stream(identity, { includeUsage: false, estimatedInput: 5 });
    const calls = writer.write([
      { kind: 'tool_call', call: 0, id: 'a', name: 'f' },
      { kind: 'tool_arguments', call: 0, text: '{"x":1}' },
      { kind: 'tool_call', call: 1, id: 'b', name: 'g' },
      { kind: 'tool_arguments', call: 1, text: '' },
      { kind: 'stop', stop: 'tool_calls' },
    ]);
    const deltas = chunksOf(calls + writer.end(usage)).map(({ choices }) => choices[0].delta);
    expect(deltas).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      { tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      {},
    ]);
  });

  test('sends id and name of a tool call once, and its arguments by index', () => {
    const chunks = chunksOf(
      streamed([
        { kind: 'tool_call', call: 0, id: 'a', name: 'f' },
        { kind: 'tool_call', call: 1, id: 'b', name: 'g' },
        { kind: 'tool_arguments', call: 1, text: '{}' },
        { kind: 'tool_arguments', call: 0, text: '{"x":1}' },
        { kind: 'stop', stop: 'tool_calls' },
      ]),
    ).map(({ choices }) => choices[0].delta);
    expect(chunks).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
      },
      { tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"x":1}' } }] },
      {},
    ]);
  });

  test('sends an empty object for arguments that never arrived', () => {
    const call = { kind: 'tool_call', call: 0, id: 'a', name: 'f' } as const;
    for (const events of [[call], [call, { kind: 'stop', stop: 'tool_calls' } as const]]) {
      expect(collected(streamed(events)).tool_calls[0].function.arguments).toBe('{}');
    }
  });

  test('has a finish_reason even without content', () => {
    const [chunk] = chunksOf(streamed([]));
    expect(chunk.choices[0]).toMatchObject({
      delta: { role: 'assistant', content: '' },
      finish_reason: 'stop',
    });
  });

  test('has one finish_reason, which is not tool_calls if there were none', () => {
    const events: ReplyEvent[] = [...hello, { kind: 'stop', stop: 'length' }];
    const chunks = chunksOf(streamed(events));
    expect(chunks.filter(({ choices }) => choices[0].finish_reason !== null)).toHaveLength(1);
    expect(JSON.stringify(chunks)).not.toContain('tool_calls');
  });

  const cut = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

  test.each(Object.entries(CLIENTS))(
    'sent back by a client that %s, yields the same reply',
    (_name, collect) => {
      fc.assert(
        fc.property(tellingReply, fc.array(cut, { minLength: 1 }), (any, cuts) => {
          let at = 0;
          const stream = streamed(eventsOf(any, () => cuts[at++ % cuts.length]!));
          const back = sentBack(collected(stream, collect));
          expect(joinThoughts(back)).toEqual(joinThoughts(sayable(any)));
        }),
      );
    },
  );

  test("read as a provider's stream, yields the same reply wherever its bytes are split", () => {
    fc.assert(
      fc.property(anyReply, cut, (any, where) => {
        const bytes = Buffer.from(
          streamed(
            eventsOf(any, () => where),
            true,
          ),
        );
        const splitter = new SseSplitter();
        const at = Math.floor(where * bytes.length);
        const reader = new ChunkReader(({ usage }) => fromOpenAiUsage(usage, QUIRKS.common.usage));
        const events = [
          ...splitter.push(bytes.subarray(0, at)),
          ...splitter.push(bytes.subarray(at)),
        ].flatMap((event) => [...reader.read(event)]);
        expect(reader.ended).toBe(true);
        expect(reader.usage).toMatchObject({ input: 10, output: 7 });
        const heard = (kind: string) =>
          events.map((event) => (event.kind === kind && 'text' in event ? event.text : '')).join('');
        const said = sayable(any);
        const all = (kind: string) =>
          said.map((part) => (part.kind === kind && 'text' in part ? part.text : '')).join('');
        expect(heard('text')).toBe(all('text'));
        expect(heard('thinking')).toBe(all('thinking'));
        const calls = said.filter(({ kind }) => kind === 'tool_call');
        const args = calls.map(() => '');
        for (const event of events) if (event.kind === 'tool_arguments') args[event.call] += event.text;
        expect(args).toEqual(calls.map((part) => part.kind === 'tool_call' && part.arguments));
      }),
    );
  });
});

test('legacy clients read one function_call', () => {
  const two = reply([calling('a', ''), calling('b')], 'tool_calls');
  const [choice] = JSON.parse(legacyReplies.write(two, usage, identity).toString()).choices;
  expect(choice.message).toMatchObject({ content: null, function_call: { name: 'f', arguments: '{}' } });
  expect(choice.message).not.toHaveProperty('tool_calls');
  expect(choice.finish_reason).toBe('function_call');

  const writer = legacyReplies.stream(identity, { includeUsage: false, estimatedInput: 5 });
  const choices = chunksOf(writer.write(eventsOf(two, () => 0)) + writer.end(usage)).map(
    (chunk) => chunk.choices[0],
  );
  expect(choices.map(({ delta }) => delta)).toEqual([
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '' } },
    { function_call: { arguments: '{}' } },
    {},
  ]);
  expect(choices.at(-1).finish_reason).toBe('function_call');
});

test('reports an error in a chunk that the SDKs throw', () => {
  const frame = openAiReplies.errorFrame(new GatewayError('upstream_failed'), identity);
  expect(frame).toMatch(/^data: .*\n\n$/);
  expect(JSON.parse(frame.slice('data: '.length))).toEqual({
    error: { type: 'upstream_error', code: 'upstream_failed', message: 'Upstream request failed.' },
  });
});
