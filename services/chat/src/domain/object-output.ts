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

/** Returns the shape with a schema of an object, for providers that accept no other; the same shape if it is one or has no schema. */
export function withObjectRoot(output: OutputShape): OutputShape {
  if (!hasOtherRoot(output)) return output;
  const { $defs, definitions, $schema: _language, $id: _id, ...inner } = output.schema;
  const moved = JSON.stringify({ $defs, definitions, inner }).replaceAll(
    REF_TO_ROOT,
    `"$ref":"#/properties/${MEMBER}`,
  );
  const parts = JSON.parse(moved) as { $defs?: Schema; definitions?: Schema; inner: Schema };
  const schema = {
    type: 'object',
    properties: { [MEMBER]: parts.inner },
    required: [MEMBER],
    additionalProperties: false,
    ...(parts.$defs && { $defs: parts.$defs }),
    ...(parts.definitions && { definitions: parts.definitions }),
  };
  return { ...output, schema };
}

/** Returns whether the output is something else than an object at its root, or one by reference or by choice. */
export function hasOtherRoot(
  output: OutputShape,
): output is OutputShape & { readonly kind: 'schema'; readonly schema: Schema } {
  if (output.kind !== 'schema') return false;
  const { type, properties, $ref, anyOf, oneOf, allOf } = output.schema;
  if ([$ref, anyOf, oneOf, allOf].some((member) => member !== undefined)) return true;
  return type === undefined ? !isObject(properties) : type !== 'object';
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

/** Takes the value of the only member out of a JSON text that arrives in pieces; any other text stays as it is. */
class InnerOutput {
  #place: 'start' | 'inside' | 'elsewhere' = 'start';
  /** Not passed on yet: the start so far, or what may be the end. */
  #held = '';

  push(text: string): string {
    if (this.#place === 'elsewhere') return text;
    this.#held += text;
    return this.#place === 'start' ? this.#passStart() : this.#passValue();
  }

  /** Returns what was held back, without the brace that ends the text. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return this.#place === 'inside' ? held.replace(/\}\s*$/, '') : held;
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

  #passValue(): string {
    let end = this.#held.length;
    while (end > 0 && /[\s}]/.test(this.#held[end - 1]!)) end--;
    const passed = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    return passed;
  }
}
