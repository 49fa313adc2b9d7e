import fc from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;

export interface SchemaValues {
  /** Resolves a reference. */
  readonly named: Readonly<Record<string, unknown>>;
  /** Returns better values than the schema's for a property of that name. */
  readonly pools: Readonly<Record<string, fc.Arbitrary<unknown>>>;
}

const MAX_DEPTH = 5;
const MAX_TEXT = 60;
const MAX_ITEMS = 3;
const COMPONENT = '#/components/schemas/';

/** Returns values that match a schema; they may violate rules that a schema cannot express. */
export function valuesOf(schema: unknown, around: SchemaValues, depth = 0): fc.Arbitrary<unknown> {
  if (typeof schema !== 'object' || schema === null || depth > MAX_DEPTH)
    return fc.jsonValue({ maxDepth: 1 });
  const known = schema as Schema;
  const { $ref, const: constant, enum: values, anyOf, oneOf, allOf, examples } = known;
  if (typeof $ref === 'string')
    return valuesOf(around.named[$ref.slice(COMPONENT.length)], around, depth + 1);
  if (constant !== undefined) return fc.constant(constant);
  if (Array.isArray(values)) return fc.constantFrom(...values);
  const several = anyOf ?? oneOf ?? allOf;
  if (Array.isArray(several)) return fc.oneof(...several.map((one) => valuesOf(one, around, depth)));
  const own = valuesOfType(known, around, depth);
  return Array.isArray(examples) ? fc.oneof(fc.constantFrom(...examples), own) : own;
}

function valuesOfType(schema: Schema, around: SchemaValues, depth: number): fc.Arbitrary<unknown> {
  const { type } = schema;
  if (type === 'string') return texts(schema);
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'integer') return fc.integer(range(schema, 2 ** 31));
  if (type === 'number') return numbers(schema);
  if (type === 'array') return arrays(schema, around, depth);
  if (type === 'object') return objects(schema, around, depth);
  return fc.jsonValue({ maxDepth: 2 });
}

/** Mostly multiples of 0.01, like most amounts; sometimes any number. */
function numbers(schema: Schema): fc.Arbitrary<number> {
  const { min, max } = range(schema, 1_000);
  const hundredths = fc
    .integer({ min: Math.ceil(min * 100), max: Math.floor(max * 100) })
    .map((one) => one / 100);
  const any = fc.double({ min, max, noNaN: true });
  return fc.oneof({ arbitrary: hundredths, weight: 9 }, { arbitrary: any, weight: 1 });
}

function range({ minimum, maximum }: Schema, most: number): { min: number; max: number } {
  const min = typeof minimum === 'number' ? minimum : -100;
  const max = typeof maximum === 'number' ? maximum : most;
  return { min, max: Math.max(min, Math.min(max, most)) };
}

function texts({ format, pattern, minLength, maxLength }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (format === 'date')
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  const shortest = typeof minLength === 'number' ? minLength : 0;
  const longest = typeof maxLength === 'number' ? maxLength : MAX_TEXT;
  const length = { minLength: shortest, maxLength: Math.max(shortest, Math.min(longest, MAX_TEXT)) };
  return fc.oneof(fc.string(length), fc.string({ ...length, unit: 'binary' }));
}

function arrays(schema: Schema, around: SchemaValues, depth: number): fc.Arbitrary<unknown> {
  const { items, minItems } = schema;
  const least = typeof minItems === 'number' ? minItems : 0;
  return fc.array(valuesOf(items, around, depth + 1), {
    minLength: least,
    maxLength: Math.max(least, MAX_ITEMS),
  });
}

function objects(schema: Schema, around: SchemaValues, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Schema);
  const fields = Object.fromEntries(
    properties.map(([name, property]) => [name, around.pools[name] ?? valuesOf(property, around, depth + 1)]),
  );
  const required = (schema.required ?? []) as string[];
  const requiredKeys = required.filter((name) => Object.hasOwn(fields, name));
  const whole = fc.record(fields, { requiredKeys });
  const few = fc.record(Object.fromEntries(requiredKeys.map((name) => [name, fields[name]!])));
  const { additionalProperties: more } = schema;
  if (properties.length === 0 && typeof more === 'object')
    return fc.dictionary(fc.string({ maxLength: 8 }), valuesOf(more, around, depth + 1), { maxKeys: 3 });
  return fc.oneof(few, whole);
}
