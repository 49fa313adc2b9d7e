import { ENDPOINTS, type KnownEndpoint as V1Endpoint } from '@gateway/endpoints';
import type { AnyErrorCode } from '@gateway/errors';
import { V1_QUERIES, V1_REPLIES } from '../api/v1-replies';
import type { Role } from '../domain/access';
import { type Endpoint, noFields } from '../routes/endpoint';

import { ERROR_EXAMPLES, ERROR_SCHEMA, errorResponses } from './error-responses';
import { type JsonSchema, SchemaBook } from './schema-book';
import { V1_EXAMPLES } from './v1-examples';

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

/** A call of the playground, which edge relays like the call of the API that it names. */
interface PlaygroundCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly access: Role;
  readonly doc: { readonly summary: string };
  readonly relays: V1Endpoint;
}

/** `/v1/images` is `/playground/images` there, and `/v1/chat/completions` is `/playground/chat`. */
const PLAYGROUND_CALLS: readonly PlaygroundCall[] = ENDPOINTS.flatMap((relays) =>
  relays.playground === undefined
    ? []
    : {
        method: relays.method,
        path: relays.path.replace('/v1/', '/playground/').replace('chat/completions', 'chat'),
        access: relays.keyless ? 'viewer' : 'member',
        doc: { summary: relays.playground },
        relays,
      },
);

/** Returns the OpenAPI 3.1 document of both address spaces. */
export function apiDocument({ endpoints, v1Bodies, apiUrl }: DocumentOptions): ApiDocument {
  const book = new SchemaBook();
  const paths: Record<string, Record<string, Operation>> = {};
  const add = (path: string, method: string, operation: Operation) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  const apiServer = apiUrl === undefined ? UNKNOWN_SERVER : { url: apiUrl, description: 'The API' };
  for (const endpoint of ENDPOINTS) {
    add(endpoint.path, endpoint.method, v1Operation(endpoint, book, apiServer));
  }
  for (const endpoint of [...endpoints, ...PLAYGROUND_CALLS]) {
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

function v1Operation(endpoint: V1Endpoint, book: SchemaBook, server: JsonSchema): Operation {
  const { method, path, keyless, body, form, doc } = endpoint;
  const content = {
    ...(body && { 'application/json': { schema: component(body), ...exampleOf(path, 'body') } }),
    ...(form && { 'multipart/form-data': { schema: component(form) } }),
  };
  const query = doc.query && V1_QUERIES[doc.query];
  return {
    operationId: operationIdOf(method, path),
    summary: doc.summary,
    tags: [doc.tag],
    parameters: [
      ...pathParameters(path),
      ...(query ? queryParameters(book.input(query)) : []),
      ...(doc.idempotent ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(Object.keys(content).length > 0 && { requestBody: { required: true, content } }),
    responses: { 200: v1Answer(endpoint, book), ...errorResponses(doc.codes) },
    security: keyless ? [] : [{ key: [] }, { xApiKey: [] }],
    servers: [server],
  };
}

function exampleOf(path: string, of: 'body' | 'answer'): JsonSchema {
  const example = V1_EXAMPLES[path]?.[of];
  return example === undefined ? {} : { example };
}

function v1Answer({ path, doc }: V1Endpoint, book: SchemaBook): JsonSchema {
  const { reply, replyType, streams, returnsCost } = doc;
  const schema = reply && V1_REPLIES[reply];
  const content = {
    ...(schema && { 'application/json': { schema: book.output(schema), ...exampleOf(path, 'answer') } }),
    ...(replyType && { [replyType]: {} }),
    ...(streams && { 'text/event-stream': { schema: { type: 'string' } } }),
  };
  return success(content, returnsCost && { 'X-Gateway-Cost': { $ref: '#/components/headers/Cost' } });
}

interface Schemas {
  readonly book: SchemaBook;
  readonly v1Bodies: DocumentOptions['v1Bodies'];
}

function dashboardOperation(endpoint: Endpoint | PlaygroundCall, path: string, schemas: Schemas): Operation {
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
function relayedParts({ access, relays }: PlaygroundCall, path: string, { book, v1Bodies }: Schemas) {
  const form = relays.body ? undefined : relays.form;
  const body = relays.body ? v1Bodies[relays.body] : undefined;
  const content = form
    ? { 'multipart/form-data': { schema: component(form) } }
    : body && { 'application/json': { schema: withKeyId(body) } };
  const ofKey = content ? (['missing_parameter'] as const) : [];
  return {
    parameters: [
      ...pathParameters(path),
      ...(form ? [{ name: 'key_id', in: 'query', required: true, schema: KEY_ID }] : []),
      ...(relays.doc.idempotent ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(content && { requestBody: { required: true, content } }),
    responses: {
      200: v1Answer(relays, book),
      ...errorResponses([...commonCodes(access), ...ofKey, ...relays.doc.codes]),
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

function tagOf({ path, access }: Endpoint | PlaygroundCall): string {
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
