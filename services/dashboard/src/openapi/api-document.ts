import type { AnyErrorCode } from '@gateway/errors';
import { type Endpoint, noFields } from '../routes/endpoint';

import { ERROR_EXAMPLES, ERROR_SCHEMA, errorResponses } from './error-responses';
import { PLAYGROUND_OPERATIONS, type PlaygroundOperation } from './playground-operations';
import { type JsonSchema, SchemaBook } from './schema-book';
import { V1_EXAMPLES } from './v1-examples';
import { V1_OPERATIONS, type V1Operation } from './v1-operations';

export interface DocumentOptions {
  readonly endpoints: readonly Endpoint[];
  /** Schemas of `/v1` bodies, by name. */
  readonly v1Bodies: Readonly<Record<string, JsonSchema>>;
  /** Origin of `/v1` for callers, if it is configured. */
  readonly apiUrl: string | undefined;
}

export interface ApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly [kind: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters: readonly JsonSchema[];
  readonly requestBody?: JsonSchema;
  readonly responses: Readonly<Record<string, JsonSchema>>;
  readonly security: readonly JsonSchema[];
  readonly servers: readonly JsonSchema[];
}

const BASE_PATH = '/api/v1';
const MAX_KEY_ID = 128;

/** Returns the OpenAPI 3.1 document of both address spaces. */
export function apiDocument({ endpoints, v1Bodies, apiUrl }: DocumentOptions): ApiDocument {
  const book = new SchemaBook();
  const paths: Record<string, Record<string, Operation>> = {};
  const add = (path: string, method: string, operation: Operation) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  const apiServer = apiUrl === undefined ? UNKNOWN_SERVER : { url: apiUrl, description: 'The API' };
  for (const operation of V1_OPERATIONS) {
    add(operation.path, operation.method, v1Operation(operation, book, apiServer));
  }
  for (const endpoint of [...endpoints, ...PLAYGROUND_OPERATIONS]) {
    const path = BASE_PATH + templateOf(endpoint.path);
    add(path, endpoint.method, dashboardOperation(endpoint, path, { book, v1Bodies }));
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Model Gateway',
      version: '1',
      description:
        'Paths below `/v1` require an API key, those below `/api/v1` a login token. Every response has an ' +
        '`X-Request-Id`. All errors have the same envelope with a stable `code`. Amounts of money are ' +
        'numbers of USD with at most nine decimals; times are RFC 3339 in UTC.',
    },
    servers: [{ url: '/', description: 'The dashboard API, for logged-in users' }],
    paths,
    components: {
      schemas: { Error: ERROR_SCHEMA, ...v1Bodies, ...book.schemas },
      examples: ERROR_EXAMPLES,
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const UNKNOWN_SERVER = {
  url: '{base_url}',
  description: 'The API',
  variables: { base_url: { default: 'http://127.0.0.1:8080' } },
};

const HEADERS = {
  RequestId: {
    description: 'Identifies the call in the request log; include it when you contact support',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds to wait; absent for spending caps',
    schema: { type: 'integer', minimum: 0 },
  },
  Cost: {
    description:
      'USD that the account is charged, an exact decimal; absent from streams, except of completed images, and from repeated replies',
    schema: { type: 'string', pattern: '^\\d+(\\.\\d{1,9})?$' },
  },
};

const SECURITY_SCHEMES = {
  key: { type: 'http', scheme: 'bearer', bearerFormat: 'sk-gw-…', description: 'An API key' },
  xApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'An API key, as an alternative to `Authorization`',
  },
  login: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token from `auth/login`',
  },
};

