import type { Endpoint, EndpointDoc } from './endpoint';

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
const CALL_CODES = [...PAID, 'upstream_failed'] as const;
const IMAGE_CODES = [
  ...PAID,
  'image_model_not_found',
  'image_generation_failed',
  'image_generation_timeout',
] as const;
const TASK_CODES = [
  ...WITH_KEY,
  'missing_parameter',
  'video_model_not_found',
  'model_not_found',
  'request_cost_limit',
  'video_billing_error',
  'upstream_failed',
  'upstream_unavailable',
] as const;

const CHAT_DOC = { tag: 'Chat', codes: CALL_CODES } as const;
const COUNT_DOC = { tag: 'Chat', codes: [...WITH_KEY, ...OF_MODEL] } as const;
const RESPONSE_DOC = { tag: 'Chat', codes: WITH_KEY } as const;
const EMBEDDINGS_DOC = { tag: 'Embeddings', codes: CALL_CODES } as const;
const MODERATIONS_DOC = { tag: 'Moderations', codes: CALL_CODES } as const;
const FILE_DOC = { tag: 'Files', codes: WITH_KEY } as const;
const BATCH_DOC = { tag: 'Batches', codes: WITH_KEY } as const;
const AUDIO_DOC = { tag: 'Audio', codes: CALL_CODES } as const;
const KEY_DOC = { tag: 'Key', codes: WITH_KEY } as const;
const MODEL_DOC = { tag: 'Models', codes: WITH_KEY } as const;
const IMAGE_DOC = {
  tag: 'Images',
  reply: 'images',
  streams: true,
  returnsCost: true,
  idempotent: true,
  codes: IMAGE_CODES,
} as const;
const VIDEO_DOC = { tag: 'Videos', codes: WITH_KEY } as const;

const FREE_CALL_KEY_AGE_MS = 1_000;
const FREE = { maxKeyAgeMs: FREE_CALL_KEY_AGE_MS } as const;
const OPENAI = { service: 'chat', scope: 'chat', streamErrors: 'data' } as const;
const RESPONSES = { ...OPENAI, streamErrors: 'response' } as const;
const ANTHROPIC = { ...OPENAI, streamErrors: 'event' } as const;
const GOOGLE = { ...OPENAI, streamErrors: 'google', method: 'POST', acceptsGoogleKey: true } as const;
const UNSCOPED = { ...OPENAI, ...FREE, scope: undefined } as const;
const MODELS = { ...UNSCOPED, acceptsGoogleKey: true } as const;
const STORAGE = { service: 'storage', streamErrors: 'response', ...FREE } as const;
const STORED_RESPONSES = { ...STORAGE, scope: 'chat' } as const;
const FILES = { ...STORAGE, scope: 'files' } as const;
const BATCHES = { ...STORAGE, scope: 'batches' } as const;
/** Its replies contain the link to the results. */
const MESSAGE_BATCHES = { ...BATCHES, streamErrors: 'event', returnsLinks: true } as const;
const MEDIA = { service: 'media', streamErrors: 'data' } as const;
const IMAGES = { ...MEDIA, scope: 'images' } as const;
const AUDIO = { ...MEDIA, scope: 'audio' } as const;
const VIDEOS = { ...MEDIA, scope: 'videos' } as const;

/** A non-empty segment of unreserved, sub-delimiting or well-encoded characters. */
export const SEGMENT = "(?:[\\w.~!$&'()*+,;=:@-]|%[\\dA-Fa-f]{2})+";
/** The colon may be encoded. */
const COLON = '(?::|%3[Aa])';
/** The name of a model, which may have a colon, but not an action of Google's: those have a capital, and can't be read. */
const MODEL = new RegExp(`^(?!.*${COLON}[a-z]+[A-Z][A-Za-z]*$)${SEGMENT}(?:/${SEGMENT})*$`);
/** Google's name of a model and the action. `@ai-sdk/google` adds `models/` only to names without a slash. */
const ofModel = (action: string) =>
  new RegExp(`^(?:models/${SEGMENT}(?:/${SEGMENT})*|${SEGMENT}/${SEGMENT})${COLON}${action}$`);

