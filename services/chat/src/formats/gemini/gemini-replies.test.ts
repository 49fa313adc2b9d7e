import { GatewayError } from '@gateway/errors';
import { describe, expect, test } from '@jest/globals';
import type { AssistantPart } from '../../domain/conversation';
import type { Reply, ReplyEvent } from '../../domain/reply';
import { parseGenerateContent } from './gemini-request';

const identity = { requestId: 'r', model: 'a/b', createdAtMs: 0 };
const USAGE = { input: 5, cache_read: 2, cache_write: 1, output: 7, reasoning: 3, costNano: 1_500n };
const OPTIONS = { includeUsage: true, estimatedInput: 1 };
const SHOWN = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

const requestOf = (fields: object = {}) =>
  parseGenerateContent(
    Buffer.from(JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }], ...fields })),
    { model: 'a/b', stream: true },
  );

// biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its chunks.
function chunksOf(events: readonly ReplyEvent[], fields?: object): any[] {
  const writer = requestOf(fields).replies.stream(identity, OPTIONS);
  const frames = events.map((event) => writer.write([event])).join('') + writer.end(USAGE);
  return frames
    .trimEnd()
    .split('\n\n')
    .map((frame) => JSON.parse(frame.slice('data: '.length)));
}

const wholeOf = (parts: readonly AssistantPart[], fields?: object, stop: Reply['stop'] = 'end') =>
  JSON.parse(requestOf(fields).replies.write({ parts, stop }, USAGE, identity).toString());

test('a text is written in pieces, and the last chunk has the finish reason and the usage', () => {
  const chunks = chunksOf([
    { kind: 'text', text: 'Hel' },
    { kind: 'text', text: 'lo' },
    { kind: 'stop', stop: 'length' },
  ]);
  expect(chunks).toEqual([
    ...['Hel', 'lo'].map((text) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }],
      modelVersion: 'a/b',
      responseId: 'r',
    })),
    {
      candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'MAX_TOKENS', index: 0 }],
      modelVersion: 'a/b',
      responseId: 'r',
      usageMetadata: {
        promptTokenCount: 8,
        candidatesTokenCount: 4,
        totalTokenCount: 15,
        cachedContentTokenCount: 2,
        thoughtsTokenCount: 3,
      },
    },
  ]);
});

test('a call is written when its arguments are complete, also if they are not JSON', () => {
  const parts = (args: string) =>
    chunksOf([
      { kind: 'tool_call', call: 0, id: 'call_1', name: 'find' },
      { kind: 'tool_arguments', call: 0, text: args.slice(0, 3) },
      { kind: 'tool_arguments', call: 0, text: args.slice(3) },
    ]).at(-1).candidates[0].content.parts;
  expect(parts('{"q":1}')).toEqual([{ functionCall: { id: 'call_1', name: 'find', args: { q: 1 } } }]);
  expect(parts('{"q":')).toEqual([
    { functionCall: { id: 'call_1', name: 'find', args: { INVALID_JSON: '{"q":' } } },
  ]);
  expect(parts('')).toEqual([{ functionCall: { id: 'call_1', name: 'find', args: {} } }]);
});

test('long integers in arguments keep their digits', () => {
  const reply = requestOf().replies.stream(identity, OPTIONS);
  reply.write([
    { kind: 'tool_call', call: 0, id: 'call_1', name: 'find' },
    { kind: 'tool_arguments', call: 0, text: '{"id":12345678901234567890}' },
  ]);
  expect(reply.end(USAGE)).toContain('"args":{"id":12345678901234567890}');
});

test('thoughts are shown only to a caller that asks for them', () => {
  const parts: AssistantPart[] = [
    { kind: 'thinking', text: 'hm' },
    { kind: 'text', text: 'So.' },
  ];
  expect(wholeOf(parts, SHOWN).candidates[0].content.parts).toEqual([
    { text: 'hm', thought: true },
    { text: 'So.' },
  ]);
  expect(wholeOf(parts).candidates[0].content.parts).toEqual([{ text: 'So.' }]);
});

describe('thoughts of another provider return to it', () => {
  const parts: AssistantPart[] = [
    { kind: 'thinking', text: 'hm', signature: { wire: 'anthropic', value: 'S' } },
    { kind: 'redacted_thinking', data: { wire: 'anthropic', value: 'R' } },
    { kind: 'text', text: 'Looking.' },
    { kind: 'thinking', text: 'more', signature: { wire: 'anthropic', value: 'T' } },
    { kind: 'tool_call', id: 'call_1', name: 'find', arguments: '{"q":1}' },
  ];
  const sentBack = (fields: object, urlSafe: boolean) => {
    const { content } = wholeOf(parts, fields, 'tool_calls').candidates[0];
    const written = content.parts.map((part: { thoughtSignature?: string }) =>
      part.thoughtSignature && urlSafe
        ? { ...part, thoughtSignature: part.thoughtSignature.replaceAll('+', '-').replaceAll('/', '_') }
        : part,
    );
    const result = { functionResponse: { id: 'call_1', name: 'find', response: { output: 'found' } } };
    const contents = [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: written },
      { role: 'user', parts: [result] },
    ];
    return requestOf({ contents }).conversation().turns[1]!.parts;
  };

  test.each([
    ['shown', SHOWN, false],
    ['hidden', {}, false],
    ['shown, from a client that writes base64url', SHOWN, true],
  ])('unchanged, %s', (_, fields, urlSafe) => {
    expect(sentBack(fields, urlSafe)).toMatchObject(parts);
  });

  test('in base64, which clients decode', () => {
    for (const { thoughtSignature } of wholeOf(parts).candidates[0].content.parts)
      if (thoughtSignature) expect(thoughtSignature).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
  });
});

test("Gemini's own signatures are read on their text and their call, whichever base64 the client writes", () => {
  const contents = [
    { role: 'user', parts: [{ text: 'hi' }] },
    {
      role: 'model',
      parts: [
        { text: 'Looking.', thoughtSignature: '__77' },
        { functionCall: { name: 'f', args: {} }, thoughtSignature: '//77' },
      ],
    },
  ];
  expect(requestOf({ contents }).conversation().turns[1]!.parts).toMatchObject([
    { kind: 'thinking', text: '', signature: { wire: 'gemini', value: 'text.//77' } },
    { kind: 'text', text: 'Looking.' },
    { kind: 'tool_call', signature: { wire: 'gemini', value: '//77' } },
  ]);
});

test('a stream that breaks ends with an error that has a status as its code, which clients require', () => {
  const frame = requestOf().replies.errorFrame(new GatewayError('upstream_failed'), identity);
  expect(frame).toBe(
    'data: {"error":{"code":502,"status":"upstream_failed","message":"Upstream request failed."}}\n\n',
  );
});

test('unsigned thinking of another provider travels in the signature of the call that follows it', () => {
  const [thoughts, call] = [
    { kind: 'thinking', text: 'Hm.' },
    { kind: 'tool_call', call: 0, id: 'c', name: 'f' },
  ] as const;
  const [whole] = chunksOf([thoughts, call, { kind: 'stop', stop: 'tool_calls' }]);
  const { content } = whole.candidates[0];
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }, content];
  expect(requestOf({ contents }).conversation().turns[1]).toEqual({
    role: 'assistant',
    parts: [
      { kind: 'thinking', text: 'Hm.', signature: undefined },
      expect.objectContaining({ kind: 'tool_call', name: 'f' }),
    ],
  });
});
