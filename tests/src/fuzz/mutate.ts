import fc from 'fast-check';

/** Unexpected values. */
const oddities: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  -0,
  '',
  ' ',
  'x',
  '\u0000',
  '\ud800',
  'null',
  '__proto__',
  'data: x\n\n',
  '../../etc/passwd',
  'a'.repeat(5_000),
  [],
  {},
  [[]],
  [null],
  { toString: 1 },
  { __proto__: null, constructor: { prototype: {} } },
];
export const odd = fc.oneof(fc.constantFrom(...oddities), fc.jsonValue({ maxDepth: 3 }));

type Edit = { at: number; how: 'replace' | 'remove' | 'add' | 'wrap'; value: unknown; name: string };

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(10_000),
  how: fc.constantFrom('replace', 'remove', 'add', 'wrap'),
  value: odd,
  name: fc.oneof(
    fc.constantFrom(
      'error',
      'usage',
      'choices',
      'delta',
      'model',
      'messages',
      'stream',
      'max_tokens',
      'n',
      'length',
      '__proto__',
    ),
    fc.string({ maxLength: 8 }),
  ),
});

/** Returns JSON of these values with one to four changes at any depth. */
export function mutatedJson(originals: readonly unknown[]): fc.Arbitrary<string> {
  return mutatedValue(fc.constantFrom(...originals));
}

/** Returns JSON of generated values with such changes. */
export function mutatedValue(originals: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc
    .tuple(originals, fc.array(edit, { minLength: 1, maxLength: 4 }))
    .map(([original, edits]) => JSON.stringify(edits.reduce(applied, structuredClone(original))) ?? 'null');
}

/** Returns bytes of these texts with parts overwritten, removed, duplicated or truncated. A failure shows the edits. */
export function mutatedText(originals: readonly (string | Buffer)[]): fc.Arbitrary<Buffer> {
  const change = fc.record({
    at: fc.nat(10_000),
    length: fc.integer({ min: 0, max: 40 }),
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc
        .constantFrom(
          '\n\n',
          '\r\n',
          '\r',
          '\0',
          '{',
          '}',
          '"',
          'data: ',
          'data: [DONE]\n\n',
          ': x\n\n',
          '\xff',
        )
        .map((text) => new Uint8Array(Buffer.from(text, 'latin1'))),
    ),
    cut: fc.boolean(),
  });
  return fc
    .tuple(fc.nat(originals.length - 1), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([index, changes]) => {
      let bytes: Buffer = Buffer.from(originals[index]!);
      const done: string[] = [];
      for (const { at, length, bytes: put, cut } of changes) {
        const start = at % (bytes.length + 1);
        const endsHere = cut && length === 40;
        const rest = endsHere ? Buffer.alloc(0) : bytes.subarray(start + length);
        bytes = Buffer.concat([bytes.subarray(0, start), put, rest]);
        const shown = JSON.stringify(Buffer.from(put).toString('latin1'));
        done.push(`${shown} at ${start} in place of ${endsHere ? 'the rest' : `${length} bytes`}`);
      }
      const description = () => `text ${index}: ${done.join(', ')}`;
      return Object.defineProperty(bytes, fc.toStringMethod, { value: description });
    });
}

function applied(root: unknown, { at, how, value: shared, name }: Edit): unknown {
  const value = structuredClone(shared);
  const locations = locationsOf(root);
  const location = locations[at % locations.length];
  if (!location) return value;
  const { holder, key } = location;
  const target = holder[key];
  if (how === 'remove') Reflect.deleteProperty(holder, key);
  else if (how === 'wrap') holder[key] = [target];
  else if (how === 'add' && Array.isArray(target)) target.push(value);
  else if (how === 'add' && typeof target === 'object' && target !== null) {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else holder[key] = value;
  return root;
}

interface Location {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function locationsOf(value: unknown): Location[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...locationsOf(holder[key])]);
}
