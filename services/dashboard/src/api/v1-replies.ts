import type { QueryName, ReplyName } from '@gateway/endpoints';
import { MODEL_TYPES } from '@gateway/models';
import { z } from 'zod';
import { count, type Json } from './fields';
import { v1ModelFields } from './models';

const text = z.string();
/** A number in a reply that is passed through as its provider wrote it. */
const passedThroughCount = z
  .unknown()
  .optional()
  .meta({ description: 'An integer, unless the provider sent another number' });

const cost = z
  .number()
  .optional()
  .meta({ description: 'USD that the account is charged, at most nine decimals' });

/** Passed through as the provider sends it, under an id of the account. */
const spoken = z
  .looseObject({ id: text.optional(), data: text.optional(), transcript: text.optional() })
  .meta({ description: 'A spoken reply, with its audio in base64' });

/** A page of a list as OpenAI's API has it. */
const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    object: z.literal('list'),
    data: z.array(item),
    first_id: text.nullable(),
    last_id: text.nullable(),
    has_more: z.boolean(),
  });

const completionTokens = {
  prompt_tokens: passedThroughCount,
  completion_tokens: passedThroughCount,
  total_tokens: passedThroughCount,
};
const completion = z
  .looseObject({
    id: text,
    object: z.literal('chat.completion'),
    created: count,
    model: text,
    choices: z.array(
      z.looseObject({
        index: count,
        message: z.looseObject({
          role: z.literal('assistant'),
          content: text.nullish(),
          audio: spoken.nullish(),
        }),
        finish_reason: text.nullable(),
      }),
    ),
    usage: z
      .looseObject({
        ...completionTokens,
        cost,
      })
      .nullish(),
  })
  .meta({ id: 'ChatCompletion' });
const textCompletion = z
  .looseObject({
    id: text,
    object: z.literal('text_completion'),
    created: count,
    model: text,
    choices: z.array(z.looseObject({ index: count, text, finish_reason: text.nullable() })),
    usage: z
      .looseObject({
        ...completionTokens,
      })
      .nullish(),
  })
  .meta({ id: 'TextCompletion' });
const message = z
  .looseObject({
    id: text,
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: text,
    content: z.array(z.looseObject({ type: text })),
    stop_reason: text.nullable(),
    usage: z.looseObject({ input_tokens: passedThroughCount, output_tokens: passedThroughCount, cost }),
  })
  .meta({ id: 'Message' });
const responseUsage = z.looseObject({ input_tokens: count, output_tokens: count, total_tokens: count, cost });
const response = z
  .looseObject({
    id: text,
    object: z.literal('response'),
    created_at: count,
    status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']).meta({
      description: 'Of a response that is not in the background: `completed` or `incomplete`',
    }),
    error: z.looseObject({ code: text, message: text }).nullish(),
    incomplete_details: z.looseObject({ reason: text }).nullable(),
    model: text,
    output: z.array(z.looseObject({ type: text })),
    usage: responseUsage.optional().meta({ description: 'Of a response with output' }),
  })
  .meta({ id: 'Response' });
const compaction = z
  .looseObject({
    id: text,
    object: z.literal('response.compaction'),
    created_at: count,
    output: z.array(z.looseObject({ type: text })),
    usage: responseUsage,
  })
  .meta({ id: 'ResponseCompaction' });
const inputItems = listOf(z.looseObject({ id: text, type: text })).meta({ id: 'ResponseInputItems' });
const storedFile = z
  .object({
    id: text,
    object: z.literal('file'),
    bytes: count,
    created_at: count,
    expires_at: count,
    filename: text,
    purpose: text,
    status: z.literal('processed'),
  })
  .meta({ id: 'File' });
