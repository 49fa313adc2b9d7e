import { isObject, type JsonObject, membersOf, textOf } from '@gateway/upstream';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider, WholeReply } from '../domain/chat-provider';
import { InnerOutput, innerOutput } from '../domain/object-output';
import { passesThrough } from '../domain/passes-through';
import { type JsonPath, mapAt, onStrings } from '../json/map-at';
import { namedFrame } from '../sse/named-frame';
import { parseExactData } from '../sse/sse-data';
import { objectRootOf } from './fitted-body';
import { PASSED_PLACES } from './passed-places';

/** Returns whether a call that passes through gets another schema for its output than its caller gave. */
export const hasPassedOutput = (request: CallerRequest, provider: ChatProvider): boolean =>
  provider.objectOutput === 'always' &&
  passesThrough(request, provider) &&
  PASSED_PLACES[request.wire].output.some(
    (path) => mapAt(request.parsed, path, objectRootOf) !== request.parsed,
  );

/** Where the events and replies of the Responses API have whole texts. */
const WHOLE_TEXTS: readonly JsonPath[] = [
  ['text'],
  ['part', 'text'],
  ['item', 'content', '*', 'text'],
  ['response', 'output', '*', 'content', '*', 'text'],
  ['output', '*', 'content', '*', 'text'],
];

/** Restores the output that the caller asked for in what a provider of the same format sends. */
export class PassedOutput {
  readonly #request: Pick<CallerRequest, 'wire' | 'parsed'>;
  /** By the choice of a chat completion, or the item of a response. */
  readonly #outputs = new Map<string, InnerOutput>();

  constructor(request: Pick<CallerRequest, 'wire' | 'parsed'>) {
    this.#request = request;
  }

  restore(event: Buffer): Buffer {
    const data = parseExactData(event);
    if (!data) return event;
    if (this.#request.wire === 'responses')
      return Buffer.from(namedFrame(textOf(data.type), JSON.stringify(this.#ofResponse(data))));
    if (!Array.isArray(data.choices)) return event;
    const choices = data.choices.map((choice) => this.#choice(membersOf(choice)));
    return Buffer.from(`data: ${JSON.stringify({ ...data, choices })}\n\n`);
  }

  restoreReply({ value }: WholeReply): WholeReply {
    const restored = membersOf(
      this.#request.wire === 'responses'
        ? this.#ofResponse(value)
        : mapAt(value, ['choices', '*', 'message', 'content'], onStrings(innerOutput)),
    );
    return { bytes: Buffer.from(JSON.stringify(restored)), value: restored };
  }

  #choice({ delta, ...choice }: JsonObject): JsonObject {
    const output = this.#outputOf(String(choice.index));
    const { content, ...others } = membersOf(delta);
    const passed = typeof content === 'string' ? output.push(content) : '';
    const text = choice.finish_reason == null ? passed : passed + output.end();
    const hasText = typeof content === 'string' || text !== '';
    return { ...choice, ...(isObject(delta) && { delta: { ...others, ...(hasText && { content: text }) } }) };
  }

  #ofResponse(data: JsonObject): JsonObject {
    if (data.type === 'response.output_text.delta')
      return { ...data, delta: this.#outputOf(textOf(data.item_id)).push(textOf(data.delta)) };
    const texts = WHOLE_TEXTS.reduce<unknown>(
      (value, path) => mapAt(value, path, onStrings(innerOutput)),
      data,
    );
    const { format } = membersOf(this.#request.parsed.text);
    const echo = (value: unknown) => (isObject(value) ? membersOf(format).schema : value);
    const echoed = mapAt(texts, ['response', 'text', 'format', 'schema'], echo);
    return membersOf(mapAt(echoed, ['text', 'format', 'schema'], echo));
  }

  #outputOf(name: string): InnerOutput {
    const known = this.#outputs.get(name) ?? new InnerOutput();
    this.#outputs.set(name, known);
    return known;
  }
}
