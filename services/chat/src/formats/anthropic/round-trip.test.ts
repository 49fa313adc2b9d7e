import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Reply, ReplyPart } from '../../domain/reply';
import { anyReply, eventsOf } from '../../domain/reply.fixture';
import { NO_USAGE } from '../../domain/usage';
import { anthropicReplies } from './anthropic-replies';
import { withoutEmptyThinking } from './empty-thinking';
import { parseMessagesRequest } from './messages-request';
import { readMessage } from './testing/read-message';

const identity = { requestId: 'r1', model: 'sim/chat', createdAtMs: 0 };
const usage = { ...NO_USAGE, input: 3, output: 4, costNano: 0n };

const written = (reply: Reply) => JSON.parse(anthropicReplies.write(reply, usage, identity).toString());

/** The parts as they come back: the format tells no empty text, and wants an object as input. */
function told(parts: Reply['parts']): ReplyPart[] {
  return withoutEmptyThinking(parts).map((part) => {
    if (part.kind !== 'tool_call') return part;
    return { ...part, arguments: part.arguments || '{}' };
  });
}

/** With neighbours joined that a stream can't tell from one part. */
function joined(parts: readonly ReplyPart[]): ReplyPart[] {
  const all: ReplyPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.kind === 'text' && last?.kind === 'text') {
      all[all.length - 1] = { ...last, text: last.text + part.text };
    } else if (part.kind === 'thinking' && last?.kind === 'thinking' && !last.signature) {
      all[all.length - 1] = { ...part, text: last.text + part.text };
    } else all.push(part);
  }
  return all;
}

test('a reply that is sent back in the next request keeps every signature on its block', () => {
  fc.assert(
    fc.property(anyReply, (reply) => {
      const { content } = written(reply);
      fc.pre(content.length > 0);
      const messages = [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content },
      ];
      const body = JSON.stringify({ model: 'sim/chat', max_tokens: 9, messages });
      const { turns } = parseMessagesRequest(Buffer.from(body), {}).conversation();
      expect(turns[1]).toEqual({ role: 'assistant', parts: told(reply.parts) });
    }),
  );
});

test('a stream, however it is split, assembles to the same message as the complete reply', () => {
  const cut = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  fc.assert(
    fc.property(
      anyReply,
      fc.infiniteStream(cut),
      fc.infiniteStream(fc.integer({ min: 1, max: 4 })),
      (any, cuts, sizes) => {
        const reply = { ...any, parts: joined(withoutEmptyThinking(joined(any.parts))) };
        const events = eventsOf(reply, () => cuts.next().value);
        const writer = anthropicReplies.stream(identity, { includeUsage: true, estimatedInput: 3 });
        let stream = '';
        while (events.length > 0) stream += writer.write(events.splice(0, sizes.next().value));
        expect(readMessage(stream + writer.end(usage))).toEqual(written(reply));
      },
    ),
  );
});

test('any body is either translated or rejected', () => {
  const noise = fc.anything({ maxDepth: 3 });
  /** Mostly what belongs there. */
  const or = (...right: unknown[]) =>
    fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: noise });
  const text = { type: 'text', text: 'x' };
  const url = { type: 'url', url: 'https://example.com/y' };
  const block = fc.record(
    {
      type: or(...['text', 'image', 'document', 'tool_use', 'tool_result', 'thinking', 'search_result']),
      text: or('x'),
      source: or(url, { type: 'text', data: 'x' }, { type: 'content', content: [text] }),
      id: or('a'),
      name: or('f'),
      input: or({}, { a: 1 }),
      tool_use_id: or('a'),
      content: or([text], [text, { type: 'image', source: url }]),
      thinking: or('hm'),
      signature: or('S', 'gw1.gemini.~call~S', 'gw1.', 'gw1.x'),
      cache_control: or({ type: 'ephemeral' }),
      citations: or(null, { enabled: true }),
      tool: or(null, { definition: { type: 'bash_20250124' } }),
      title: or('t'),
    },
    { requiredKeys: ['type', 'text', 'id', 'name', 'input', 'tool_use_id', 'thinking', 'content', 'title'] },
  );
  const content = fc.oneof(fc.array(block, { minLength: 1, maxLength: 3 }), or('hi'));
  const body = fc.record(
    {
      model: or('a/b'),
      max_tokens: or(9),
      messages: fc.array(fc.record({ role: or('user', 'assistant', 'system'), content }), {
        minLength: 1,
        maxLength: 3,
      }),
      system: or('x', [text]),
      tools: or([], [{ name: 'f', input_schema: {} }]),
      thinking: or({ type: 'adaptive' }),
      tool_choice: or({ type: 'any' }),
      context_management: or(null, { edits: [] }),
      output_config: or({ effort: 'low' }),
    },
    { requiredKeys: ['model', 'max_tokens', 'messages'] },
  );
  let understood = 0;
  fc.assert(
    fc.property(body, (value) => {
      const bytes = Buffer.from(JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? 0 : each)));
      const change = { upstreamModel: 'up', maxTokens: 1, maxTokensField: 'max_tokens' } as const;
      try {
        const request = parseMessagesRequest(bytes, {});
        expect(JSON.parse(request.passThroughBody(change).toString())).toMatchObject({ model: 'up' });
        request.conversation();
        understood++;
      } catch (error) {
        expect(error).toMatchObject({
          code: expect.stringMatching(/^(invalid_request|missing_parameter|invalid_model)$/),
        });
      }
    }),
    { numRuns: 500 },
  );
  expect(understood).toBeGreaterThan(20);
});