const storedFiles = listOf(storedFile).meta({ id: 'FileList' });
const storedBatch = z
  .object({
    id: text,
    object: z.literal('batch'),
    endpoint: text,
    errors: z
      .object({
        object: z.literal('list'),
        data: z.array(
          z.object({ code: text, message: text, line: count.nullable(), param: text.nullable() }),
        ),
      })
      .nullable(),
    input_file_id: text,
    completion_window: z.literal('24h'),
    status: z.enum([
      'validating',
      'failed',
      'in_progress',
      'finalizing',
      'completed',
      'expired',
      'cancelling',
      'cancelled',
    ]),
    output_file_id: text.nullable().meta({ description: 'Calls that succeeded; null until the batch ends' }),
    error_file_id: text.nullable().meta({ description: 'Calls that failed; null until the batch ends' }),
    created_at: count,
    in_progress_at: count.nullable(),
    expires_at: count,
    finalizing_at: count.nullable(),
    completed_at: count.nullable(),
    failed_at: count.nullable(),
    expired_at: count.nullable(),
    cancelling_at: count.nullable(),
    cancelled_at: count.nullable(),
    request_counts: z.object({ total: count, completed: count, failed: count }),
    metadata: z.record(text, text).nullable(),
    usage: z
      .object({
        input_tokens: count,
        input_tokens_details: z.object({ cached_tokens: count }),
        output_tokens: count,
        output_tokens_details: z.object({ reasoning_tokens: count }),
        total_tokens: count,
        cost,
      })
      .optional()
      .meta({ description: 'Of the calls that succeeded; only of a batch that has ended' }),
  })
  .meta({ id: 'Batch' });
const storedBatches = listOf(storedBatch).meta({ id: 'BatchList' });
const messageBatch = z
  .object({
    id: text,
    type: z.literal('message_batch'),
    processing_status: z.enum(['in_progress', 'canceling', 'ended']),
    request_counts: z.object({
      processing: count,
      succeeded: count,
      errored: count,
      canceled: count,
      expired: count,
    }),
    created_at: text,
    expires_at: text,
    ended_at: text.nullable(),
    cancel_initiated_at: text.nullable(),
    archived_at: z.null(),
    results_url: text.nullable().meta({ description: 'Null until the batch ends' }),
  })
  .meta({ id: 'MessageBatch' });
const messageBatches = z
  .object({
    data: z.array(messageBatch),
    has_more: z.boolean(),
    first_id: text.nullable(),
    last_id: text.nullable(),
  })
  .meta({ id: 'MessageBatchList' });
const include = text.optional().meta({ description: 'May be `reasoning.encrypted_content`' });
const contents = z
  .looseObject({
    candidates: z.array(z.looseObject({ content: z.looseObject({}), finishReason: text.optional() })),
    usageMetadata: z.looseObject({ promptTokenCount: passedThroughCount }),
    modelVersion: text.optional(),
  })
  .meta({ id: 'GenerateContentResponse' });
const embeddings = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: count,
        embedding: z
          .union([z.array(z.number()), text])
          .meta({ description: 'Floats, or the base64 of little-endian float32 if the body asks for it' }),
      }),
    ),
    model: text,
    usage: z.object({ prompt_tokens: count, total_tokens: count }),
  })
  .meta({ id: 'Embeddings' });
const transcript = z
  .looseObject({
    text,
    usage: z
      .looseObject({})
      .optional()
      .meta({ description: 'Tokens or the duration, as the provider reports them' }),
  })
  .meta({ id: 'Transcript' });
const contentEmbedding = z.object({ values: z.array(z.number()) }).meta({ id: 'ContentEmbedding' });
const promptCount = z.object({ promptTokenCount: count });
const usd = z.number().meta({ description: 'USD, at most nine decimals' });
const rate = z.object({ limit: count, used: count, resets_at: text }).nullable();
const spend = z.object({
  limit: usd.nullable(),
  used: usd.meta({ description: 'Includes funds reserved for in-flight requests' }),
  resets_at: text,
});
const ownKey = z
  .object({
    object: z.literal('key'),
    name: text,
    status: z.literal('enabled'),
    expires_at: text.nullable(),
    allowed_models: z.array(text).meta({ description: 'Empty: every model' }),
    scopes: z.array(text).nullable().meta({ description: 'Null: everything' }),
    rpm: rate.meta({ description: 'Requests per minute, this one included; null: no limit' }),
    tpm: rate.meta({ description: 'Tokens per minute; null: no limit' }),
    daily: spend,
    monthly: spend,
    request_cost_limit: usd.nullable(),
    account: z
      .object({
        balance: usd,
        available: usd.meta({ description: 'The balance without funds reserved for in-flight requests' }),
        currency: z.literal('USD'),
      })
      .nullable()
      .meta({ description: 'Null if the scopes of the key lack `billing`' }),
  })
  .meta({ id: 'OwnKey' });