function v1Operation(operation: V1Operation, book: SchemaBook, server: JsonSchema): Operation {
  const { method, path, summary, tag, keyless, idempotent, codes } = operation;
  const content = {
    ...(operation.body && {
      'application/json': { schema: component(operation.body), ...exampleOf(path, 'body') },
    }),
    ...(operation.form && { 'multipart/form-data': { schema: component(operation.form) } }),
  };
  return {
    operationId: operationIdOf(method, path),
    summary,
    tags: [tag],
    parameters: [
      ...pathParameters(path),
      ...(operation.query ? queryParameters(book.input(operation.query)) : []),
      ...(idempotent ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(Object.keys(content).length > 0 && { requestBody: { required: true, content } }),
    responses: { 200: v1Answer(operation, book), ...errorResponses(codes) },
    security: keyless ? [] : [{ key: [] }, { xApiKey: [] }],
    servers: [server],
  };
}

function exampleOf(path: string, of: 'body' | 'answer'): JsonSchema {
  const example = V1_EXAMPLES[path]?.[of];
  return example === undefined ? {} : { example };
}

function v1Answer(
  { path, answer, answerType, streams, returnsCost }: V1Operation,
  book: SchemaBook,
): JsonSchema {
  const content = {
    ...(answer && { 'application/json': { schema: book.output(answer), ...exampleOf(path, 'answer') } }),
    ...(answerType && { [answerType]: {} }),
    ...(streams && { 'text/event-stream': { schema: { type: 'string' } } }),
  };
  return success(content, returnsCost && { 'X-Gateway-Cost': { $ref: '#/components/headers/Cost' } });
}

interface Schemas {
  readonly book: SchemaBook;
  readonly v1Bodies: DocumentOptions['v1Bodies'];
}

function dashboardOperation(
  endpoint: Endpoint | PlaygroundOperation,
  path: string,
  schemas: Schemas,
): Operation {
  const { method, access } = endpoint;
  const shared = {
    operationId: operationIdOf(method, path),
    summary: endpoint.doc.summary,
    ...(access !== 'public' && { description: whoMay(access) }),
    tags: [tagOf(endpoint)],
    security: access === 'public' ? [] : [{ login: [] }],
    servers: [{ url: '/', description: 'The dashboard' }],
  };
  const parts =
    'handle' in endpoint ? ownParts(endpoint, path, schemas) : relayedParts(endpoint, path, schemas);
  return { ...shared, ...parts };
}

function ownParts(own: Endpoint, path: string, { book }: Schemas) {
  const { method, access, doc } = own;
  const body = doc.rawBody ?? doc.body ?? noFields;
  const query = doc.query ? queryParameters(book.input(doc.query)) : [];

  const isBodyOptional = doc.optionalBody || (!doc.rawBody && !doc.body);
  const schema = book.input(body);
  const codes: AnyErrorCode[] = [
    ...commonCodes(access),
    ...(method === 'POST' && requiresFields(schema) ? (['missing_parameter'] as const) : []),
    ...(isCounted(own) ? (['too_many_attempts'] as const) : []),
    ...(doc.codes ?? []),
  ];
  return {
    parameters: [...pathParameters(path), ...query, ...(doc.idempotent ? [IDEMPOTENCY_KEY] : [])],
    ...(method === 'POST' && {
      requestBody: {
        required: !isBodyOptional,
        content: { 'application/json': { schema } },
      },
    }),
    responses: {
      200: success({
        ...(doc.response && { 'application/json': { schema: book.output(doc.response) } }),
        ...Object.fromEntries((doc.fileTypes ?? []).map((type) => [type, { schema: { type: 'string' } }])),
      }),
      ...errorResponses(codes),
    },
  };
}

/** At any depth. */
const requiresFields = (schema: JsonSchema): boolean => JSON.stringify(schema).includes('"required":["');

/** A playground call has the parameters of its API call, and the key: in the JSON body, or in the query for a form. */
function relayedParts({ access, doc, form }: PlaygroundOperation, path: string, { book, v1Bodies }: Schemas) {
  const like = V1_OPERATIONS.find((operation) => operation.path === doc.relays);
  if (!like) throw new Error(`${path} is like no call of the other address space: ${doc.relays}`);
  const body = like.body ? v1Bodies[like.body] : undefined;
  const content = form
    ? { 'multipart/form-data': { schema: component(like.form ?? '') } }
    : body && { 'application/json': { schema: withKeyId(body) } };
  const ofKey = content ? (['missing_parameter'] as const) : [];
  return {
    parameters: [
      ...pathParameters(path),
      ...(form ? [{ name: 'key_id', in: 'query', required: true, schema: KEY_ID }] : []),
      ...(like.idempotent ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(content && { requestBody: { required: true, content } }),
    responses: {
      200: v1Answer(like, book),
      ...errorResponses([...commonCodes(access), ...ofKey, ...like.codes]),
    },
  };
}

const KEY_ID = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_KEY_ID,
  description: 'Id of the key that the call is billed to',
};

function withKeyId({ properties, required = [], ...rest }: JsonSchema): JsonSchema {
  return {
    ...rest,
    properties: { key_id: KEY_ID, ...(properties as JsonSchema) },
    required: ['key_id', ...(required as string[])],
  };
}

const commonCodes = (access: Endpoint['access']): AnyErrorCode[] => [
  'invalid_request',
  ...(access === 'public' ? [] : (['invalid_api_key'] as const)),
  'not_found',
  'rate_limited',
  'internal_error',
];

/** Changes are limited per account, except those of operators. */
const isCounted = (own: Endpoint): boolean =>
  own.method === 'POST' && own.access !== 'public' && own.access !== 'operator' && !own.unaudited;

const whoMay = (access: Endpoint['access']): string =>
  access === 'operator'
    ? 'Operators only; other users get `not_found`.'
    : `Requires the role \`${access}\` or higher; other users get \`not_found\`.`;

/** `/keys/:id/update` → `/keys/{id}/update` */
const templateOf = (path: string): string => path.replace(/[:*](\w+)/g, '{$1}');

/** `POST /api/v1/keys/{id}/update` → `postApiV1KeysIdUpdate` */
const operationIdOf = (method: string, path: string): string =>
  method.toLowerCase() +
  path
    .split(/[^a-zA-Z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

const TAGS: Readonly<Record<string, string>> = { auth: 'Login', models: 'Catalog', usage: 'Requests' };

function tagOf({ path, access }: Endpoint | PlaygroundOperation): string {
  if (access === 'operator') return 'Operators';
  const first = path.split('/')[1] ?? '';
  return TAGS[first] ?? first.slice(0, 1).toUpperCase() + first.slice(1);
}

const component = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const success = (content: JsonSchema, headers: JsonSchema = {}): JsonSchema => ({
  description: 'Success',
  headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' }, ...headers },
  content,
});

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Repeating a call with the same key has no further effect',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function pathParameters(path: string): JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
    ...(name === 'slug' && { description: 'The slash may be unencoded', example: 'sim/chat' }),
  }));
}

function queryParameters({ properties, required = [] }: JsonSchema): JsonSchema[] {
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => ({
    name,
    in: 'query',
    required: (required as string[]).includes(name),
    schema,
  }));
}