/** Calls in Google's format. */
const google = <const Version extends string>(version: Version) =>
  [
    {
      ...GOOGLE,
      name: 'generate_content',
      path: `${version}/models/{model}:generateContent`,
      base: `${version}/`,
      tail: ofModel('generateContent'),
      forwardsQuery: true,
      body: 'GenerateContentRequest',
      doc: {
        ...CHAT_DOC,
        summary:
          "Generate content in Google's format, with any chat model; the slash in its slug may be sent as it is, and `models/` left out before a slug",
        reply: 'contents',
        returnsCost: true,
      },
    },
    {
      ...GOOGLE,
      name: 'generate_content',
      path: `${version}/models/{model}:streamGenerateContent`,
      base: `${version}/`,
      tail: ofModel('streamGenerateContent'),
      forwardsQuery: true,
      body: 'GenerateContentRequest',
      doc: {
        ...CHAT_DOC,
        summary: "Generate content in Google's format as a stream: of server-sent events, or a JSON array",
        query: 'streamedContentsQuery',
        reply: 'contentsList',
        streams: true,
      },
    },
    {
      ...GOOGLE,
      name: 'embed_content',
      path: `${version}/models/{model}:embedContent`,
      base: `${version}/`,
      tail: ofModel('embedContent'),
      scope: 'embeddings',
      body: 'EmbedContentRequest',
      doc: {
        ...EMBEDDINGS_DOC,
        summary: "Create an embedding in Google's format, with any embedding model",
        reply: 'embeddedContent',
        returnsCost: true,
      },
    },
    {
      ...GOOGLE,
      name: 'embed_content',
      path: `${version}/models/{model}:batchEmbedContents`,
      base: `${version}/`,
      tail: ofModel('batchEmbedContents'),
      scope: 'embeddings',
      body: 'BatchEmbedContentsRequest',
      doc: {
        ...EMBEDDINGS_DOC,
        summary: "Create embeddings in Google's format; all requests have the same task and size",
        reply: 'embeddedContents',
        returnsCost: true,
      },
    },
    {
      ...GOOGLE,
      ...FREE,
      name: 'count_content_tokens',
      path: `${version}/models/{model}:countTokens`,
      base: `${version}/`,
      tail: ofModel('countTokens'),
      body: 'GenerateContentRequest',
      doc: {
        ...COUNT_DOC,
        summary: "Count the tokens of a body in Google's format; free",
        reply: 'contentTokens',
      },
    },
  ] as const;

const rerank = <const Path extends string>(path: Path) =>
  ({
    ...OPENAI,
    name: 'rerank',
    method: 'POST',
    path,
    scope: 'rerank',
    body: 'RerankRequest',
    doc: {
      tag: 'Rerank',
      codes: CALL_CODES,
      summary: "Rank documents by their relevance to a query, in Cohere's and Jina AI's format",
      reply: 'ranking',
      returnsCost: true,
    },
  }) as const;

