import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AssistantPart } from '../../domain/conversation';
import { readSignature, tagSignature } from '../../domain/signature-tag';
import type { GeminiPart } from './gemini-content';
import { geminiModel } from './gemini-model';
import { ResponseReader } from './response-reader';
import { wholeReply } from './whole-reply';
import { writeModelParts } from './write-model-parts';

const GEMINI_3 = geminiModel('gemini-3.5-flash');
const GEMINI_2 = geminiModel('gemini-2.5-flash');

function replyParts(parts: readonly object[]): readonly AssistantPart[] {
  const response = { candidates: [{ content: { parts }, finishReason: 'STOP' }] };
  const reply = wholeReply(new ResponseReader(() => 'made').read(response));
  return reply.parts.filter((part) => part.kind !== 'web_search');
}

/** As OpenAI's format sends a turn back: thoughts, then one text, then calls; signatures are tagged there. */
function throughOpenAi(parts: readonly AssistantPart[]): AssistantPart[] {
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
  const thoughts = parts.flatMap((part) =>
    part.kind === 'thinking'
      ? [
          {
            ...part,
            ...(part.signature && { signature: readSignature(tagSignature(part.signature), 'openai') }),
          },
        ]
      : [],
  );
  return [
    ...thoughts,
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ...parts.filter(({ kind }) => kind === 'tool_call'),
  ];
}

/** What each signature stands on. */
function signed(parts: readonly GeminiPart[]): Record<string, string> {
  return Object.fromEntries(
    parts.flatMap(({ thoughtSignature, text, thought, functionCall }) =>
      thoughtSignature === undefined
        ? []
        : [
            [
              thoughtSignature,
              functionCall ? `call ${functionCall.id}` : `${thought ? 'thought ' : ''}${text}`,
            ],
          ],
    ),
  );
}

type ReplyPart = Pick<GeminiPart, 'text' | 'thought' | 'thoughtSignature' | 'functionCall'>;

const thoughtOf = (part: object) => ('thought' in part ? true : undefined);

const anyPart = fc.oneof(
  fc.record({ text: fc.constantFrom('a', 'b') }),
  fc.record({ text: fc.constantFrom('hm', 'so'), thought: fc.constant(true) }),
  fc.record({ text: fc.constantFrom('a', 'b'), sign: fc.constant(true) }),
  fc.record({ text: fc.constantFrom('hm', 'so'), thought: fc.constant(true), sign: fc.constant(true) }),
  fc.record({ call: fc.constant(true), sign: fc.boolean() }),
);
/**
 * A reply in which each signature is another. A signed part that follows an unsigned one of its kind is left
 * out: the two are one in a stream, where parts come in pieces.
 */
const anyReply = fc.array(anyPart, { maxLength: 8 }).map((parts) => {
  const reply: ReplyPart[] = [];
  for (const [index, part] of parts.entries()) {
    const thoughtSignature = 'sign' in part && part.sign ? { thoughtSignature: `c2ln${index}` } : {};
    const last = reply.at(-1);
    if ('call' in part) {
      reply.push({ functionCall: { id: `id_${index}`, name: 'f', args: {} }, ...thoughtSignature });
    } else if (last?.text === undefined || last.thoughtSignature || last.thought !== thoughtOf(part)) {
      reply.push({ text: part.text, ...('thought' in part && { thought: true }), ...thoughtSignature });
    }
  }
  return reply;
});

test('every signature is sent back on the part that it came with', () => {
  fc.assert(
    fc.property(anyReply, (parts) => {
      expect(signed(writeModelParts(replyParts(parts), GEMINI_2))).toEqual(signed(parts));
    }),
  );
});

describe('through a format that puts thinking first', () => {
  test('no signature is lost, and those of thinking and calls keep their place', () => {
    fc.assert(
      fc.property(anyReply, (parts) => {
        const back = signed(writeModelParts(throughOpenAi(replyParts(parts)), GEMINI_2));
        const sent = signed(parts);
        expect(Object.keys(back).sort()).toEqual(Object.keys(sent).sort());
        const onThings = (all: Record<string, string>) =>
          Object.entries(all).filter(([, place]) => /^(call|thought) /.test(place));
        expect(Object.fromEntries(onThings(back))).toEqual(Object.fromEntries(onThings(sent)));
      }),
    );
  });

  test('the signature of a text returns to its text', () => {
    const parts = replyParts([
      { text: 'hm', thought: true },
      { text: 'answer' },
      { text: '', thoughtSignature: 's' },
    ]);
    expect(writeModelParts(throughOpenAi(parts), GEMINI_3)).toEqual([
      { text: 'answer', thoughtSignature: 's' },
    ]);
  });
});

test('the last signature of a stream, which came after the text, belongs to the text', () => {
  const after: AssistantPart[] = [
    { kind: 'text', text: 'answer' },
    { kind: 'thinking', text: '', signature: { wire: 'gemini', value: 'text.s' } },
  ];
  expect(writeModelParts(after, GEMINI_3)).toEqual([{ text: 'answer', thoughtSignature: 's' }]);
});

test('arguments keep the digits of long integers', () => {
  const long = '{"id":12345678901234567890,"of":[{"n":-9007199254740993}]}';
  const call = { kind: 'tool_call' as const, id: 'a', name: 'f', arguments: long };
  expect(JSON.stringify(writeModelParts([call], GEMINI_2))).toContain(long);
});

describe("tool calls without a signature of Gemini's", () => {
  const call = (id: string) => ({ kind: 'tool_call' as const, id, name: 'f', arguments: '' });
  const foreign = { ...call('a'), signature: { wire: 'openai' as const, value: 'x' } };

  test('get the documented placeholder for Gemini 3, on the first of a turn', () => {
    expect(writeModelParts([foreign, call('b')], GEMINI_3).map((part) => part.thoughtSignature)).toEqual([
      'skip_thought_signature_validator',
      undefined,
    ]);
  });

  test('are sent unchanged to Gemini 2.5', () => {
    expect(signed(writeModelParts([foreign, call('b')], GEMINI_2))).toEqual({});
  });
});

test('thinking of other providers, and unsigned thinking, is omitted', () => {
  const parts: AssistantPart[] = [
    { kind: 'thinking', text: 'hm', signature: { wire: 'anthropic', value: 's' } },
    { kind: 'thinking', text: 'hm' },
    { kind: 'redacted_thinking', data: { wire: 'anthropic', value: 's' } },
    { kind: 'text', text: 'a' },
  ];
  expect(writeModelParts(parts, GEMINI_3)).toEqual([{ text: 'a' }]);
});
