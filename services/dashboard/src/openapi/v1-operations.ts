import type { AnyErrorCode } from '@gateway/errors';
import { MODEL_TYPES } from '@gateway/models';
import { z } from 'zod';
import { count } from '../api/fields';
import {
  anthropicModel,
  anthropicModels,
  compaction,
  completion,
  contentEmbedding,
  contents,
  createdTask,
  embeddings,
  geminiModel,
  geminiModels,
  images,
  include,
  inputItems,
  message,
  messageBatch,
  messageBatches,
  moderation,
  openAiModel,
  openAiModels,
  ownKey,
  promptCount,
  ranking,
  response,
  storedBatch,
  storedBatches,
  storedFile,
  storedFiles,
  task,
  text,
  textCompletion,
  transcript,
  videoList,
  videoResult,
} from '../api/v1-replies';

/** A call of the API's address space, which chat and media answer. */
export interface V1Operation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** Name in `v1-bodies.json`. */
  readonly body?: string;
  /** The same as multipart/form-data, or a body that exists only in that form. */
  readonly form?: string;
  readonly query?: z.ZodType;
  readonly answer?: z.ZodType;
  /** Media type of a response that is not JSON. */
  readonly answerType?: string;
  /** It responds with server-sent events if the body requests a stream. */
  readonly streams?: true;
  /** Whole replies have the header `X-Gateway-Cost`. */
  readonly returnsCost?: true;
  /** Anyone with the link may call it. */
  readonly keyless?: true;
  readonly idempotent?: true;
  readonly codes: readonly AnyErrorCode[];
}

const COMMON = ['invalid_request', 'not_found', 'rate_limited', 'internal_error'] as const;
const WITH_KEY = [...COMMON, 'invalid_api_key', 'expired_api_key', 'rpm_rate_limited'] as const;
const OF_MODEL = ['invalid_model', 'missing_parameter', 'model_not_found'] as const;
const PAID = [
  ...WITH_KEY,
  ...OF_MODEL,
  'request_cost_limit',
  'insufficient_balance',
  'key_monthly_limit',
  'account_daily_limit',
  'key_daily_limit',
  'tpm_rate_limited',
  'upstream_unavailable',
] as const;
const CHAT = [...PAID, 'upstream_failed'] as const;
const IMAGES = [
  ...PAID,
  'image_model_not_found',
  'image_generation_failed',
  'image_generation_timeout',
] as const;
const TASK_READ = [
  ...WITH_KEY,
  'missing_parameter',
  'video_model_not_found',
  'model_not_found',
  'request_cost_limit',
  'video_billing_error',
  'upstream_failed',
  'upstream_unavailable',
] as const;

const chat = { method: 'POST', tag: 'Chat' } as const;
const storedResponse = { method: 'GET', tag: 'Chat', codes: WITH_KEY } as const;
const file = { method: 'GET', tag: 'Files', codes: WITH_KEY } as const;
const batch = { method: 'GET', tag: 'Batches', codes: WITH_KEY } as const;
const image = {
  method: 'POST',
  tag: 'Images',
  answer: images,
  streams: true,
  returnsCost: true,
  idempotent: true,
  codes: IMAGES,
} as const;
const video = { method: 'POST', tag: 'Videos' } as const;
const audio = { method: 'POST', tag: 'Audio', codes: CHAT } as const;
const models = { method: 'GET', tag: 'Models', codes: WITH_KEY } as const;

