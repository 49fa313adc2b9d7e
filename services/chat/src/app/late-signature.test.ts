import { describe, expect, test } from '@jest/globals';
import type { CallerRequest, ReplyFormat } from '../domain/caller-request';
import { PASSED_TO } from '../domain/passed-reply.fixture';
import type { StreamReader } from '../domain/reply';
import { NO_USAGE } from '../domain/usage';
import { readMessage } from '../formats/anthropic/testing/read-message';
import { GeminiStream } from '../providers/gemini/gemini-stream';
import { ChunkReader } from '../providers/openai/read-chunks';
import { CALLS, providerOf, receivedBy } from './upstream-request.fixture';

// biome-ignore lint/suspicious/noExplicitAny: each client knows the format of its replies.
type Json = any;

const identity = { requestId: 'r-1', model: 'a/b', createdAtMs: 0 };
const USER = { role: 'user', content: 'hi' };
const ENCRYPTED = { include: ['reasoning.encrypted_content'] };

const frame = (data: object) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
const dataOf = (frames: string): Json[] =>
  [...frames.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data!));
const chunk = (delta: object, finish_reason: string | null = null) =>
  frame({ id: 'c-1', choices: [{ index: 0, delta, finish_reason }] });
const piece = (index: number, fields: object) => chunk({ tool_calls: [{ index, ...fields }] });
const signed = (thought_signature: string) => ({ extra_content: { google: { thought_signature } } });
const called = (name: string, text: string) => ({ type: 'function', function: { name, arguments: text } });

/** Two calls of Google's compatible endpoint; the signature of each arrives after its beginning. */
const LATE: Readonly<Record<string, readonly Buffer[]>> = {
  'in a piece without arguments': [
    piece(0, { id: 'call_a', ...called('find', '{"q"') }),
    piece(0, { function: { arguments: ':1}' } }),
    piece(1, { id: 'call_b', ...called('find', '{}') }),
    piece(0, { function: { arguments: '' }, ...signed('U0lHLUE=') }),
    piece(1, signed('U0lHLUI=')),
  ],
  'with arguments': [
    piece(0, { id: 'call_a', ...called('find', '') }),
    piece(0, { function: { arguments: '{"q":1}' }, ...signed('U0lHLUE=') }),
    piece(1, { id: 'call_b', ...called('find', '{') }),
    piece(1, { function: { arguments: '}' }, ...signed('U0lHLUI=') }),
  ],
  'before the name': [
    piece(0, { id: 'call_a', ...signed('U0lHLUE=') }),
    piece(0, called('find', '{"q":1}')),
    piece(1, { id: 'call_b', ...called('find', '{}'), ...signed('U0lHLUI=') }),
  ],
};

/** The call that a client of each format sends, and the next one, with the reply that it has received. */
const CLIENTS: Readonly<
  Record<string, { readonly first: CallerRequest; readonly next: (frames: string) => CallerRequest }>
> = {
  chat: {
    first: CALLS.chat({ messages: [USER] }),
    next: (frames) => {
      const calls = callsOf(frames);
      const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'found' }));
      return CALLS.chat({
        messages: [USER, { role: 'assistant', content: '', tool_calls: calls }, ...results],
      });
    },
  },
  messages: {
    first: CALLS.messages({ messages: [USER] }),
    next: (frames) => {
      const { content } = readMessage(frames);
      const results = content
        .filter(({ type }) => type === 'tool_use')
        .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'found' }));
      return CALLS.messages({
        messages: [USER, { role: 'assistant', content }, { role: 'user', content: results }],
      });
    },
  },
  responses: {
    first: CALLS.responses({ input: [USER], ...ENCRYPTED }),
    next: (frames) => {
      const { output } = dataOf(frames).at(-1).response;
      const results = output
        .filter(({ type }: Json) => type === 'function_call')
        .map(({ call_id }: Json) => ({ type: 'function_call_output', call_id, output: 'found' }));
      return CALLS.responses({ input: [USER, ...output, ...results] });
    },
  },
  generateContent: {
    first: CALLS.generateContent({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }, true),
    next: (frames) => {
      const parts = dataOf(frames).flatMap(({ candidates }) => candidates[0].content.parts);
      const results = parts
        .filter(({ functionCall }: Json) => functionCall)
        .map(({ functionCall: { id, name } }: Json) => ({ functionResponse: { id, name, response: {} } }));
      return CALLS.generateContent({
        contents: [
          { role: 'user', parts: [{ text: 'hi' }] },
          { role: 'model', parts },
          { role: 'user', parts: results },
        ],
      });
    },
  },
};

