import type { JsonSchema } from './schema-book';

const MAX_DEPTH = 6;
const COMPONENT = '#/components/schemas/';

/** Returns a schema in a readable notation: `{name: string, limit?: number | null}` over several lines. */
export function schemaText(schema: unknown, named: Readonly<Record<string, JsonSchema>>, depth = 0): string {
  if (typeof schema !== 'object' || schema === null) return 'any';
  const { $ref, anyOf, oneOf, allOf, enum: values, const: constant, type } = schema as JsonSchema;
  const below = (one: unknown) => schemaText(one, named, depth);
  if (typeof $ref === 'string') {
    const name = $ref.slice(COMPONENT.length);
    return depth > MAX_DEPTH || !named[name] ? name : schemaText(named[name], named, depth);
  }
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  for (const several of [anyOf, oneOf]) {
    if (Array.isArray(several)) return [...new Set(several.map(below))].join(' | ');
  }
  if (Array.isArray(allOf)) return allOf.map(below).join(' & ');
  if (Array.isArray(type)) return type.join(' | ');
  if (type === 'array') return `[${schemaText((schema as JsonSchema).items, named, depth)}]`;
  if (type === 'object') return objectText(schema as JsonSchema, named, depth);
  return typeof type === 'string' ? `${type}${bounds(schema as JsonSchema)}` : 'any';
}

function objectText(schema: JsonSchema, named: Readonly<Record<string, JsonSchema>>, depth: number): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = new Set((schema.required ?? []) as string[]);
  const indent = '  '.repeat(depth + 1);
  const rest = schema.additionalProperties;
  const lines = properties.map(([name, property]) => {
    const note = typeof property.description === 'string' ? `  // ${property.description}` : '';
    const mark = required.has(name) ? '' : '?';
    return `${indent}${name}${mark}: ${schemaText(property, named, depth + 1)}${note}`;
  });
  if (typeof rest === 'object' && Object.keys(rest as object).length > 0)
    lines.push(`${indent}…: ${schemaText(rest, named, depth + 1)}`);
  if (lines.length === 0) return '{}';
  return depth > MAX_DEPTH ? '{…}' : `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`;
}

function bounds({ type, format, minimum, maximum, minLength, maxLength }: JsonSchema): string {
  if (format !== undefined) return ` (${format})`;
  const [least, most] = type === 'string' ? [minLength, maxLength] : [minimum, maximum];
  if (least === undefined && most === undefined) return '';
  const unit = (last: unknown) => (type !== 'string' ? '' : last === 1 ? ' character' : ' characters');
  if (most === undefined) return ` (at least ${least}${unit(least)})`;
  return ` (${least === undefined ? 'at most' : `${least} to`} ${most}${unit(most)})`;
}