/** Every path that edge knows in the API's address space. */
export const V1_OPERATIONS: readonly V1Operation[] = [
  {
    ...chat,
    path: '/v1/chat/completions',
    summary: "Create a chat completion in OpenAI's format, with any chat model",
    body: 'ChatCompletionRequest',
    returnsCost: true,
    answer: completion,
    streams: true,
    codes: CHAT,
  },
  {
    ...chat,
    path: '/v1/completions',
    summary: 'Continue a prompt, or fill in the middle before a suffix, with models that can',
    body: 'CompletionsRequest',
    returnsCost: true,
    answer: textCompletion,
    streams: true,
    codes: CHAT,
  },
  {
    ...chat,
    path: '/v1/responses',
    summary:
      "Create a response in the format of OpenAI's Responses API, with any chat model; stored unless `store` is false, and queued if `background` is true",
    body: 'ResponsesRequest',
    returnsCost: true,
    answer: response,
    streams: true,
    codes: CHAT,
  },
  {
    ...chat,
    path: '/v1/responses/compact',
    summary:
      'Compact a conversation: the messages of the user and an item that stands for the rest, to be sent as the input of later responses; fields that only shape a reply have no effect, and `input` may be absent beside `previous_response_id`',
    body: 'ResponsesRequest',
    returnsCost: true,
    answer: compaction,
    codes: CHAT,
  },
  {
    ...chat,
    path: '/v1/responses/input_tokens',
    summary:
      'Count the input tokens of a `/v1/responses` body, with the conversation that it continues; free',
    body: 'ResponsesRequest',
    answer: z.object({ object: z.literal('response.input_tokens'), input_tokens: count }),
    codes: [...WITH_KEY, ...OF_MODEL],
  },
  {
    ...storedResponse,
    path: '/v1/responses/{response_id}',
    summary: 'Retrieve a stored response; free',
    query: z.object({ include }),
    answer: response,
  },
  {
    ...storedResponse,
    path: '/v1/responses/{response_id}/input_items',
    summary: 'List the input items of a stored response, without those of previous responses; free',
    query: z.object({
      limit: z.int().min(1).max(100).default(20),
      order: z.enum(['asc', 'desc']).default('desc'),
      after: text.optional().meta({ description: 'An item id; lists the items that follow it' }),
      include,
    }),
    answer: inputItems,
  },
  {
    ...storedResponse,
    method: 'POST',
    path: '/v1/responses/{response_id}/cancel',
    summary: 'Cancel a response in the background, or return it if it has ended; refused for any other; free',
    answer: response,
  },
  {
    ...storedResponse,
    method: 'POST',
    path: '/v1/responses/{response_id}/delete',
    summary: 'Delete a stored response; free',
    answer: z.object({ id: text, object: z.literal('response'), deleted: z.literal(true) }),
  },
  {
    ...file,
    path: '/v1/files',
    summary: "List the account's files; free",
    query: z.object({
      limit: z.int().min(1).max(10_000).optional().meta({ description: 'A page has at most 1,000' }),
      order: z.enum(['asc', 'desc']).default('desc'),
      after: text.max(100).optional().meta({ description: 'A file id; lists the files that follow it' }),
      purpose: text.max(100).optional(),
    }),
    answer: storedFiles,
  },
  {
    ...file,
    method: 'POST',
    path: '/v1/files',
    summary: 'Store a file; free',
    form: 'FileForm',
    answer: storedFile,
  },
  {
    ...file,
    path: '/v1/files/{file_id}',
    summary: 'Retrieve what is known of a file; free',
    answer: storedFile,
  },
  {
    ...file,
    path: '/v1/files/{file_id}/content',
    summary: 'Retrieve the content of a file; free',
    answerType: 'application/octet-stream',
  },
  {
    ...file,
    method: 'POST',
    path: '/v1/files/{file_id}/delete',
    summary: 'Delete a file; free',
    answer: z.object({ id: text, object: z.literal('file'), deleted: z.literal(true) }),
  },
  {
    ...batch,
    path: '/v1/batches',
    summary: "List the account's batches, newest first; free",
    query: z.object({
      limit: z.int().min(1).max(100).default(20),
      after: text.max(100).optional().meta({ description: 'A batch id; lists the batches that follow it' }),
    }),
    answer: storedBatches,
  },
  {
    ...batch,
    method: 'POST',
    path: '/v1/batches',
    summary: 'Create a batch of the calls in a file; each is charged as it is made',
    body: 'BatchRequest',
    answer: storedBatch,
    codes: [...WITH_KEY, 'missing_parameter'],
  },
  {
    ...batch,
    path: '/v1/batches/{batch_id}',
    summary: 'Retrieve a batch; free',
    answer: storedBatch,
  },
  {
    ...batch,
    method: 'POST',
    path: '/v1/batches/{batch_id}/cancel',
    summary: 'Cancel a batch: calls in flight are still answered; free',
    answer: storedBatch,
  },
  {
    ...batch,
    path: '/v1/messages/batches',
    summary: "List the account's message batches, newest first; free",
    query: z.object({
      limit: z.int().min(1).max(1_000).default(20),
      before_id: text.max(100).optional().meta({ description: 'Lists newer batches' }),
      after_id: text.max(100).optional().meta({ description: 'Lists older batches' }),
    }),
    answer: messageBatches,
  },
  {
    ...batch,
    method: 'POST',
    path: '/v1/messages/batches',
    summary: 'Create a batch of `/v1/messages` calls; each is charged as it is made',
    body: 'MessageBatchRequest',
    answer: messageBatch,
    codes: [...WITH_KEY, 'missing_parameter'],
  },
  {
    ...batch,
    path: '/v1/messages/batches/{batch_id}',
    summary: 'Retrieve a message batch; free',
    answer: messageBatch,
  },
  {
    ...batch,
    path: '/v1/messages/batches/{batch_id}/results',
    summary: 'Retrieve the results of a message batch that has ended, a line of JSON for each call; free',
    answerType: 'application/x-jsonl',
  },
  {
    ...batch,
    method: 'POST',
    path: '/v1/messages/batches/{batch_id}/cancel',
    summary: 'Cancel a message batch: calls in flight are still answered; free',
    answer: messageBatch,
  },
  {
    ...batch,
    method: 'POST',
    path: '/v1/messages/batches/{batch_id}/delete',
    summary: 'Delete a message batch that has ended, with its results; free',
    answer: z.object({ id: text, type: z.literal('message_batch_deleted') }),
  },
  {
    ...chat,
    path: '/v1/messages',
    summary: "Create a message in Anthropic's format, with any chat model",
    body: 'MessagesRequest',
    returnsCost: true,
    answer: message,
    streams: true,
    codes: CHAT,
  },
  {
    ...chat,
    path: '/v1/messages/count_tokens',
    summary: 'Count the tokens of a `/v1/messages` body; free',
    body: 'CountTokensRequest',
    answer: z.object({ input_tokens: count }),
    codes: [...WITH_KEY, ...OF_MODEL],
  },
  ...['/v1beta', '/v1'].flatMap((version): V1Operation[] => [
    {
      ...chat,
      path: `${version}/models/{model}:generateContent`,
      summary:
        "Generate content in Google's format, with any chat model; the slash in its slug may be sent as it is, and `models/` left out before a slug",
      body: 'GenerateContentRequest',
      returnsCost: true,
      answer: contents,
      codes: CHAT,
    },
    {
      ...chat,
      path: `${version}/models/{model}:streamGenerateContent`,
      summary: "Generate content in Google's format as a stream: of server-sent events, or a JSON array",
      body: 'GenerateContentRequest',
      query: z.object({ alt: z.enum(['sse', 'json']).default('json') }),
      answer: z.array(contents),
      streams: true,
      codes: CHAT,
    },
    {
      method: 'POST',
      tag: 'Embeddings',
      path: `${version}/models/{model}:embedContent`,
      summary: "Create an embedding in Google's format, with any embedding model",
      body: 'EmbedContentRequest',
      answer: z.object({ embedding: contentEmbedding, usageMetadata: promptCount }),
      returnsCost: true,
      codes: CHAT,
    },
    {
      method: 'POST',
      tag: 'Embeddings',
      path: `${version}/models/{model}:batchEmbedContents`,
      summary: "Create embeddings in Google's format; all requests have the same task and size",
      body: 'BatchEmbedContentsRequest',
      answer: z.object({ embeddings: z.array(contentEmbedding), usageMetadata: promptCount }),
      returnsCost: true,
      codes: CHAT,
    },
    {
      ...chat,
      path: `${version}/models/{model}:countTokens`,
      summary: "Count the tokens of a body in Google's format; free",
      body: 'GenerateContentRequest',
      answer: z.object({ totalTokens: count }),
      codes: [...WITH_KEY, ...OF_MODEL],
    },
  ]),
  {
    method: 'POST',
    tag: 'Embeddings',
    path: '/v1/embeddings',
    summary: "Create embeddings of texts in OpenAI's format, with any embedding model",
    body: 'EmbeddingsRequest',
    returnsCost: true,
    answer: embeddings,
    codes: CHAT,
  },
  {
    ...audio,
    path: '/v1/audio/speech',
    summary: 'Speak a text; as events with `stream_format: sse`',
    body: 'SpeechRequest',
    answerType: 'audio/*',
    streams: true,
  },
  {
    ...audio,
    path: '/v1/audio/transcriptions',
    summary: 'Transcribe a file of audio',
    form: 'TranscriptionForm',
    returnsCost: true,
    answer: transcript,
    answerType: 'text/*',
    streams: true,
  },
  {
    ...audio,
    path: '/v1/audio/translations',
    summary: 'Translate a file of audio into English text',
    form: 'TranslationForm',
    returnsCost: true,
    answer: transcript,
    answerType: 'text/*',
  },
  {
    method: 'GET',
    tag: 'Key',
    path: '/v1/key',
    summary:
      'Retrieve the limits of the key that calls, what is used of them, and the funds of its account; free',
    answer: ownKey,
    codes: WITH_KEY,
  },
  {
    method: 'POST',
    tag: 'Moderations',
    path: '/v1/moderations',
    summary: "Classify texts and images in OpenAI's format, with any moderation model",
    body: 'ModerationsRequest',
    returnsCost: true,
    answer: moderation,
    codes: CHAT,
  },
  ...['/v1/rerank', '/v2/rerank'].map(
    (path): V1Operation => ({
      method: 'POST',
      tag: 'Rerank',
      path,
      summary: "Rank documents by their relevance to a query, in Cohere's and Jina AI's format",
      body: 'RerankRequest',
      returnsCost: true,
      answer: ranking,
      codes: CHAT,
    }),
  ),
  {
    ...models,
    path: '/v1/models',
    summary:
      "List the models that the key may call; with `anthropic-version`, chat models in Anthropic's format, and with `x-goog-api-key`, in Google's, paginated",
    query: z.object({
      type: z.enum(MODEL_TYPES).optional(),
      limit: z.int().min(1).max(1_000).optional(),
      after_id: text.optional(),
      before_id: text.optional(),
      pageSize: z.int().min(0).optional(),
      pageToken: text.optional(),
    }),
    answer: z.union([openAiModels, anthropicModels, geminiModels]),
  },
  {
    ...models,
    path: '/v1beta/models',
    summary: "List the chat and embedding models that the key may call in Google's format, paginated",
    query: z.object({
      pageSize: z.int().min(0).optional(),
      pageToken: text.optional(),
      type: z.enum(MODEL_TYPES).optional(),
    }),
    answer: geminiModels,
  },
  {
    ...models,
    path: '/v1beta/models/{model}',
    summary: "Retrieve a model in Google's format",
    answer: geminiModel,
    codes: [...WITH_KEY, 'model_not_found'],
  },
  {
    ...models,
    path: '/v1/models/{model}',
    summary: 'Retrieve a model; the slash in its slug may be sent as `%2F`',
    answer: z.union([openAiModel, anthropicModel, geminiModel]),
    codes: [...WITH_KEY, 'model_not_found'],
  },
  {
    ...image,
    path: '/v1/images',
    summary: 'Generate images; with a form, edit images',
    body: 'ImageGenerationRequest',
    form: 'ImageEditForm',
  },
  { ...image, path: '/v1/images/generations', summary: 'Generate images', body: 'ImageGenerationRequest' },
  {
    ...image,
    path: '/v1/images/edits',
    summary: 'Edit images',
    form: 'ImageEditForm',
    codes: IMAGES.filter((code) => code !== 'missing_parameter'),
  },
  {
    method: 'GET',
    tag: 'Videos',
    path: '/v1/videos',
    summary:
      "List the account's video tasks of models that the key may call, newest first; kept for a month; free",
    query: z.object({
      limit: z.int().min(1).max(100).default(20),
      after: text.optional().meta({ description: 'A task id; lists tasks created before it' }),
      request_id: text.optional().meta({ description: 'The task that this request created' }),
    }),
    answer: videoList,
    codes: WITH_KEY,
  },
  {
    ...video,
    path: '/v1/videos/{provider}/create',
    summary: 'Create a video task at the provider that owns the model',
    body: 'VideoRequest',
    form: 'VideoForm',
    answer: createdTask,
    idempotent: true,
    codes: [
      ...PAID,
      'upstream_failed',
      'video_model_not_found',
      'video_tier_not_found',
      'video_generation_failed',
      'video_task_id_missing',
    ],
  },
  {
    ...video,
    path: '/v1/videos/{provider}/status',
    summary: 'Retrieve the status of a video task; free',
    body: 'VideoTaskRequest',
    answer: task,
    codes: TASK_READ,
  },
  {
    ...video,
    path: '/v1/videos/{provider}/result',
    summary: 'Retrieve the result of a completed video task; free',
    body: 'VideoTaskRequest',
    answer: videoResult,
    returnsCost: true,
    codes: TASK_READ,
  },
  {
    method: 'GET',
    tag: 'Videos',
    path: '/v1/videos/files/{token}',
    summary: 'Download a video that only the gateway can fetch from its provider, by a link from `result`',
    answerType: 'video/mp4',
    keyless: true,
    codes: [...COMMON, 'upstream_failed', 'upstream_unavailable'],
  },
];
