import type { ErrorCode } from '@gateway/errors';
import {
  bearer,
  type ChatEndpoint,
  COMPACTION,
  COMPLETIONS,
  COUNT_TOKENS,
  EMBEDDINGS,
  INPUT_TOKENS,
  MESSAGES,
  MODERATIONS,
  RERANK,
  RESPONSES,
  TEXT_COMPLETIONS,
} from './caller';
import type { ConformanceCase } from './case';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** What may stand in the place of a required field; undefined omits it. */
const FORMS = [
  ['absent', undefined],
  ['null', null],
  ['an empty text', ''],
  ['an empty list', []],
  ['an empty object', {}],
] as const;
type Form = (typeof FORMS)[number][0];

interface Refusal {
  readonly code: ErrorCode;
  readonly param?: string;
}
const INVALID: Refusal = { code: 'invalid_request' };

/** A required field by its path, and the refusals of forms that differ from those of most fields. */
interface RequiredField {
  readonly path: string;
  readonly but?: Partial<Readonly<Record<Form, Refusal>>>;
  /** An empty object is a value like any other. */
  readonly mayBeEmpty?: true;
}

interface Endpoint {
  readonly path: string;
  readonly body: Json;
  readonly required: readonly (string | RequiredField)[];
  /** Of the dashboard; undefined: of the API. */
  readonly dashboard?: 'login' | 'public';
}

/** An empty model is malformed, not missing. */
const MODEL: RequiredField = {
  path: 'model',
  but: {
    null: { code: 'invalid_model' },
    'an empty text': { code: 'invalid_model' },
    'an empty list': { code: 'invalid_model' },
  },
};
/** A field whose empty object lacks a field of its own. */
const parent = (path: string, child: string): RequiredField => ({
  path,
  but: { 'an empty object': { code: 'missing_parameter', param: child } },
});

const MESSAGE_FIELDS = [
  ...['messages', 'messages[0].role', 'messages[0].content'],
  'messages[0].content[0].type',
];
const of = ({ path, body }: ChatEndpoint, required: Endpoint['required'], fields: object = {}): Endpoint => ({
  path,
  body: JSON.parse(JSON.stringify(body(fields))),
  required: [MODEL, ...required],
});
const MESSAGES_OF_PARTS = { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] };

const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const CONTENT = { parts: [{ text: 'A cat.' }] };
const google = (
  model: string,
  action: string,
  body: Json,
  required: Endpoint['required'],
): readonly Endpoint[] =>
  ['/v1beta', '/v1'].map((version) => ({
    path: `${version}/models/${model}:${action}`,
    body,
    required,
  }));

const IMAGE = { model: 'sim/image', prompt: 'A cat.' };
const TASK = 'task_00000000-0000-7000-8000-000000000000';

