import fc from 'fast-check';
import type { AssistantPart, Signature } from './conversation';
import type { Reply, ReplyEvent, StopReason } from './reply';

const STOPS: readonly StopReason[] = [
  'end',
  'length',
  'stop_sequence',
  'tool_calls',
  'refusal',
  'context_full',
  'pause',
];

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const signature: fc.Arbitrary<Signature> = fc.record({
  wire: fc.constantFrom('openai', 'anthropic', 'gemini', 'bedrock'),
  value: fc.base64String({ minLength: 4, maxLength: 16 }),
});

const part: fc.Arbitrary<AssistantPart> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: words }),
  fc.record(
    { kind: fc.constant('thinking' as const), text: words, signature },
    { requiredKeys: ['kind', 'text'] },
  ),
  fc.record({ kind: fc.constant('thinking' as const), text: fc.constant(''), signature }),
  fc.record({ kind: fc.constant('redacted_thinking' as const), data: signature }),
  fc.record(
    {
      kind: fc.constant('tool_call' as const),
      id: fc.string({ minLength: 1, maxLength: 60 }),
      name: fc.stringMatching(/^[a-z_]{1,10}$/),
      arguments: fc.oneof(
        fc.constant(''),
        fc
          .dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
          .map((value) => JSON.stringify(value)),
      ),
      signature,
    },
    { requiredKeys: ['kind', 'id', 'name', 'arguments'] },
  ),
);

/** Any reply; the ids of its tool calls are unique. */
export const anyReply: fc.Arbitrary<Reply> = fc.record({
  parts: fc.uniqueArray(part, {
    maxLength: 8,
    selector: (one) => (one.kind === 'tool_call' ? one.id : one),
  }),
  stop: fc.constantFrom(...STOPS),
});

/** The reply as the events of a stream, its texts cut into pieces at `cuts`. */
export function eventsOf(reply: Reply, cuts: () => number): ReplyEvent[] {
  const events: ReplyEvent[] = [];
  let calls = 0;
  const inPieces = (text: string): string[] => {
    const at = Math.floor(cuts() * (text.length + 1));
    return [text.slice(0, at), text.slice(at)].filter((piece) => piece !== '');
  };
  for (const one of reply.parts) {
    if (one.kind === 'redacted_thinking' || one.kind === 'web_search') events.push(one);
    else if (one.kind === 'tool_call') {
      const { id, name } = one;
      const call = calls++;
      events.push({ kind: 'tool_call', call, id, name, ...(one.signature && { signature: one.signature }) });
      for (const text of inPieces(one.arguments)) events.push({ kind: 'tool_arguments', call, text });
    } else {
      for (const text of inPieces(one.text)) events.push({ kind: one.kind, text });
      if (one.kind === 'thinking' && one.signature) {
        events.push({ kind: 'thinking_signature', signature: one.signature });
      }
    }
  }
  return [...events, { kind: 'stop', stop: reply.stop }];
}
