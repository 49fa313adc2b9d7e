import { GatewayError } from '@gateway/errors';
import { isObject } from '@gateway/upstream';
import type { Tool, ToolChoice, WebSearch } from '../../domain/conversation';
import { MAX_WEB_SEARCHES } from '../../domain/upper-bound';
import type { FunctionDeclaration, GenerateContentBody } from './gemini-schema';

const NO_PARAMETERS = { type: 'object', properties: {} };

export const toTools = ({ tools }: GenerateContentBody): Tool[] =>
  (tools ?? []).flatMap(({ functionDeclarations }) => (functionDeclarations ?? []).map(toTool));

function toTool({ name, description, parameters, parametersJsonSchema }: FunctionDeclaration): Tool {
  const schema = withNumericBounds(parametersJsonSchema ?? (parameters && toJsonSchema(parameters)));
  return {
    name,
    description: description ?? undefined,
    parameters: isObject(schema) && Object.keys(schema).length > 0 ? schema : NO_PARAMETERS,
    strict: undefined,
    cache: undefined,
  };
}

/** Returns the search of the web; undefined if the caller asks for none. A range of time is only a hint. */
export function toWebSearch({ tools }: GenerateContentBody): WebSearch | undefined {
  const search = tools?.find(({ googleSearch }) => googleSearch)?.googleSearch;
  if (!search) return undefined;
  return {
    maxSearches: MAX_WEB_SEARCHES,
    allowedDomains: [],
    blockedDomains: search.excludeDomains ?? [],
    location: undefined,
  };
}

/** @throws GatewayError `invalid_request` */
export function toToolChoice({ toolConfig }: GenerateContentBody, tools: readonly Tool[]): ToolChoice {
  const { mode, allowedFunctionNames } = toolConfig?.functionCallingConfig ?? {};
  const names = allowedFunctionNames ?? [];
  const known = new Set(tools.map(({ name }) => name));
  if (!names.every((name) => known.has(name)))
    throw new GatewayError('invalid_request', {
      detail: 'toolConfig.functionCallingConfig.allowedFunctionNames: does not match any tool in the request',
    });
  const required = mode === 'ANY';
  if (mode === 'NONE') return { kind: 'none' };
  if (tools.length === 0) return { kind: 'auto' };
  if (names.length > 0) return { kind: 'allowed', names, required };
  return { kind: required ? 'required' : 'auto' };
}

/** Members of Google's schemas that contain schemas. */
const OF_SCHEMAS = new Set(['items', 'anyOf', 'prefixItems', 'additionalProperties']);

/** Returns a schema of Google's own form, whose types are in upper case, as a JSON schema. */
export function toJsonSchema(schema: unknown): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(isObject(schema) ? schema : {})) {
    if (name === 'type' && typeof value === 'string') {
      if (value.toUpperCase() !== 'TYPE_UNSPECIFIED') written.type = value.toLowerCase();
    } else if (name === 'nullable') continue;
    else if (name === 'properties' && isObject(value))
      written.properties = Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, toJsonSchema(inner)]),
      );
    else if (OF_SCHEMAS.has(name) && Array.isArray(value)) written[name] = value.map(toJsonSchema);
    else if (OF_SCHEMAS.has(name) && isObject(value)) written[name] = toJsonSchema(value);
    else written[name] = value;
  }
  if (NUMERIC.has(written.type) && Array.isArray(written.enum)) written.enum = written.enum.map(numberOf);
  if (!isObject(schema) || schema.nullable !== true) return written;
  if (typeof written.type === 'string') written.type = [written.type, 'null'];
  if (Array.isArray(written.enum)) written.enum = [...written.enum, null];
  if (Array.isArray(written.anyOf)) written.anyOf = [...written.anyOf, { type: 'null' }];
  return written;
}

const NUMERIC: ReadonlySet<unknown> = new Set(['integer', 'number']);
/** Bounds of a schema, which are strings in Google's JSON if they are 64-bit integers. */
const BOUNDS = new Set([
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]);
/** Members with values, not schemas. */
const OF_VALUES = new Set(['default', 'enum', 'const', 'example', 'examples']);

const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;

/** Returns the schema with numbers in place of bounds that are strings of digits. */
export function withNumericBounds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNumericBounds);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (BOUNDS.has(name) && typeof value === 'string') return [name, numberOf(value)];
      return [name, OF_VALUES.has(name) ? value : withNumericBounds(value)];
    }),
  );
}
