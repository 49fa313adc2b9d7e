import { isObject, type JsonObject } from '@gateway/upstream';
import { flatSchema } from '../../domain/flat-schema';

/** Schemas deeper than OpenAI's limit of ten levels are not checked. */
const MAX_DEPTH = 64;

/** Keywords that strict schemas can't have. */
const REFUSED = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'default'],
  ...['patternProperties', 'propertyNames', 'minProperties', 'maxProperties', 'unevaluatedProperties'],
  ...['prefixItems', 'uniqueItems', 'contains', 'minContains', 'maxContains', 'unevaluatedItems'],
];
const FORMATS = new Set('date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '));

/**
 * Returns whether OpenAI accepts a schema as strict: every object requires all of its properties and allows no others, and
 * every value has a type (developers.openai.com, guide "Structured outputs", "Supported schemas"). Other formats support strictness for more
 * schemas; for those it is omitted here, because the call would be refused.
 */
export function isStrictSchema(schema: unknown, depth = 0): boolean {
  if (!isObject(schema)) return true;
  if (depth > MAX_DEPTH) return false;
  if (REFUSED.some((keyword) => keyword in schema) || !saysItsType(schema)) return false;
  if (typeof schema.format === 'string' && !FORMATS.has(schema.format)) return false;
  if (isObject(schema.properties) || listOfTypes(schema).includes('object')) {
    const names = Object.keys(isObject(schema.properties) ? schema.properties : {});
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    if (schema.additionalProperties !== false || !names.every((name) => required.has(name))) return false;
  }
  const inner = [
    ...Object.values(isObject(schema.properties) ? schema.properties : {}),
    ...Object.values(isObject(schema.$defs) ? schema.$defs : {}),
    ...Object.values(isObject(schema.definitions) ? schema.definitions : {}),
    ...(Array.isArray(schema.anyOf) ? schema.anyOf : []),
    schema.items,
  ];
  return inner.every((one) => isStrictSchema(one, depth + 1));
}

const saysItsType = (schema: JsonObject): boolean =>
  ['type', 'anyOf', '$ref', 'enum', 'const'].some((keyword) => keyword in schema);

const listOfTypes = ({ type }: JsonObject): readonly unknown[] => (Array.isArray(type) ? type : [type]);

/** OpenAI refuses parameters that are an object without `properties`, and alternatives at their root. */
export function objectSchema(given: JsonObject): JsonObject {
  const schema = flatSchema(given);
  const typed = schema.type === undefined ? { type: 'object', ...schema } : schema;
  return typed.type === 'object' && typed.properties === undefined ? { ...typed, properties: {} } : typed;
}
