import { isObject } from '@gateway/upstream';
import type { OutputShape } from './conversation';
import type { Reply, ReplyEvent, StreamReader } from './reply';
import type { TokenUsage } from './usage';

/** The member that contains the caller's output. */
const MEMBER = 'result';
/** A `$ref` that leads neither to definitions nor to another document: the root has moved. */
const REF_TO_ROOT = /"\$ref":"#(?!\/(?:\$defs|definitions)\/)/g;
const START = new RegExp(`^\\s*\\{\\s*"${MEMBER}"\\s*:\\s*`);
const COMPACT_START = `{"${MEMBER}":`;

type Schema = Readonly<Record<string, unknown>>;

/** Returns the shape with a schema of an object, for providers that accept no other. */
export const withObjectRoot = (output: OutputShape): OutputShape =>
  hasOtherRoot(output) ? { ...output, schema: objectRoot(output.schema) } : output;

export const hasOtherRoot = (
  output: OutputShape,
): output is OutputShape & { readonly kind: 'schema'; readonly schema: Schema } =>
  output.kind === 'schema' && isOtherRoot(output.schema);

/** Returns whether a schema is of something else than an object, or of one by reference or by choice. */
export function isOtherRoot({ type, properties, $ref, anyOf, oneOf, allOf }: Schema): boolean {
  if ([$ref, anyOf, oneOf, allOf].some((member) => member !== undefined)) return true;
  return type === undefined ? !isObject(properties) : type !== 'object';
}

/** Returns the schema of an object whose only member has the given schema. */
export function objectRoot({ $defs, definitions, $schema: _language, $id: _id, ...inner }: Schema): Schema {
  const moved = JSON.stringify({ $defs, definitions, inner }).replaceAll(
    REF_TO_ROOT,
    `"$ref":"#/properties/${MEMBER}`,
  );
  const parts = JSON.parse(moved) as { $defs?: Schema; definitions?: Schema; inner: Schema };
  return {
    type: 'object',
    properties: { [MEMBER]: parts.inner },
    required: [MEMBER],
    additionalProperties: false,
    ...(parts.$defs && { $defs: parts.$defs }),
    ...(parts.definitions && { definitions: parts.definitions }),
  };
}

/** Returns the reply with the output that the caller asked for. */
export function withoutObjectRoot(reply: Reply): Reply {
  const output = new InnerOutput();
  const parts = reply.parts.map((part) =>
    part.kind === 'text' ? { ...part, text: output.push(part.text) } : part,
  );
  const rest = output.end();
  const last = parts.findLastIndex(({ kind }) => kind === 'text');
  return {
    ...reply,
    parts: parts.map((part, at) =>
      at === last && part.kind === 'text' ? { ...part, text: part.text + rest } : part,
    ),
  };
}

/** A stream of replies with the output that the caller asked for. */
export class InnerOutputReader implements StreamReader {
  readonly #reader: StreamReader;
  readonly #output = new InnerOutput();

  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  get usage(): TokenUsage | undefined {
    return this.#reader.usage;
  }

  get searches(): number {
    return this.#reader.searches ?? 0;
  }

  get ended(): boolean {
    return this.#reader.ended;
  }

  read(event: Buffer): readonly ReplyEvent[] {
    return this.#inner(this.#reader.read(event));
  }

  end(): readonly ReplyEvent[] {
    return this.#inner(this.#reader.end?.() ?? []);
  }

  #inner(events: readonly ReplyEvent[]): readonly ReplyEvent[] {
    return events.flatMap((event): ReplyEvent[] => {
      if (event.kind === 'text') return textEvents(this.#output.push(event.text));
      return event.kind === 'stop' ? [...textEvents(this.#output.end()), event] : [event];
    });
  }
}

const textEvents = (text: string): ReplyEvent[] => (text === '' ? [] : [{ kind: 'text', text }]);

/** Returns the value of the only member of a JSON text; any other text as it is. */
export function innerOutput(text: string): string {
  const output = new InnerOutput();
  return output.push(text) + output.end();
}

/** Takes the value of the only member out of a JSON text that arrives in pieces; any other text stays as it is. */
export class InnerOutput {
  #place: 'start' | 'inside' | 'elsewhere' = 'start';
  /** Not passed on yet: the start so far, or the brace that may be the last one. */
  #held = '';

  push(text: string): string {
    if (this.#place === 'elsewhere') return text;
    this.#held += text;
    return this.#place === 'start' ? this.#passStart() : this.#passValue();
  }

  /** Returns what was held back of another text. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return this.#place === 'inside' ? '' : held;
  }

  #passStart(): string {
    const start = START.exec(this.#held)?.[0];
    if (start !== undefined) {
      this.#place = 'inside';
      this.#held = this.#held.slice(start.length);
      return this.#passValue();
    }
    if (COMPACT_START.startsWith(this.#held.replaceAll(/\s/g, ''))) return '';
    this.#place = 'elsewhere';
    return this.end();
  }

  /** The last brace ends the object around the value. */
  #passValue(): string {
    const held = this.#held;
    const brace = held.lastIndexOf('}');
    const end = brace === -1 || /\S/.test(held.slice(brace + 1)) ? held.length : brace;
    this.#held = held.slice(end);
    return held.slice(0, end);
  }
}
