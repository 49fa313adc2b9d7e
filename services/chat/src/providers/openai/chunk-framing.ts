import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { ReplyFraming } from '../../domain/reply-framing';
import { parseExactData } from '../../sse/sse-data';
import { choicesOf } from './chunk-text';
import { ChunkRepair } from './repair-reply';
import { isFinishReason } from './reply-json';

/** Of chat completions, and of text completions, whose choices have `text` in place of a message. */
export const chunkFraming: ReplyFraming = {
  toStream(reply) {
    const isChat = choicesOf(reply).some(({ message }) => isObject(message));
    const choices = choicesOf(reply).map(({ message, ...choice }) =>
      isObject(message) ? { ...choice, delta: toDelta(message) } : choice,
    );
    const chunk = { ...reply, ...(isChat && { object: 'chat.completion.chunk' }), choices };
    return Buffer.concat([frameOf(chunk), Buffer.from('data: [DONE]\n\n')]);
  },
  toWhole(chunks, isMarked) {
    const choices = new Map<unknown, JoinedChoice>();
    let whole: Record<string, unknown> = {};
    const repair = new ChunkRepair();
    for (const received of chunks) {
      const chunk = parseExactData(repair.repaired(frameOf(received))) ?? received;
      const { usage, ...others } = chunk;
      whole = { ...whole, ...others, ...(isObject(usage) && { usage }) };
      for (const choice of choicesOf(chunk)) {
        const index = choice.index ?? 0;
        if (!choices.has(index)) choices.set(index, new JoinedChoice(index));
        choices.get(index)!.add(choice);
      }
    }
    const joined = [...choices.values()];
    if (joined.length === 0 || !(isMarked || joined.every(({ isFinished }) => isFinished))) return undefined;
    const isChat = joined.some(({ hasMessage }) => hasMessage);
    return {
      ...whole,
      ...(isChat && { object: 'chat.completion' }),
      choices: joined.map((one) => one.choice),
    };
  },
};

const frameOf = (chunk: JsonObject): Buffer => Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);

function toDelta(message: JsonObject): JsonObject {
  const calls = listOf(message.tool_calls).map((call, index) => ({ index, ...membersOf(call) }));
  return { ...message, ...(calls.length > 0 && { tool_calls: calls }) };
}

class JoinedChoice {
  readonly #index: unknown;
  readonly #calls = new Map<unknown, Record<string, unknown>>();
  readonly #details = new Map<string, Record<string, unknown>>();
  #message: Record<string, unknown> = {};
  #others: Record<string, unknown> = {};
  #reason: unknown = null;
  hasMessage = false;

  constructor(index: unknown) {
    this.#index = index;
  }

  get isFinished(): boolean {
    return isFinishReason(this.#reason);
  }

  add({ index: _index, delta, finish_reason: reason, ...others }: JsonObject): void {
    this.#reason = reason ?? this.#reason;
    this.#others = joined(this.#others, others);
    if (!isObject(delta)) return;
    this.hasMessage = true;
    const { role: _role, tool_calls: pieces, reasoning_details: details, ...content } = delta;
    this.#message = joined(this.#message, content);
    for (const piece of listOf(pieces).map(membersOf)) {
      const { index, ...call } = piece;
      const begun = this.#calls.get(index);
      // Only the first piece has them, unless they are repeated.
      const { id: _id, type: _type, ...rest } = call;
      this.#calls.set(index, begun ? joined(begun, rest) : call);
    }
    for (const detail of listOf(details).map(membersOf)) {
      const { type, index } = detail;
      const key = `${type} ${index}`;
      const { text = '', summary = '', ...described } = this.#details.get(key) ?? {};
      const joinedText = textOf(text) + textOf(detail.text);
      const joinedSummary = textOf(summary) + textOf(detail.summary);
      this.#details.set(key, {
        ...described,
        ...detail,
        ...(joinedText !== '' && { text: joinedText }),
        ...(joinedSummary !== '' && { summary: joinedSummary }),
      });
    }
  }

  get choice(): JsonObject {
    const message = {
      ...{ role: 'assistant', content: null },
      ...this.#message,
      ...(this.#details.size > 0 && { reasoning_details: [...this.#details.values()] }),
      ...(this.#calls.size > 0 && { tool_calls: [...this.#calls.values()] }),
    };
    return {
      index: this.#index,
      ...this.#others,
      ...(this.hasMessage && { message }),
      finish_reason: this.#reason,
    };
  }
}

/** Joins texts, lists, and the lists of objects such as `logprobs`; of anything else the last value counts. */
function joined(earlier: JsonObject, later: JsonObject): Record<string, unknown> {
  const result: Record<string, unknown> = { ...earlier };
  for (const [member, value] of Object.entries(later)) {
    const before = result[member];
    if (typeof before === 'string' && typeof value === 'string') result[member] = before + value;
    else if (Array.isArray(before) && Array.isArray(value)) result[member] = [...before, ...value];
    else if (isObject(before) && isObject(value)) result[member] = joined(before, value);
    else if (value !== null || before === undefined) result[member] = value;
  }
  return result;
}