const ENDPOINTS: readonly Endpoint[] = [
  of(COMPLETIONS, MESSAGE_FIELDS, MESSAGES_OF_PARTS),
  of(MESSAGES, [...MESSAGE_FIELDS, 'max_tokens'], MESSAGES_OF_PARTS),
  of(COUNT_TOKENS, MESSAGE_FIELDS, MESSAGES_OF_PARTS),
  of(COMPACTION, ['input', 'input[0].role', 'input[0].content']),
  of(INPUT_TOKENS, ['input', 'input[0].role', 'input[0].content']),
  of(RESPONSES, ['input', 'input[0].role', 'input[0].content']),
  of(TEXT_COMPLETIONS, ['prompt']),
  of(EMBEDDINGS, ['input']),
  of(MODERATIONS, ['input']),
  of(RERANK, ['query', 'documents']),
  of({ ...RERANK, path: '/v2/rerank' }, ['query', 'documents', parent('documents[0]', 'documents[0].text')]),
  ...['generateContent', 'streamGenerateContent', 'countTokens'].flatMap((action) =>
    google('sim/chat', action, CONTENTS, [parent('contents', 'contents[0].parts'), 'contents[0].parts']),
  ),
  ...google('sim/embedding', 'embedContent', { content: CONTENT }, [
    parent('content', 'content.parts'),
    'content.parts',
  ]),
  ...google('sim/embedding', 'batchEmbedContents', { requests: [{ content: CONTENT }] }, [
    'requests',
    parent('requests[0].content', 'requests[0].content.parts'),
    'requests[0].content.parts',
  ]),
  {
    path: '/v1/batches',
    body: { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' },
    required: ['input_file_id', 'endpoint', 'completion_window'],
  },
  {
    path: '/v1/messages/batches',
    body: { requests: [{ custom_id: 'a', params: { model: 'sim/chat' } }] },
    required: ['requests', 'requests[0].custom_id', { path: 'requests[0].params', mayBeEmpty: true }],
  },
  { path: '/v1/images', body: IMAGE, required: [MODEL, 'prompt'] },
  { path: '/v1/images/generations', body: IMAGE, required: [MODEL, 'prompt'] },
  {
    path: '/v1/audio/speech',
    body: { model: 'sim/speech', input: 'Hello', voice: 'alloy' },
    required: [MODEL, 'input', parent('voice', 'voice.id')],
  },
  {
    path: '/v1/videos/sim/create',
    body: { model: 'sim/video', prompt: 'A cat.' },
    required: [MODEL, 'prompt'],
  },
  { path: '/v1/videos/sim/status', body: { task_id: TASK }, required: ['task_id'] },
  { path: '/v1/videos/sim/result', body: { task_id: TASK }, required: ['task_id'] },
  { path: '/api/v1/keys', body: { name: 'ci' }, required: ['name'], dashboard: 'login' },
  {
    path: '/api/v1/auth/register',
    body: { email: 'ada@example.com', password: 'a long password' },
    required: ['email', 'password'],
    dashboard: 'public',
  },
  {
    path: '/api/v1/auth/login',
    body: { email: 'ada@example.com', password: 'a long password' },
    required: ['email', 'password'],
    dashboard: 'public',
  },
];

/** `requests[0].params` → `requests`, `0`, `params`. */
const stepsOf = (path: string): readonly string[] => path.match(/[^.[\]]+/g)!;

/** Returns a copy with the value at the path replaced, or removed if it is undefined. */
function withValue(json: Json, [step, ...rest]: readonly string[], value: Json | undefined): Json {
  const copy = (Array.isArray(json) ? [...json] : { ...(json as object) }) as Record<string, Json>;
  const inner = rest.length > 0 ? withValue(copy[step!]!, rest, value) : value;
  if (inner === undefined) delete copy[step!];
  else copy[step!] = inner;
  return copy;
}

function refusalOf({ path, but }: RequiredField, form: Form): Refusal {
  const usual: Refusal = form === 'an empty object' ? INVALID : { code: 'missing_parameter', param: path };
  return but?.[form] ?? usual;
}

/** An entry of a list can't be absent. */
const formsOf = ({ path, mayBeEmpty }: RequiredField) =>
  FORMS.filter(
    ([form]) => !(form === 'absent' && path.endsWith(']')) && !(form === 'an empty object' && mayBeEmpty),
  );

/** Each required field of each endpoint in each form in which it is not given. */
export const REQUIRED_FIELD_CASES: readonly ConformanceCase[] = ENDPOINTS.flatMap(
  ({ path, body, required, dashboard }) =>
    required
      .map((field): RequiredField => (typeof field === 'string' ? { path: field } : field))
      .flatMap((field) =>
        formsOf(field).map(
          ([form, value]): ConformanceCase => ({
            ...refusalOf(field, form),
            when: `${field.path} ${form}, POST ${path}`,
            provoke: ({ caller, customer }) => {
              const sent = withValue(body, stepsOf(field.path), value);
              if (!dashboard) return caller.api('POST', path, bearer(customer.apiKey), sent);
              return caller.dashboard(
                'POST',
                path,
                dashboard === 'login' ? bearer(customer.token) : {},
                sent,
              );
            },
          }),
        ),
      ),
);
