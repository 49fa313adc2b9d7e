import fc from 'fast-check';
import type { AssistantPart, Conversation, Signature, TextPart, Turn, UserPart } from './conversation';

const words = fc.string({ unit: 'grapheme', maxLength: 12 });
/** Few ids, so that results match calls; some of the ids are invalid for every provider. */
const callId = fc.constantFrom('a', 'call_b', 'toolu_01', 'weird id/ü', 'x'.repeat(80));
const text: fc.Arbitrary<TextPart> = words.map((said) => ({ kind: 'text', text: said }));
const image: fc.Arbitrary<UserPart> = fc.constant({
  kind: 'image',
  source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' },
} as const);
const document: fc.Arbitrary<UserPart> = fc.constantFrom(
  { kind: 'document', source: { kind: 'text', text: 'x' }, title: 't' } as const,
  { kind: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: 'AAAA' } } as const,
);
const signature: fc.Arbitrary<Signature> = fc.record({
  wire: fc.constantFrom('openai', 'anthropic', 'gemini', 'bedrock'),
  value: fc.constant('S'),
});

const userPart = fc.oneof(
  text,
  image,
  document,
  fc.record({
    kind: fc.constant('tool_result' as const),
    callId,
    parts: fc.array(fc.oneof(text, image), { maxLength: 2 }),
    isError: fc.boolean(),
  }),
) as fc.Arbitrary<UserPart>;

const assistantPart: fc.Arbitrary<AssistantPart> = fc.oneof(
  text,
  fc.record(
    { kind: fc.constant('thinking' as const), text: words, signature },
    { requiredKeys: ['kind', 'text'] },
  ),
  fc.record({ kind: fc.constant('redacted_thinking' as const), data: signature }),
  fc.record(
    {
      kind: fc.constant('tool_call' as const),
      id: callId,
      name: fc.constantFrom('f', 'g'),
      arguments: fc.constantFrom('', '{}', '{"x":1}'),
      signature,
    },
    { requiredKeys: ['kind', 'id', 'name', 'arguments'] },
  ),
);

/** A turn uses each call id at most once. */
const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), parts: fc.array(userPart, { maxLength: 4 }) }),
  fc.record({
    role: fc.constant('assistant' as const),
    parts: fc.uniqueArray(assistantPart, {
      maxLength: 4,
      selector: (part) => (part.kind === 'tool_call' ? part.id : part),
    }),
  }),
  fc.record({ role: fc.constant('system' as const), parts: fc.array(text, { maxLength: 2 }) }),
);

/** Any conversation, including ones that no provider would have produced. */
export const anyConversation: fc.Arbitrary<Conversation> = fc
  .record({ system: fc.array(text, { maxLength: 2 }), turns: fc.array(turn, { maxLength: 8 }) })
  .map(({ system, turns }) => ({
    system,
    turns,
    tools: ['f', 'g'].map((name) => ({ name, parameters: { type: 'object', properties: {} } })),
    toolChoice: { kind: 'auto' },
    output: { kind: 'text' },
    sampling: { stop: [] },
    stream: false,
  }));
