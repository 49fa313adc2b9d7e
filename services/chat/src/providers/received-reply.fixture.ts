import { isObject, type JsonObject, listOf, membersOf } from '@gateway/upstream';
import type { Block } from './recorded-replies.fixture';

/** A reply as a client reads it. */
export interface ReceivedReply {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  /** In order; undefined for OpenAI's format, which has no blocks. */
  readonly blocks: readonly Block[] | undefined;
  readonly finish: unknown;
  /** Code of the error that ended the stream. */
  readonly errorCode: unknown;
}

/** A block whose deltas are still arriving. */
type GrowingBlock = Record<string, unknown>;

interface Event {
  readonly name: string;
  readonly data: string;
}

/** Reads a reply of OpenAI's format. @throws Error for members that the format does not allow */
export function readAsOpenAi(body: string, isStream: boolean): ReceivedReply {
  const message = new OpenAiMessage();
  if (!isStream) {
    const choice = membersOf(listOf(JSON.parse(body).choices)[0]);
    message.add(choice, membersOf(choice.message), true);
    return message.received();
  }
  const events = eventsOf(body);
  for (const { data } of events.slice(0, -1)) {
    const choice = membersOf(listOf(JSON.parse(data).choices)[0]);
    message.add(choice, membersOf(choice.delta), false);
  }
  const last = events.at(-1)!.data;
  return message.received(last === '[DONE]' ? undefined : membersOf(JSON.parse(last).error).code);
}

/** Reads a reply of Anthropic's format. @throws Error for members that the format does not allow */
export function readAsAnthropic(body: string, isStream: boolean): ReceivedReply {
  if (!isStream) {
    const { content, stop_reason } = JSON.parse(body);
    return fromBlocks(content, stop_reason);
  }
  const blocks: GrowingBlock[] = [];
  const inputs: string[] = [];
  let finish: unknown;
  for (const { name, data } of eventsOf(body)) {
    const event = JSON.parse(data);
    // The SDKs drop an event without its name.
    if (event.type !== name) throw new Error(`event ${event.type} is named ${name}`);
    if (name === 'error') return fromBlocks(blocks, finish, event.error.code);
    if (name === 'message_start') blocks.push(...event.message.content);
    if (name === 'content_block_start') blocks[event.index] = event.content_block;
    if (name === 'content_block_delta') addDelta(blocks[event.index]!, event.delta, event.index, inputs);
    if (name === 'content_block_stop' && inputs[event.index]) {
      blocks[event.index]!.input = JSON.parse(inputs[event.index]!);
    }
    if (name === 'message_delta') finish = event.delta.stop_reason;
    if (name === 'message_stop') return fromBlocks(blocks, finish);
  }
  throw new Error('the stream has neither an end nor an error');
}

class OpenAiMessage {
  #thinking = '';
  #text = '';
  readonly #calls: { id: string; name: string; json: string }[] = [];
  #finish: unknown;

  add(choice: JsonObject, message: JsonObject, isWhole: boolean): void {
    this.#thinking += stringOf(message.reasoning_content ?? message.reasoning);
    this.#text += stringOf(message.content) + stringOf(message.refusal);
    for (const [at, entry] of listOf(message.tool_calls).map(membersOf).entries()) {
      const index = isWhole ? at : entry.index;
      const { name, arguments: json } = membersOf(entry.function);
      if (typeof index !== 'number') throw new Error('tool call without index');
      if (index === this.#calls.length) {
        if (entry.type !== 'function') throw new Error('tool call without type');
        this.#calls.push({ id: stringOf(entry.id), name: stringOf(name), json: '' });
      }
      this.#calls[index]!.json += stringOf(json);
    }
    this.#finish = choice.finish_reason ?? this.#finish;
  }

  received(errorCode?: unknown): ReceivedReply {
    const calls = this.#calls.map(({ id, name, json }) => {
      // An error may cut the arguments.
      const input = errorCode === undefined ? JSON.parse(json) : json;
      return { id, name, input };
    });
    const [thinking, text, finish] = [this.#thinking, this.#text, this.#finish];
    return { thinking, text, calls, blocks: undefined, finish, errorCode };
  }
}

/** Leaves out members that only pass through, such as `citations` and `caller`. */
function fromBlocks(content: readonly JsonObject[], finish: unknown, errorCode?: unknown): ReceivedReply {
  const blocks = content.map((block): Block => {
    const { type } = block;
    if (type === 'text') return { type, text: stringOf(block.text) };
    if (type === 'thinking') {
      return { type, thinking: stringOf(block.thinking), signature: stringOf(block.signature) };
    }
    if (type === 'server_tool_use' || type === 'web_search_tool_result') return { type };
    if (type === 'redacted_thinking') return { type, data: stringOf(block.data) };
    if (type !== 'tool_use') throw new Error(`block of type ${type}`);
    if (!isObject(block.input)) throw new Error('input is not an object');
    return { type, id: stringOf(block.id), name: stringOf(block.name), input: block.input };
  });
  return { ...joined(blocks), blocks, finish, errorCode };
}

/** Returns the reply as clients of a format without blocks receive it. */
export function joined(blocks: readonly Block[]): Pick<ReceivedReply, 'thinking' | 'text' | 'calls'> {
  return {
    thinking: blocks.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: blocks.flatMap((block) => {
      if (block.type !== 'tool_use') return [];
      const { id, name, input } = block;
      return [{ id, name, input }];
    }),
  };
}

function addDelta(block: GrowingBlock, delta: JsonObject, index: number, inputs: string[]): void {
  if (delta.type === 'text_delta') block.text = stringOf(block.text) + stringOf(delta.text);
  if (delta.type === 'thinking_delta') block.thinking = stringOf(block.thinking) + stringOf(delta.thinking);
  if (delta.type === 'signature_delta') block.signature = delta.signature;
  if (delta.type === 'input_json_delta') {
    inputs[index] = (inputs[index] ?? '') + stringOf(delta.partial_json);
  }
}

function eventsOf(stream: string): Event[] {
  const blocks = stream.split(/\r?\n\r?\n/);
  if (blocks.pop() !== '') throw new Error('the stream ends within an event');
  return blocks
    .map((block) => {
      const lines = block.split(/\r?\n/);
      const field = (name: string) => lines.find((line) => line.startsWith(name))?.slice(name.length) ?? '';
      return { name: field('event: '), data: field('data: ') };
    })
    .filter(({ data }) => data !== '');
}

function stringOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new Error(`${JSON.stringify(value)} is not a string`);
  return value;
}
