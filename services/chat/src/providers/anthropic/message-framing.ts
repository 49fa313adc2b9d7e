import { type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { ReplyFraming } from '../../domain/reply-framing';
import { objectJson, parseExactObject } from '../../json/exact-json';
import { namedFrame } from '../../sse/named-frame';

export const messageFraming: ReplyFraming = {
  toStream(message) {
    const { content, stop_reason, stop_sequence = null, usage } = message;
    const start = { ...message, content: [], stop_reason: null, stop_sequence: null };
    const frames = [
      frameOf({ type: 'message_start', message: start }),
      ...listOf(content).flatMap((block, index) => blockFrames(membersOf(block), index)),
      frameOf({ type: 'message_delta', delta: { stop_reason, stop_sequence }, usage }),
      frameOf({ type: 'message_stop' }),
    ];
    return Buffer.from(frames.join(''));
  },
  toWhole(events) {
    const blocks: Record<string, unknown>[] = [];
    const inputs: string[] = [];
    let message: Record<string, unknown> = {};
    for (const { type, index, message: started, content_block: block, delta, usage } of events) {
      const at = index as number;
      if (type === 'message_start') message = { ...membersOf(started) };
      else if (type === 'content_block_start') blocks[at] = { ...membersOf(block) };
      else if (type === 'content_block_delta') addDelta(blocks, inputs, at, membersOf(delta));
      else if (type === 'message_delta')
        message = { ...message, ...membersOf(delta), usage: joinedUsage(message.usage, usage) };
    }
    if (textOf(message.stop_reason) === '') return undefined;
    for (const [at, json] of inputs.entries()) if (json) blocks[at] = withInput(blocks[at]!, json);
    return { ...message, content: [...listOf(message.content), ...blocks.filter(Boolean)] };
  },
};

const frameOf = (data: { readonly type: string; readonly [member: string]: unknown }): string =>
  namedFrame(data.type, JSON.stringify(data));

function blockFrames(block: JsonObject, index: number): string[] {
  const [empty, deltas] = split(block);
  return [
    frameOf({ type: 'content_block_start', index, content_block: empty }),
    ...deltas.map((delta) => frameOf({ type: 'content_block_delta', index, delta })),
    frameOf({ type: 'content_block_stop', index }),
  ];
}

/** Returns a block as it starts, and what follows. */
function split(block: JsonObject): [JsonObject, JsonObject[]] {
  switch (block.type) {
    case 'text': {
      const { citations, ...others } = block;
      const cited = listOf(citations).map((citation) => ({ type: 'citations_delta', citation }));
      return [{ ...others, text: '' }, [{ type: 'text_delta', text: block.text }, ...cited]];
    }
    case 'thinking': {
      const { thinking, signature } = block;
      const signed = textOf(signature) === '' ? [] : [{ type: 'signature_delta', signature }];
      return [{ ...block, thinking: '', signature: '' }, [{ type: 'thinking_delta', thinking }, ...signed]];
    }
    case 'tool_use':
      return [{ ...block, input: {} }, [{ type: 'input_json_delta', partial_json: objectJson(block.input) }]];
    default:
      return [block, []];
  }
}

/** @throws Error for a delta of a block that has not started */
function addDelta(
  blocks: Record<string, unknown>[],
  inputs: string[],
  at: number,
  { text, thinking, signature, partial_json: json, citation }: JsonObject,
): void {
  const block = blocks[at];
  if (!block) throw new Error('delta of a content block that has not started');
  if (typeof text === 'string') block.text = textOf(block.text) + text;
  if (typeof thinking === 'string') block.thinking = textOf(block.thinking) + thinking;
  if (typeof signature === 'string') block.signature = signature;
  if (typeof json === 'string') inputs[at] = (inputs[at] ?? '') + json;
  if (citation) block.citations = [...listOf(block.citations), citation];
}

/** Zeros that repeat earlier figures don't replace them. */
function joinedUsage(earlier: unknown, later: unknown): JsonObject {
  const known = membersOf(earlier);
  const reported = Object.entries(membersOf(later)).filter(([member, value]) => value || !known[member]);
  return { ...known, ...Object.fromEntries(reported) };
}

const withInput = (block: JsonObject, json: string): Record<string, unknown> => ({
  ...block,
  input: parseExactObject(json) ?? { INVALID_JSON: json },
});