const moderation = z
  .object({
    id: text,
    model: text,
    results: z.array(
      z.looseObject({
        flagged: z.boolean(),
        categories: z.record(text, z.boolean()),
        category_scores: z.record(text, z.number()),
        category_applied_input_types: z.record(text, z.array(text)),
      }),
    ),
  })
  .meta({ id: 'Moderation' });
const ranking = z
  .object({
    id: text.optional(),
    object: z.literal('list'),
    model: text,
    results: z.array(
      z.object({
        index: count,
        relevance_score: z.number(),
        document: z.object({ text }).optional(),
      }),
    ),
    meta: z
      .object({
        api_version: z.object({ version: z.literal('2') }),
        billed_units: z.object({ search_units: count }),
      })
      .optional()
      .meta({ description: 'Of models that are priced per search unit' }),
    usage: z.object({ prompt_tokens: count, total_tokens: count }),
  })
  .meta({ id: 'Ranking' });
const openAiModel = z
  .object({
    id: text.meta({ description: 'The slug' }),
    object: z.literal('model'),
    created: count,
    owned_by: text,
    ...v1ModelFields,
  })
  .meta({ id: 'OpenAiModel' });
const anthropicModel = z
  .looseObject({ id: text, type: z.literal('model'), display_name: text, created_at: text })
  .meta({ id: 'AnthropicModel' });
const geminiModel = z
  .object({
    name: text.meta({ description: '`models/<slug>`' }),
    displayName: text,
    inputTokenLimit: count.optional(),
    outputTokenLimit: count.optional(),
    supportedGenerationMethods: z.array(text),
  })
  .meta({ id: 'GeminiModel' });
const geminiModels = z.object({ models: z.array(geminiModel), nextPageToken: text.optional() });
const openAiModels = z.object({ object: z.literal('list'), data: z.array(openAiModel) });
const anthropicModels = z.object({
  data: z.array(anthropicModel),
  has_more: z.boolean(),
  first_id: text.nullable(),
  last_id: text.nullable(),
});
const images = z
  .object({
    created: count,
    data: z.array(
      z.object({ b64_json: text.optional(), url: text.optional(), revised_prompt: text.optional() }),
    ),
    background: text.optional(),
    output_format: text.optional(),
    quality: text.optional(),
    size: text.optional(),
    usage: z.looseObject({ input_tokens: count, output_tokens: count, total_tokens: count }).optional(),
  })
  .meta({ id: 'Images' });

const taskStatus = z
  .enum(['queued', 'running', 'completed', 'failed', 'canceled', 'expired'])
  .meta({ description: '`completed` when the video can be downloaded' });
const taskError = z.object({ code: text, message: text, detail: text.optional() }).optional();
const created = { task_id: text, status: taskStatus, model: text, created_at: text };
const createdTask = z.object(created).meta({ id: 'CreatedVideoTask' });
const taskFields = {
  ...created,
  ended_at: text.optional(),
  duration: z.number().optional().meta({ description: 'Seconds' }),
  error: taskError,
};
const task = z.object(taskFields).meta({ id: 'VideoTask' });
const listedTask = z
  .object({
    id: text.meta({ description: 'The same as `task_id`' }),
    object: z.literal('video'),
    ...taskFields,
    cost: z.number().nullable().meta({ description: 'USD; null until the task has ended' }),
    request_id: text.meta({ description: '`X-Request-Id` of the call that created it' }),
  })
  .meta({ id: 'ListedVideoTask' });