const declared = [
  {
    ...OPENAI,
    name: 'chat_completions',
    method: 'POST',
    path: '/v1/chat/completions',
    playground: 'Create a chat completion with one of your keys',
    body: 'ChatCompletionRequest',
    doc: {
      ...CHAT_DOC,
      summary: "Create a chat completion in OpenAI's format, with any chat model",
      reply: 'completion',
      streams: true,
      returnsCost: true,
    },
  },
  {
    ...OPENAI,
    name: 'completions',
    method: 'POST',
    path: '/v1/completions',
    body: 'CompletionsRequest',
    doc: {
      ...CHAT_DOC,
      summary: 'Continue a prompt, or fill in the middle before a suffix, with models that can',
      reply: 'textCompletion',
      streams: true,
      returnsCost: true,
    },
  },
  {
    ...RESPONSES,
    name: 'responses',
    method: 'POST',
    path: '/v1/responses',
    body: 'ResponsesRequest',
    doc: {
      ...CHAT_DOC,
      summary:
        "Create a response in the format of OpenAI's Responses API, with any chat model; stored unless `store` is false, and queued if `background` is true",
      reply: 'response',
      streams: true,
      returnsCost: true,
    },
  },
  {
    ...RESPONSES,
    name: 'response_compaction',
    method: 'POST',
    path: '/v1/responses/compact',
    body: 'ResponsesRequest',
    doc: {
      ...CHAT_DOC,
      summary:
        'Compact a conversation: the messages of the user and an item that stands for the rest, to be sent as the input of later responses; fields that only shape a reply have no effect, and `input` may be absent beside `previous_response_id`',
      reply: 'compaction',
      returnsCost: true,
    },
  },
  {
    ...RESPONSES,
    ...FREE,
    name: 'response_input_tokens',
    method: 'POST',
    path: '/v1/responses/input_tokens',
    body: 'ResponsesRequest',
    doc: {
      ...COUNT_DOC,
      summary:
        'Count the input tokens of a `/v1/responses` body, with the conversation that it continues; free',
      reply: 'inputTokens',
    },
  },
  {
    ...STORED_RESPONSES,
    name: 'response',
    method: 'GET',
    path: '/v1/responses/{response_id}',
    forwardsQuery: true,
    doc: {
      ...RESPONSE_DOC,
      summary: 'Retrieve a stored response; free',
      query: 'responseQuery',
      reply: 'response',
    },
  },
  {
    ...STORED_RESPONSES,
    name: 'response_input_items',
    method: 'GET',
    path: '/v1/responses/{response_id}/input_items',
    forwardsQuery: true,
    doc: {
      ...RESPONSE_DOC,
      summary: 'List the input items of a stored response, without those of previous responses; free',
      query: 'inputItemsQuery',
      reply: 'inputItems',
    },
  },
  {
    ...STORED_RESPONSES,
    name: 'response_cancel',
    method: 'POST',
    path: '/v1/responses/{response_id}/cancel',
    doc: {
      ...RESPONSE_DOC,
      summary:
        'Cancel a response in the background, or return it if it has ended; refused for any other; free',
      reply: 'response',
    },
  },
  {
    ...STORED_RESPONSES,
    name: 'response_delete',
    method: 'POST',
    path: '/v1/responses/{response_id}/delete',
    doc: { ...RESPONSE_DOC, summary: 'Delete a stored response; free', reply: 'deletedResponse' },
  },
  {
    ...FILES,
    name: 'files',
    method: 'GET',
    path: '/v1/files',
    forwardsQuery: true,
    doc: {
      ...FILE_DOC,
      summary: "List the account's files; free",
      query: 'filesQuery',
      reply: 'storedFiles',
    },
  },
  {
    ...FILES,
    name: 'file_create',
    method: 'POST',
    path: '/v1/files',
    takesOnlyForms: true,
    form: 'FileForm',
    doc: { ...FILE_DOC, summary: 'Store a file; free', reply: 'storedFile' },
  },
  {
    ...FILES,
    name: 'file',
    method: 'GET',
    path: '/v1/files/{file_id}',
    doc: { ...FILE_DOC, summary: 'Retrieve what is known of a file; free', reply: 'storedFile' },
  },
  {
    ...FILES,
    name: 'file_content',
    method: 'GET',
    path: '/v1/files/{file_id}/content',
    doc: {
      ...FILE_DOC,
      summary: 'Retrieve the content of a file; free',
      replyType: 'application/octet-stream',
    },
  },
  {
    ...FILES,
    name: 'file_delete',
    method: 'POST',
    path: '/v1/files/{file_id}/delete',
    doc: { ...FILE_DOC, summary: 'Delete a file; free', reply: 'deletedFile' },
  },
  {
    ...BATCHES,
    name: 'batches',
    method: 'GET',
    path: '/v1/batches',
    forwardsQuery: true,
    doc: {
      ...BATCH_DOC,
      summary: "List the account's batches, newest first; free",
      query: 'batchesQuery',
      reply: 'storedBatches',
    },
  },
  {
    ...BATCHES,
    name: 'batch_create',
    method: 'POST',
    path: '/v1/batches',
    body: 'BatchRequest',
    doc: {
      ...BATCH_DOC,
      summary: 'Create a batch of the calls in a file; each is charged as it is made',
      reply: 'storedBatch',
      codes: [...WITH_KEY, 'missing_parameter'],
    },
  },
  {
    ...BATCHES,
    name: 'batch',
    method: 'GET',
    path: '/v1/batches/{batch_id}',
    doc: { ...BATCH_DOC, summary: 'Retrieve a batch; free', reply: 'storedBatch' },
  },
  {
    ...BATCHES,
    name: 'batch_cancel',
    method: 'POST',
    path: '/v1/batches/{batch_id}/cancel',
    doc: {
      ...BATCH_DOC,
      summary: 'Cancel a batch: calls in flight are still answered; free',
      reply: 'storedBatch',
    },
  },
  {
    ...MESSAGE_BATCHES,
    name: 'message_batches',
    method: 'GET',
    path: '/v1/messages/batches',
    forwardsQuery: true,
    doc: {
      ...BATCH_DOC,
      summary: "List the account's message batches, newest first; free",
      query: 'messageBatchesQuery',
      reply: 'messageBatches',
    },
  },
  {
    ...MESSAGE_BATCHES,
    name: 'message_batch_create',
    method: 'POST',
    path: '/v1/messages/batches',
    body: 'MessageBatchRequest',
    doc: {
      ...BATCH_DOC,
      summary: 'Create a batch of `/v1/messages` calls; each is charged as it is made',
      reply: 'messageBatch',
      codes: [...WITH_KEY, 'missing_parameter'],
    },
  },
  {
    ...MESSAGE_BATCHES,
    name: 'message_batch',
    method: 'GET',
    path: '/v1/messages/batches/{batch_id}',
    doc: { ...BATCH_DOC, summary: 'Retrieve a message batch; free', reply: 'messageBatch' },
  },
  {
    ...MESSAGE_BATCHES,
    name: 'message_batch_results',
    method: 'GET',
    path: '/v1/messages/batches/{batch_id}/results',
    doc: {
      ...BATCH_DOC,
      summary: 'Retrieve the results of a message batch that has ended, a line of JSON for each call; free',
      replyType: 'application/x-jsonl',
    },
  },
  {
    ...MESSAGE_BATCHES,
    name: 'message_batch_cancel',
    method: 'POST',
    path: '/v1/messages/batches/{batch_id}/cancel',
    doc: {
      ...BATCH_DOC,
      summary: 'Cancel a message batch: calls in flight are still answered; free',
      reply: 'messageBatch',
    },
  },
  {
    ...MESSAGE_BATCHES,
    name: 'message_batch_delete',
    method: 'POST',
    path: '/v1/messages/batches/{batch_id}/delete',
    doc: {
      ...BATCH_DOC,
      summary: 'Delete a message batch that has ended, with its results; free',
      reply: 'deletedMessageBatch',
    },
  },
  {
    ...ANTHROPIC,
    name: 'messages',
    method: 'POST',
    path: '/v1/messages',
    body: 'MessagesRequest',
    doc: {
      ...CHAT_DOC,
      summary: "Create a message in Anthropic's format, with any chat model",
      reply: 'message',
      streams: true,
      returnsCost: true,
    },
  },
  {
    ...ANTHROPIC,
    ...FREE,
    name: 'count_tokens',
    method: 'POST',
    path: '/v1/messages/count_tokens',
    body: 'CountTokensRequest',
    doc: { ...COUNT_DOC, summary: 'Count the tokens of a `/v1/messages` body; free', reply: 'messageTokens' },
  },
  ...google('/v1beta'),
  ...google('/v1'),
  {
    ...OPENAI,
    name: 'embeddings',
    method: 'POST',
    path: '/v1/embeddings',
    scope: 'embeddings',
    body: 'EmbeddingsRequest',
    doc: {
      ...EMBEDDINGS_DOC,
      summary: "Create embeddings of texts in OpenAI's format, with any embedding model",
      reply: 'embeddings',
      returnsCost: true,
    },
  },
  {
    ...AUDIO,
    name: 'speech',
    method: 'POST',
    path: '/v1/audio/speech',
    body: 'SpeechRequest',
    doc: {
      ...AUDIO_DOC,
      summary: 'Speak a text; as events with `stream_format: sse`',
      replyType: 'audio/*',
      streams: true,
    },
  },
  {
    ...AUDIO,
    name: 'transcriptions',
    method: 'POST',
    path: '/v1/audio/transcriptions',
    form: 'TranscriptionForm',
    doc: {
      ...AUDIO_DOC,
      summary: 'Transcribe a file of audio',
      reply: 'transcript',
      replyType: 'text/*',
      streams: true,
      returnsCost: true,
    },
  },
  {
    ...AUDIO,
    name: 'translations',
    method: 'POST',
    path: '/v1/audio/translations',
    form: 'TranslationForm',
    doc: {
      ...AUDIO_DOC,
      summary: 'Translate a file of audio into English text',
      reply: 'transcript',
      replyType: 'text/*',
      returnsCost: true,
    },
  },
  {
    ...UNSCOPED,
    name: 'key',
    method: 'GET',
    path: '/v1/key',
    doc: {
      ...KEY_DOC,
      summary:
        'Retrieve the limits of the key that calls, what is used of them, and the funds of its account; free',
      reply: 'ownKey',
    },
  },
  {
    ...OPENAI,
    name: 'moderations',
    method: 'POST',
    path: '/v1/moderations',
    scope: 'moderations',
    body: 'ModerationsRequest',
    doc: {
      ...MODERATIONS_DOC,
      summary: "Classify texts and images in OpenAI's format, with any moderation model",
      reply: 'moderation',
      returnsCost: true,
    },
  },
  rerank('/v1/rerank'),
  // Cohere's clients add the version to their base URL.
  rerank('/v2/rerank'),
  {
    ...MODELS,
    name: 'models',
    method: 'GET',
    path: '/v1/models',
    forwardsQuery: true,
    doc: {
      ...MODEL_DOC,
      summary:
        "List the models that the key may call; with `anthropic-version`, chat models in Anthropic's format, and with `x-goog-api-key`, in Google's, paginated",
      query: 'modelsQuery',
      reply: 'models',
    },
  },
  {
    ...MODELS,
    name: 'models',
    method: 'GET',
    path: '/v1beta/models',
    forwardsQuery: true,
    doc: {
      ...MODEL_DOC,
      summary: "List the chat and embedding models that the key may call in Google's format, paginated",
      query: 'geminiModelsQuery',
      reply: 'geminiModels',
    },
  },
  {
    ...MODELS,
    name: 'model',
    method: 'GET',
    path: '/v1beta/models/{model}',
    tail: MODEL,
    doc: {
      ...MODEL_DOC,
      summary: "Retrieve a model in Google's format",
      reply: 'geminiModel',
      codes: [...WITH_KEY, 'model_not_found'],
    },
  },
  {
    ...MODELS,
    name: 'model',
    method: 'GET',
    path: '/v1/models/{model}',
    tail: MODEL,
    doc: {
      ...MODEL_DOC,
      summary: 'Retrieve a model; the slash in its slug may be sent as `%2F`',
      reply: 'model',
      codes: [...WITH_KEY, 'model_not_found'],
    },
  },
  {
    ...IMAGES,
    name: 'images',
    method: 'POST',
    path: '/v1/images',
    playground: 'Generate images with one of your keys',
    body: 'ImageGenerationRequest',
    form: 'ImageEditForm',
    doc: { ...IMAGE_DOC, summary: 'Generate images; with a form, edit images' },
  },
  {
    ...IMAGES,
    name: 'images_generations',
    method: 'POST',
    path: '/v1/images/generations',
    body: 'ImageGenerationRequest',
    doc: { ...IMAGE_DOC, summary: 'Generate images' },
  },
  {
    ...IMAGES,
    name: 'images_edits',
    method: 'POST',
    path: '/v1/images/edits',
    playground: 'Edit images with one of your keys',
    form: 'ImageEditForm',
    doc: {
      ...IMAGE_DOC,
      summary: 'Edit images',
      codes: IMAGE_CODES.filter((code) => code !== 'missing_parameter'),
    },
  },
  {
    ...VIDEOS,
    ...FREE,
    name: 'videos',
    method: 'GET',
    path: '/v1/videos',
    forwardsQuery: true,
    doc: {
      ...VIDEO_DOC,
      summary:
        "List the account's video tasks of models that the key may call, newest first; kept for a month; free",
      query: 'videosQuery',
      reply: 'videoList',
    },
  },
  {
    ...VIDEOS,
    name: 'video_create',
    method: 'POST',
    path: '/v1/videos/{provider}/create',
    playground: 'Generate a video with one of your keys',
    body: 'VideoRequest',
    form: 'VideoForm',
    doc: {
      ...VIDEO_DOC,
      summary: 'Create a video task at the provider that owns the model',
      reply: 'createdTask',
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
  },
  {
    ...VIDEOS,
    ...FREE,
    name: 'video_status',
    method: 'POST',
    path: '/v1/videos/{provider}/status',
    playground: "Retrieve a video task's status",
    body: 'VideoTaskRequest',
    doc: {
      ...VIDEO_DOC,
      summary: 'Retrieve the status of a video task; free',
      reply: 'task',
      codes: TASK_CODES,
    },
  },
  {
    ...VIDEOS,
    ...FREE,
    name: 'video_result',
    method: 'POST',
    path: '/v1/videos/{provider}/result',
    returnsLinks: true,
    playground: "Retrieve a video task's result",
    body: 'VideoTaskRequest',
    doc: {
      ...VIDEO_DOC,
      summary: 'Retrieve the result of a completed video task; free',
      reply: 'videoResult',
      returnsCost: true,
      codes: TASK_CODES,
    },
  },
  {
    ...VIDEOS,
    name: 'video_file',
    method: 'GET',
    path: '/v1/videos/files/{token}',
    keyless: true,
    playground: 'Download a video whose URL is below `/v1/videos/files/`',
    doc: {
      ...VIDEO_DOC,
      summary: 'Download a video that only the gateway can fetch from its provider, by a link from `result`',
      replyType: 'video/mp4',
      codes: [...COMMON, 'upstream_failed', 'upstream_unavailable'],
    },
  },
] as const satisfies readonly Endpoint[];

type Declared = (typeof declared)[number];
export type EndpointName<Service extends Endpoint['service'] = Endpoint['service']> = Extract<
  Declared,
  { readonly service: Service }
>['name'];
/** Names of the schemas that the API document needs. */
export type ReplyName = Extract<Declared['doc'], { readonly reply: string }>['reply'];
export type QueryName = Extract<Declared['doc'], { readonly query: string }>['query'];

export interface KnownEndpoint extends Endpoint {
  readonly name: EndpointName;
  readonly doc: EndpointDoc & { readonly reply?: ReplyName; readonly query?: QueryName };
}

/** Every call of the API. */
export const ENDPOINTS: readonly KnownEndpoint[] = declared;
