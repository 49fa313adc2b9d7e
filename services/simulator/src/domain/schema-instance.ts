type Schema = Record<string, unknown>;

const MAX_DEPTH = 24;
const MAX_VALUES = 1_000;
const MAX_ITEMS = 20;
const MAX_CHARS = 10_000;

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  duration: 'PT1S',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/**
 * Returns a small value that satisfies a JSON schema or Gemini's variant (types in capitals), for replies in a requested
 * format. Ignores `pattern`, `not`, `if`, `dependent…`; values nested deeper than 24, or after 1,000 others, are null.
 */
export function instanceOf(schema: unknown): unknown {
  return instance(schema, { root: schema, left: MAX_VALUES }, 0);
}

/** Bounds the result: a schema that refers to itself can grow in depth and in breadth. */
interface Walk {
  readonly root: unknown;
  left: number;
}

function instance(schema: unknown, walk: Walk, depth: number): unknown {
  if (depth > MAX_DEPTH || walk.left-- <= 0 || !isSchema(schema)) return null;
  const { root } = walk;
  const next = (inner: unknown) => instance(inner, walk, depth + 1);
  if (typeof schema.$ref === 'string') return next(resolve(schema.$ref, root));
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...rest } = schema;
    return next(allOf.reduce((merged: Schema, part) => merge(merged, deref(part, root)), rest));
  }
  const choice = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choice)) return next(choice.find((inner) => !isNull(inner)) ?? choice[0]);
  return ofType(schema, next);
}

function ofType(schema: Schema, next: (inner: unknown) => unknown): unknown {
  switch (typeOf(schema)) {
    case 'object':
      return objectOf(schema, next);
    case 'array':
      return Array.from({ length: Math.min(number(schema.minItems) ?? 0, MAX_ITEMS) }, (_, i) =>
        next(Array.isArray(schema.prefixItems) ? (schema.prefixItems[i] ?? schema.items) : schema.items),
      );
    case 'string':
      return stringOf(schema);
    case 'integer':
      return numberOf(schema, number(schema.multipleOf) ?? 1);
    case 'number':
      return numberOf(schema, number(schema.multipleOf) ?? 0);
    case 'boolean':
      return false;
    default:
      return null;
  }
}

function objectOf(schema: Schema, next: (inner: unknown) => unknown): Schema {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    namesIn(schema.required).map((name) => [name, next(properties[name] ?? { type: 'string' })]),
  );
}

function stringOf(schema: Schema): string {
  const { format } = schema;
  if (typeof format === 'string' && Object.hasOwn(FORMATS, format)) return FORMATS[format]!;
  const longest = Math.min(number(schema.maxLength) ?? MAX_CHARS, MAX_CHARS);
  return 'text'.padEnd(Math.min(number(schema.minLength) ?? 0, MAX_CHARS), '.').slice(0, longest);
}

/** Returns the number closest to zero within the bounds. */
function numberOf(schema: Schema, step: number): number {
  const above = number(schema.exclusiveMinimum);
  const below = number(schema.exclusiveMaximum);
  const least = Math.max(number(schema.minimum) ?? -Infinity, above ?? -Infinity);
  const most = Math.min(number(schema.maximum) ?? Infinity, below ?? Infinity);
  if (least < 0 && most > 0) return 0;
  if (least === 0 && above !== 0) return 0;
  if (most === 0 && below !== 0) return 0;
  const up = least >= 0;
  const edge = up ? least : most;
  const excluded = edge === (up ? above : below);
  if (step === 0) return excluded ? between(edge, up ? most : least, up) : edge;
  const steps = up ? Math.ceil(edge / step) : Math.floor(edge / step);
  const value = steps * step;
  return excluded && value === edge ? (steps + (up ? 1 : -1)) * step : value;
}

function between(edge: number, far: number, up: boolean): number {
  if (Number.isFinite(far)) return (edge + far) / 2;
  return up ? edge + 1 : edge - 1;
}

function typeOf(schema: Schema): string {
  const { type } = schema;
  const named = Array.isArray(type) ? (type.find((one) => one !== 'null') ?? 'null') : type;
  if (typeof named === 'string') return named.toLowerCase();
  if (isSchema(schema.properties)) return 'object';
  return schema.items === undefined ? 'string' : 'array';
}

function resolve(ref: string, root: unknown): unknown {
  if (!ref.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const step of ref.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isSchema(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

function deref(schema: unknown, root: unknown): Schema {
  const found = isSchema(schema) && typeof schema.$ref === 'string' ? resolve(schema.$ref, root) : schema;
  return isSchema(found) ? found : {};
}

function merge(a: Schema, b: Schema): Schema {
  const properties = { ...(a.properties as Schema), ...(b.properties as Schema) };
  const required = [...namesIn(a.required), ...namesIn(b.required)];
  return { ...a, ...b, properties, required };
}

function isNull(schema: unknown): boolean {
  return isSchema(schema) && typeof schema.type === 'string' && schema.type.toLowerCase() === 'null';
}

function namesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
}

// Gemini encodes counts as strings.
function number(value: unknown): number | undefined {
  const read = typeof value === 'string' ? Number(value) : value;
  return typeof read === 'number' && Number.isFinite(read) ? read : undefined;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