/** Returns the calls as clients join their pieces: of an unknown field they keep the last. */
function callsOf(frames: string): Json[] {
  const calls: Json[] = [];
  for (const { choices } of dataOf(frames)) {
    for (const { index, ...given } of choices[0]?.delta.tool_calls ?? []) {
      const { function: more, ...others } = given;
      if (!calls[index]) calls[index] = { ...given, function: { ...more } };
      else Object.assign(calls[index], others).function.arguments += more.arguments;
    }
  }
  return calls;
}

function translated(replies: ReplyFormat, reader: StreamReader, events: readonly Buffer[]): string {
  const writer = replies.stream(identity, { includeUsage: true, estimatedInput: 1 });
  const frames = events.map((event) => writer.write(reader.read(event)));
  return frames.join('') + writer.end({ ...NO_USAGE, costNano: 0n });
}

const END = [chunk({}, 'tool_calls'), Buffer.from('data: [DONE]\n\n')];

describe.each(Object.entries(LATE))('signatures of calls that arrive %s', (_how, events) => {
  const SIGNED = [
    { ...called('find', '{"q":1}'), id: 'call_a', ...signed('U0lHLUE=') },
    { ...called('find', '{}'), id: 'call_b', ...signed('U0lHLUI=') },
  ];

  test.each(Object.entries(CLIENTS))('return with them from callers of %s', (_format, { first, next }) => {
    const frames = translated(first.replies, new ChunkReader(() => undefined), [...events, ...END]);
    const sent = providerOf('openai').writeRequest(next(frames).conversation(), 'up', 9_000, new Set());
    const calls = JSON.parse(sent.toString()).messages.flatMap(({ tool_calls }: Json) => tool_calls ?? []);
    expect(calls).toMatchObject(SIGNED);
  });

  test('reach callers to whom the reply passes through', () => {
    const stream = providerOf('openai').passStream!(
      { model: 'a/b', includeUsage: false, chargedNano: () => 0n },
      PASSED_TO,
    );
    const passed = [...events, ...END].map((event) => {
      const taken = stream.take(event);
      return taken.kind === 'pass' ? taken.bytes.toString() : '';
    });
    expect(callsOf(passed.join(''))).toEqual(SIGNED.map((call) => expect.objectContaining(call)));
  });
});

const part = (fields: object, signature: object = {}) =>
  frame({ candidates: [{ content: { parts: [{ functionCall: fields, ...signature }] } }] });

/** Returns the parts that Gemini receives of callers of each format after a reply of its own. */
const partsReceived = (events: readonly Buffer[]): Json[][] =>
  Object.values(CLIENTS).map(({ first, next }) => {
    const frames = translated(first.replies, new GeminiStream(() => 'x'), events);
    const { contents } = receivedBy(providerOf('gemini'), next(frames), ['reasoning'], 'gemini-3-pro');
    return contents.flatMap(({ parts }: Json) => parts);
  });

test("the signature of Gemini's call that arrives with a later part of its arguments returns with it", () => {
  const events = [
    part({ id: 'call_a', name: 'find', willContinue: true }),
    part({ partialArgs: [{ jsonPath: '$.q', numberValue: 1 }], willContinue: true }),
    part({}, { thoughtSignature: 'U0lHLUE=' }),
    frame({ candidates: [{ finishReason: 'STOP' }] }),
  ];
  for (const parts of partsReceived(events))
    expect(parts).toContainEqual({
      functionCall: { id: 'call_a', name: 'find', args: { q: 1 } },
      thoughtSignature: 'U0lHLUE=',
    });
});

test("a signature of Gemini's call that is repeated with a later part is not the next call's", () => {
  const events = [
    part({ id: 'call_a', name: 'find', willContinue: true }, { thoughtSignature: 'U0lHLUE=' }),
    part({}, { thoughtSignature: 'U0lHLUE=' }),
    part({ id: 'call_b', name: 'find', args: {} }),
    frame({ candidates: [{ finishReason: 'STOP' }] }),
  ];
  for (const parts of partsReceived(events))
    expect(parts.filter(({ functionCall }) => functionCall)).toEqual([
      { functionCall: { id: 'call_a', name: 'find', args: {} }, thoughtSignature: 'U0lHLUE=' },
      { functionCall: { id: 'call_b', name: 'find', args: {} } },
    ]);
});
