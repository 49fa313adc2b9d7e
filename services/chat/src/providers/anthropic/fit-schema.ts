import { membersOf } from '@gateway/upstream';

type Schema = Readonly<Record<string, unknown>>;

/** Deeper than any schema that can be compiled; deeper ones could exhaust the stack. */
const MAX_DEPTH = 64;
/** String formats (SDK 1.10, `lib/transform-json-schema`). */
const FORMATS = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '));
/** Constraints that the grammar can't enforce, so they are added to the description. */
const DESCRIBED_BOUNDS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
];
/** Keywords that the grammar can't express: no grammar is better than a wrong one. */
const UNSUPPORTED_KEYWORDS = [
  ...['not', 'if', 'then', 'else', 'patternProperties', 'propertyNames', 'dependentSchemas'],
  ...['dependentRequired', 'prefixItems', 'contains', 'unevaluatedProperties', '$dynamicRef'],
];

class UnsupportedSchema extends Error {}

/**
 * Returns the schema in the subset that the API compiles for structured output and strict tools: no additional properties,
 * bounds moved to the description. Undefined if it needs anything that can't be compiled: open objects, recursion, values of
 * any type. (platform.claude.com, structured outputs, "JSON Schema limitations")
 */
export function fitSchema(schema: Schema): Schema | undefined {
  try {
    const fitted = fit(schema, 0);
    return isRecursive(fitted) ? undefined : fitted;
  } catch (error) {
    if (error instanceof UnsupportedSchema) return undefined;
    throw error;
  }
}

function fit(value: unknown, depth: number): Schema {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) throw new UnsupportedSchema();
  const schema = value as Schema;
  if (UNSUPPORTED_KEYWORDS.some((key) => key in schema)) throw new UnsupportedSchema();
  const inner = (of: unknown) => fit(of, depth + 1);
  const definitions = pick(schema, ['$defs', 'definitions'], (all) => mapValues(all, inner));
  if (schema.$ref !== undefined) return { ...definitions, $ref: localRef(schema.$ref) };
  const variants = pick(
    { anyOf: schema.anyOf ?? schema.oneOf, allOf: schema.allOf },
    ['anyOf', 'allOf'],
    (of) => (Array.isArray(of) ? of.map(inner) : fail()),
  );
  const literals = pick(schema, ['enum', 'const'], (values) => (isPrimitive(values) ? values : fail()));
  const types = pick(
    { ...variants, ...literals, type: schema.type },
    ['anyOf', 'allOf', 'enum', 'const', 'type'],
    same,
  );
  if (Object.keys(types).length === 0) throw new UnsupportedSchema();
  return {
    ...definitions,
    ...pick(schema, ['title', 'default'], same),
    // A literal implies its type.
    ...(Object.keys(literals).length > 0 ? literals : types),
    ...(isOf(schema, 'object') && fitObject(schema, inner)),
    ...(isOf(schema, 'array') && fitArray(schema, inner)),
    ...(typeof schema.format === 'string' && FORMATS.has(schema.format) && { format: schema.format }),
    ...descriptionOf(schema),
  };
}

function fitObject(schema: Schema, inner: (of: unknown) => Schema): Schema {
  if ((schema.additionalProperties ?? false) !== false) throw new UnsupportedSchema();
  return {
    properties: mapValues(schema.properties, inner),
    additionalProperties: false,
    ...pick(schema, ['required'], same),
  };
}

function fitArray(schema: Schema, inner: (of: unknown) => Schema): Schema {
  const few = schema.minItems === 0 || schema.minItems === 1;
  return { ...(few && { minItems: schema.minItems }), items: inner(schema.items) };
}

function descriptionOf(schema: Schema): Schema {
  const bounds: Record<string, unknown> = pick(schema, DESCRIBED_BOUNDS, same);
  if (typeof schema.minItems === 'number' && schema.minItems > 1) bounds.minItems = schema.minItems;
  if (typeof schema.format === 'string' && !FORMATS.has(schema.format)) bounds.format = schema.format;
  const sentences = Object.entries(bounds).map(([key, bound]) => `${key}: ${JSON.stringify(bound)}`);
  const lines = [schema.description, sentences.join(', ')].filter(
    (line) => typeof line === 'string' && line !== '',
  );
  return lines.length > 0 ? { description: lines.join('\n') } : {};
}

/** Resolves a definition inside the schema; the grammar supports no other reference, nor one to the schema itself. */
function localRef(ref: unknown): string {
  if (typeof ref !== 'string' || !/^#\/(\$defs|definitions)\/[^/]+$/.test(ref)) throw new UnsupportedSchema();
  return ref;
}

function isRecursive(root: Schema): boolean {
  const definitions = new Map<string, unknown>();
  for (const kind of ['$defs', 'definitions']) {
    for (const [name, of] of Object.entries(membersOf(root[kind]))) definitions.set(`#/${kind}/${name}`, of);
  }
  const done = new Set<string>();
  const meetsItself = (ref: string, path: readonly string[]): boolean => {
    if (path.includes(ref) || path.length > MAX_DEPTH) return true;
    if (done.has(ref)) return false;
    const again = refsOf(definitions.get(ref)).some((next) => meetsItself(next, [...path, ref]));
    done.add(ref);
    return again;
  };
  return [...definitions.keys()].some((ref) => meetsItself(ref, []));
}

function refsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsOf);
  return Object.entries(membersOf(value)).flatMap(([key, of]) =>
    key === '$ref' && typeof of === 'string' ? [of] : refsOf(of),
  );
}

function isOf(schema: Schema, type: string): boolean {
  return Array.isArray(schema.type) ? schema.type.includes(type) : schema.type === type;
}

function mapValues(value: unknown, map: (of: unknown) => unknown): Schema {
  return Object.fromEntries(Object.entries(membersOf(value)).map(([key, of]) => [key, map(of)]));
}

function pick(
  schema: Schema,
  keys: readonly string[],
  map: (of: unknown) => unknown,
): Record<string, unknown> {
  const there = keys.filter((key) => schema[key] !== undefined);
  return Object.fromEntries(there.map((key) => [key, map(schema[key])]));
}

function same(value: unknown): unknown {
  return value;
}

function isPrimitive(value: unknown): boolean {
  return Array.isArray(value)
    ? value.every((one) => typeof one !== 'object' || one === null)
    : typeof value !== 'object' || value === null;
}

function fail(): never {
  throw new UnsupportedSchema();
}