const videoList = listOf(listedTask);
const videoResult = z
  .object({
    task_id: text,
    status: taskStatus,
    videos: z.array(z.object({ url: text, duration: z.number(), expires_at: text.nullable() })),
    error: taskError,
  })
  .meta({ id: 'VideoResult' });

/** Replies of the API's endpoints. */
export const V1_REPLIES = {
  compaction,
  completion,
  contentTokens: z.object({ totalTokens: count }),
  contents,
  contentsList: z.array(contents),
  createdTask,
  deletedFile: z.object({ id: text, object: z.literal('file'), deleted: z.literal(true) }),
  deletedMessageBatch: z.object({ id: text, type: z.literal('message_batch_deleted') }),
  deletedResponse: z.object({ id: text, object: z.literal('response'), deleted: z.literal(true) }),
  embeddedContent: z.object({ embedding: contentEmbedding, usageMetadata: promptCount }),
  embeddedContents: z.object({ embeddings: z.array(contentEmbedding), usageMetadata: promptCount }),
  embeddings,
  geminiModel,
  geminiModels,
  images,
  inputItems,
  inputTokens: z.object({ object: z.literal('response.input_tokens'), input_tokens: count }),
  message,
  messageBatch,
  messageBatches,
  messageTokens: z.object({ input_tokens: count }),
  model: z.union([openAiModel, anthropicModel, geminiModel]),
  models: z.union([openAiModels, anthropicModels, geminiModels]),
  moderation,
  ownKey,
  ranking,
  response,
  storedBatch,
  storedBatches,
  storedFile,
  storedFiles,
  task,
  textCompletion,
  transcript,
  videoList,
  videoResult,
} satisfies Record<ReplyName, z.ZodType>;

/** Queries of the API's endpoints. */
export const V1_QUERIES = {
  responseQuery: z.object({ include }),
  inputItemsQuery: z.object({
    limit: z.int().min(1).max(100).default(20),
    order: z.enum(['asc', 'desc']).default('desc'),
    after: text.optional().meta({ description: 'An item id; lists the items that follow it' }),
    include,
  }),
  filesQuery: z.object({
    limit: z.int().min(1).max(10_000).optional().meta({ description: 'A page has at most 1,000' }),
    order: z.enum(['asc', 'desc']).default('desc'),
    after: text.max(100).optional().meta({ description: 'A file id; lists the files that follow it' }),
    purpose: text.max(100).optional(),
  }),
  batchesQuery: z.object({
    limit: z.int().min(1).max(100).default(20),
    after: text.max(100).optional().meta({ description: 'A batch id; lists the batches that follow it' }),
  }),
  messageBatchesQuery: z.object({
    limit: z.int().min(1).max(1_000).default(20),
    before_id: text.max(100).optional().meta({ description: 'Lists newer batches' }),
    after_id: text.max(100).optional().meta({ description: 'Lists older batches' }),
  }),
  streamedContentsQuery: z.object({ alt: z.enum(['sse', 'json']).default('json') }),
  modelsQuery: z.object({
    type: z.enum(MODEL_TYPES).optional(),
    limit: z.int().min(1).max(1_000).optional(),
    after_id: text.optional(),
    before_id: text.optional(),
    pageSize: z.int().min(0).optional(),
    pageToken: text.optional(),
  }),
  geminiModelsQuery: z.object({
    pageSize: z.int().min(0).optional(),
    pageToken: text.optional(),
    type: z.enum(MODEL_TYPES).optional(),
  }),
  videosQuery: z.object({
    limit: z.int().min(1).max(100).default(20),
    after: text.optional().meta({ description: 'A task id; lists tasks created before it' }),
    request_id: text.optional().meta({ description: 'The task that this request created' }),
  }),
} satisfies Record<QueryName, z.ZodType>;

export type GeneratedImages = Json<(typeof V1_REPLIES)['images']>;
export type CreatedVideo = Json<(typeof V1_REPLIES)['createdTask']>;
export type VideoTask = Json<(typeof V1_REPLIES)['task']>;
export type VideoStatus = VideoTask['status'];
export type VideoResult = Json<(typeof V1_REPLIES)['videoResult']>;
