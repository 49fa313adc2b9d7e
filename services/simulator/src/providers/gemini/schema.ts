import { isObject, type Json } from '../json';
import { invalid } from './error';
import type { ProtoReader } from './proto-reader';

const FIELDS = new Set([
  'anyOf',
  'default',
  'description',
  'enum',
  'example',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'nullable',
  'pattern',
  'properties',
  'propertyOrdering',
  'required',
  'title',
  'type',
]);

const TYPES = new Set([
  'TYPE_UNSPECIFIED',
  'STRING',
  'NUMBER',
  'INTEGER',
  'BOOLEAN',
  'ARRAY',
  'OBJECT',
  'NULL',
]);

const MAX_DEPTH = 64;

/** Reads Google's subset of JSON schema; other keywords (`$schema`, `const`, `additionalProperties`, …) are violations. */
export function readSchema(value: unknown, reader: ProtoReader, at: string, depth = 0): void {
  if (depth > MAX_DEPTH) throw invalid(`* GenerateContentRequest.${at}: schema is too deep\n`);
  const schema = reader.message(value, FIELDS, at);
  reader.enumeration(schema.type, TYPES, `${at}.type`, true);
  reader.texts(schema.enum, `${at}.enum`);
  reader.texts(schema.required, `${at}.required`);
  const next = (inner: unknown, place: string) => readSchema(inner, reader, place, depth + 1);
  if (schema.items != null) next(schema.items, `${at}.items`);
  reader.list(schema.anyOf, `${at}.any_of`).forEach((inner, i) => {
    next(inner, `${at}.any_of[${i}]`);
  });
  if (!isObject(schema.properties)) return;
  Object.values(schema.properties).forEach((inner, i) => {
    next(inner, `${at}.properties[${i}].value`);
  });
}

/** Checks the consistency of a schema whose fields are known. @throws ProviderError */
export function checkSchema(schema: Json, at: string): void {
  const type = String(schema.type ?? '').toUpperCase();
  const refuse = (field: string, message: string) =>
    invalid(`* GenerateContentRequest.${at}.${field}: ${message}\n`);
  if (type === 'ARRAY' && schema.items == null) throw refuse('items', 'missing field.');
  const properties = isObject(schema.properties) ? schema.properties : {};
  if (type !== 'OBJECT') {
    if (schema.properties != null) throw refuse('properties', 'only allowed for OBJECT type');
    if (schema.required != null) throw refuse('required', 'only allowed for OBJECT type');
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  const stray = required.findIndex((name) => !Object.hasOwn(properties, name));
  if (stray !== -1) throw refuse(`required[${stray}]`, 'property is not defined');
  if (isObject(schema.items)) checkSchema(schema.items, `${at}.items`);
  const choices: unknown[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  choices.forEach((inner, i) => {
    if (isObject(inner)) checkSchema(inner, `${at}.any_of[${i}]`);
  });
  for (const [name, inner] of Object.entries(properties)) {
    if (isObject(inner)) checkSchema(inner, `${at}.properties[${name}]`);
  }
}
