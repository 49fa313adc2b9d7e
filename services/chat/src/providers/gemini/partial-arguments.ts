import { listOf, membersOf } from '@gateway/upstream';

/** Far more than function schemas use. */
const MAX_DEPTH = 64;
const MAX_ARRAY_INDEX = 10_000;
/** A step of a JSONPath (RFC 9535) to one value: `.name`, `[0]`, `['name']` or `["name"]`. */
const STEP = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

type Key = string | number;
/** An object without a prototype, or an array. */
type Container = Record<Key, unknown>;

/**
 * Joins the arguments of a function call that arrive in pieces (`partialArgs`, with `streamFunctionCallArguments`): each piece
 * names the path of its value, and a string may arrive in several.
 */
export class PartialArguments {
  readonly #root = emptyObject();

  /** The arguments so far. */
  get value(): object {
    return this.#root;
  }

  /** @throws Error for a piece without a path to one value */
  add(pieces: unknown): void {
    for (const piece of listOf(pieces)) this.#set(membersOf(piece));
  }

  #set(piece: Record<string, unknown>): void {
    const path = pathOf(piece.jsonPath);
    let holder: Container = this.#root;
    for (const [at, key] of path.entries()) {
      if (Array.isArray(holder) !== (typeof key === 'number')) throw new Error('argument of two types');
      if (at === path.length - 1) break;
      const inner = holder[key];
      const next = isContainer(inner) ? inner : emptyContainer(path[at + 1]!);
      holder[key] = next;
      holder = next;
    }
    const last = path.at(-1)!;
    const value = valueOfPiece(piece);
    const earlier = holder[last];
    holder[last] = typeof earlier === 'string' && typeof value === 'string' ? earlier + value : value;
  }
}

function valueOfPiece({ stringValue, numberValue, boolValue }: Record<string, unknown>): unknown {
  return stringValue ?? numberValue ?? boolValue ?? null;
}

function pathOf(path: unknown): Key[] {
  if (typeof path !== 'string' || !path.startsWith('$')) throw new Error('argument without a path');
  const keys: Key[] = [];
  for (let at = 1; at < path.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const step = STEP.exec(path);
    if (!step || keys.length === MAX_DEPTH) throw new Error('argument with an unreadable path');
    const [, name, index, ...quoted] = step;
    if (index !== undefined && Number(index) > MAX_ARRAY_INDEX) throw new Error('argument index too large');
    keys.push(index === undefined ? (name ?? unescaped(quoted)) : Number(index));
  }
  if (keys.length === 0 || typeof keys[0] === 'number') throw new Error('argument without a name');
  return keys;
}

function unescaped(quoted: readonly (string | undefined)[]): string {
  return (quoted[0] ?? quoted[1] ?? '').replace(/\\(.)/g, '$1');
}

function emptyContainer(key: Key): Container {
  return typeof key === 'number' ? ([] as unknown as Container) : emptyObject();
}

function emptyObject(): Container {
  return Object.create(null) as Container;
}

function isContainer(value: unknown): value is Container {
  return (
    typeof value === 'object' && value !== null && (Array.isArray(value) || !Object.getPrototypeOf(value))
  );
}
