import { isObject, type JsonObject } from '@gateway/upstream';

/** Schemas deeper than OpenAI's limit of ten levels are not checked. */
const MAX_DEPTH = 64;

/**
 * Returns whether OpenAI accepts a schema as strict: every object requires all of its properties and allows no others
 * (developers.openai.com, guide "Structured outputs", "Supported schemas"). Other formats support strictness for more
 * schemas; for those it is omitted here, because the call would be refused.
 */
export function isStrictSchema(schema: unknown, depth = 0): boolean {
  if (!isObject(schema)) return true;
  if (depth > MAX_DEPTH) return false;
  if (isObject(schema.properties) || schema.type === 'object') {
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

/** OpenAI refuses parameters that are an object without `properties`. */
export function objectSchema(schema: JsonObject): JsonObject {
  const typed = schema.type === undefined ? { type: 'object', ...schema } : schema;
  return typed.type === 'object' && typed.properties === undefined ? { ...typed, properties: {} } : typed;
}
