import fc from 'fast-check';
import { FAMILIES } from '../clients/family';
import { silentWav } from '../support/audio-files';
import { png } from '../support/pictures';
import type { WireType } from '../support/wire-schemas';

/** A valid call, and the types of its answer. */
export interface GeneratedCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  /** Fields of a form; its file is in the field of that name. */
  readonly form?: { readonly fields: Readonly<Record<string, string>>; readonly file: 'file' | 'image' };
  readonly headers?: Readonly<Record<string, string>>;
  /** Type of the whole answer, or of each event of a stream. */
  readonly type: WireType;
  readonly streamed: boolean;
}

/** What a call of chat asks for, whatever the format. */
interface Wish {
  readonly model: string;
  readonly directive: object;
  readonly tools: boolean;
  readonly history: boolean;
  readonly image: boolean;
  readonly hears: boolean;
  readonly speaks: boolean;
  readonly json: boolean;
  readonly search: boolean;
  readonly reasons: boolean;
  readonly stream: boolean;
  readonly maxTokens: number | undefined;
  readonly options: number;
}

const SPEAKING = 'openai/gpt-audio-1.5';
const MODELS = [
  ...FAMILIES.map(({ model }) => model),
  'sim/chat',
  SPEAKING,
  'mistral/magistral-medium-latest',
  'xai/grok-4.3',
];
const SEEING = new Set(FAMILIES.filter(({ sees }) => sees).map(({ model }) => model));
/** Models of the catalog with a price for searches. */
const SEARCHING = new Set(['anthropic/claude-opus-4-8', 'google/gemini-3.5-flash']);
const NEVER_REASONING = new Set(['openai/gpt-4.1', 'sim/chat', SPEAKING]);
/** Models of the catalog with a price for audio in prompts. */
const HEARING = new Set([SPEAKING, 'google/gemini-3.5-flash']);

const texts = fc.constantFrom(
  'Hello there.',
  'A "quoted"\nline',
  '漢字 🙂',
  'one two three four five six seven',
);
const toolCalls = fc.constantFrom<object>(
  { name: 'patch', arguments: { input: 'a' } },
  { name: 'agents__spawn', arguments: {} },
  { name: 'look', arguments: { at: 'Oslo' } },
  [
    { name: 'look', arguments: { at: 'Oslo' } },
    { name: 'look', arguments: { at: 'ä "b"' } },
  ],
);
const directives = fc.oneof(
  fc.constant({}),
  fc.record({ text: texts, chunks: fc.constantFrom(1, 3, 9) }),
  fc.record({ text: texts, thinking: texts }),
  fc.record({ text: texts, thinking: texts, hide_thinking: fc.constant(true) }),
  fc.record({ tool_call: toolCalls }),
  fc.record({ tool_call: toolCalls, text: texts, thinking: texts }),
  fc.record({ text: texts, finish_reason: fc.constantFrom('content_filter', 'length', 'stop') }),
  fc.record({
    text: texts,
    usage: fc.constant({
      prompt_tokens: 900,
      completion_tokens: 90,
      cached_tokens: 300,
      reasoning_tokens: 40,
    }),
  }),
  fc.record({ text: texts, searches: fc.constantFrom([], ['weather oslo'], ['a', 'b']) }),
  fc.record({ text: texts, searches: fc.constant(['weather oslo']) }),
);
const flag = (of: number) => fc.nat(of - 1).map((value) => value === 0);

const wishes: fc.Arbitrary<Wish> = fc
  .record({
    model: fc.constantFrom(...MODELS),
    directive: directives,
    tools: fc.boolean(),
    history: flag(3),
    image: flag(6),
    hears: flag(3),
    speaks: flag(2),
    json: flag(6),
    search: fc.boolean(),
    reasons: flag(3),
    stream: fc.boolean(),
    maxTokens: fc.constantFrom(undefined, undefined, 4_000, 16),
    options: fc.nat(1_000),
  })
  .map((wish) => ({
    ...wish,
    // Gemini searches without other tools.
    tools: !('searches' in wish.directive) && (wish.tools || 'tool_call' in wish.directive),
    json: wish.json && !('tool_call' in wish.directive),
    image: wish.image && SEEING.has(wish.model),
    hears: wish.hears && HEARING.has(wish.model),
    speaks: wish.speaks && wish.model === SPEAKING,
    search: 'searches' in wish.directive && SEARCHING.has(wish.model),
    reasons: wish.reasons && !NEVER_REASONING.has(wish.model),
  }));

const promptOf = ({ directive }: Wish) => `Look. [[sim ${JSON.stringify(directive)}]]`;
const SCHEMA = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] };
const CLOSED_SCHEMA = { ...SCHEMA, additionalProperties: false };
const IMAGE = png('generated').toString('base64');
const SOUND = silentWav(1);
const IMAGE_URL = `data:image/png;base64,${IMAGE}`;

function completionCall(wish: Wish): GeneratedCall {
  const { hears, speaks } = wish;
  const { model, tools, history, image, json, search, stream, maxTokens, reasons, options } = wish;
  const text = promptOf(wish);
  const called = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } }],
  };
  const body = {
    model,
    stream,
    messages: [
      ...(history
        ? [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Hi' },
          ]
        : []),
      ...(history && tools ? [called, { role: 'tool', tool_call_id: 'call_1', content: 'fog' }] : []),
      {
        role: 'user',
        content:
          image || hears
            ? [
                { type: 'text', text },
                ...(image ? [{ type: 'image_url', image_url: { url: IMAGE_URL } }] : []),
                ...(hears ? [{ type: 'input_audio', input_audio: { data: SOUND, format: 'wav' } }] : []),
              ]
            : text,
      },
    ],
    ...(tools && { tools: [{ type: 'function', function: { name: 'look', parameters: SCHEMA } }] }),
    ...(json && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'place', schema: CLOSED_SCHEMA, strict: true },
      },
    }),
    ...(search && { web_search_options: {} }),
    ...(speaks && {
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: stream ? 'pcm16' : 'mp3' },
    }),
    ...(maxTokens && { max_completion_tokens: maxTokens }),
    ...(reasons && { reasoning_effort: 'high' }),
    ...(stream && options % 3 > 0 && { stream_options: { include_usage: options % 3 === 1 } }),
    ...(model.startsWith('openai/') && options % 5 === 0 && { n: 2 }),
  };
  const type = stream ? 'completion chunk' : 'completion';
  return { method: 'POST', path: '/v1/chat/completions', body, type, streamed: stream };
}

function responseCall(wish: Wish): GeneratedCall {
  const { model, tools, history, image, json, search, stream, maxTokens, reasons, options } = wish;
  const text = promptOf(wish);
  const offered = [
    ...(tools
      ? [
          {
            type: 'function',
            name: 'look',
            parameters: SCHEMA,
            ...(options % 2 && { description: 'Looks.' }),
          },
          { type: 'custom', name: 'patch' },
          {
            type: 'namespace',
            name: 'agents',
            description: 'd',
            tools: [{ type: 'function', name: 'spawn' }],
          },
        ]
      : []),
    ...(search ? [{ type: 'web_search' }] : []),
  ];
  const called = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":"x"}' };
  const body = {
    model,
    stream,
    input: [
      ...(history ? [{ role: 'user', content: 'Hi' }] : []),
      ...(history && tools
        ? [called, { type: 'function_call_output', call_id: 'call_1', output: 'fog' }]
        : []),
      {
        role: 'user',
        content: [
          { type: 'input_text', text },
          ...(image ? [{ type: 'input_image', image_url: IMAGE_URL, detail: 'auto' }] : []),
        ],
      },
    ],
    ...(offered.length > 0 && { tools: offered, ...(options % 3 === 0 && { tool_choice: 'auto' }) }),
    ...(json && {
      text: { format: { type: 'json_schema', name: 'place', schema: CLOSED_SCHEMA, strict: true } },
    }),
    ...(search && { max_tool_calls: 3 }),
    ...(maxTokens && { max_output_tokens: maxTokens }),
    ...(reasons && { reasoning: { effort: 'high', summary: 'auto' } }),
    ...(options % 4 === 0 && { include: ['reasoning.encrypted_content'], store: false }),
    ...(options % 5 === 0 && { metadata: { a: 'b' }, user: 'u', instructions: 'Be brief.' }),
  };
  const type = stream ? 'response event' : 'response';
  return { method: 'POST', path: '/v1/responses', body, type, streamed: stream };
}

function messageFields(wish: Wish): object {
  const { model, tools, history, image, search } = wish;
  const text = { type: 'text', text: promptOf(wish) };
  const offered = [
    ...(tools ? [{ name: 'look', input_schema: SCHEMA }] : []),
    ...(search ? [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }] : []),
  ];
  const toolTurns = [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'x' } }] },
  ];
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'fog' };
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE } };
  const looped = history && tools;
  return {
    model,
    ...(history && { system: 'Be brief.' }),
    messages: [
      ...(looped ? [{ role: 'user', content: 'Hi' }, ...toolTurns] : []),
      { role: 'user', content: [...(looped ? [result] : []), text, ...(image ? [picture] : [])] },
    ],
    ...(offered.length > 0 && { tools: offered }),
  };
}

function messageCall(wish: Wish): GeneratedCall {
  const { stream, maxTokens = 3_000, json, options } = wish;
  const body = {
    ...messageFields(wish),
    stream,
    max_tokens: maxTokens,
    ...(json && { output_config: { format: { type: 'json_schema', schema: CLOSED_SCHEMA } } }),
    ...(options % 5 > 0 && { stop_sequences: ['four'] }),
  };
  const type = stream ? 'message event' : 'message';
  return { method: 'POST', path: '/v1/messages', body, type, streamed: stream };
}

const messageTokens = (wish: Wish): GeneratedCall => ({
  method: 'POST',
  path: '/v1/messages/count_tokens',
  body: messageFields(wish),
  type: 'message tokens',
  streamed: false,
});

function contentFields(wish: Wish): { contents: object; tools?: object } {
  const { tools, image, hears, search } = wish;
  const offered = [
    ...(tools ? [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: SCHEMA }] }] : []),
    ...(search ? [{ googleSearch: {} }] : []),
  ];
  const sound = { inlineData: { mimeType: 'audio/wav', data: SOUND } };
  const picture = { inlineData: { mimeType: 'image/png', data: IMAGE } };
  return {
    contents: [
      {
        role: 'user',
        parts: [{ text: promptOf(wish) }, ...(image ? [picture] : []), ...(hears ? [sound] : [])],
      },
    ],
    ...(offered.length > 0 && { tools: offered }),
  };
}

function contentCall(wish: Wish): GeneratedCall {
  const { model, stream, maxTokens, json, reasons, history, options } = wish;
  const body = {
    ...contentFields(wish),
    ...(history && { systemInstruction: { parts: [{ text: 'Be brief.' }] } }),
    generationConfig: {
      ...(maxTokens && { maxOutputTokens: maxTokens }),
      ...(json && { responseMimeType: 'application/json', responseJsonSchema: CLOSED_SCHEMA }),
      ...(reasons && { thinkingConfig: { includeThoughts: true } }),
    },
  };
  const version = options % 2 ? 'v1' : 'v1beta';
  const action = stream ? `streamGenerateContent${options % 3 ? '?alt=sse' : ''}` : 'generateContent';
  return {
    method: 'POST',
    path: `/${version}/models/${model}:${action}`,
    body,
    type: 'content',
    streamed: stream,
  };
}

const contentTokens = (wish: Wish): GeneratedCall => ({
  method: 'POST',
  path: `/v1beta/models/${wish.model}:countTokens`,
  body: { contents: contentFields(wish).contents },
  type: 'content tokens',
  streamed: false,
});

const FORMATS = [completionCall, responseCall, messageCall, contentCall];
const chats = fc.tuple(fc.constantFrom(...FORMATS), wishes).map(([write, wish]) => write(wish));
const counts = fc
  .tuple(fc.constantFrom(messageTokens, contentTokens), wishes)
  .map(([write, wish]) => write(wish));

const whole = (path: string, type: WireType, body: fc.Arbitrary<object>): fc.Arbitrary<GeneratedCall> =>
  body.map((fields) => ({ method: 'POST', path, body: fields, type, streamed: false }));

const textCompletions = fc
  .record({
    model: fc.constantFrom('sim/chat', 'deepseek/deepseek-chat', 'mistral/codestral-latest'),
    prompt: texts,
    suffix: fc.constantFrom('print(1)', undefined),
    max_tokens: fc.constantFrom(3, 100),
    stream: fc.boolean(),
    include_usage: fc.boolean(),
  })
  .map(
    ({ stream, include_usage, ...fields }): GeneratedCall => ({
      method: 'POST',
      path: '/v1/completions',
      body: { ...fields, stream, ...(stream && { stream_options: { include_usage } }) },
      type: stream ? 'text completion chunk' : 'text completion',
      streamed: stream,
    }),
  );
const embeddings = whole(
  '/v1/embeddings',
  'embeddings',
  fc.record({
    model: fc.constantFrom(
      ...['sim/embedding', 'openai/text-embedding-3-small', 'google/gemini-embedding-001'],
      'mistral/mistral-embed',
    ),
    input: fc.oneof(texts, fc.array(texts, { minLength: 1, maxLength: 4 })),
  }),
);
const moderations = whole(
  '/v1/moderations',
  'moderations',
  fc.record({
    model: fc.constantFrom('sim/moderation', 'openai/omni-moderation-latest'),
    input: fc.oneof(texts, fc.constant('I kill you, idiot'), fc.array(texts, { minLength: 1, maxLength: 3 })),
  }),
);
const images = fc.oneof(
  fc
    .record({
      model: fc.constantFrom('sim/image', 'openai/gpt-image-2', 'google/gemini-3.1-flash-image'),
      prompt: texts,
      stream: fc.boolean(),
    })
    .map(
      (body): GeneratedCall => ({
        method: 'POST',
        path: '/v1/images/generations',
        body,
        type: body.stream ? 'image event' : 'images',
        streamed: body.stream,
      }),
    ),
  fc.tuple(texts, fc.boolean()).map(
    ([prompt, streamed]): GeneratedCall => ({
      method: 'POST',
      path: '/v1/images/edits',
      form: { fields: { model: 'sim/image', prompt, stream: String(streamed) }, file: 'image' },
      type: streamed ? 'image event' : 'images',
      streamed,
    }),
  ),
);
const transcription = (
  type: WireType,
  fields: Record<string, string>,
  path = 'transcriptions',
): GeneratedCall => ({
  method: 'POST',
  path: `/v1/audio/${path}`,
  form: { fields, file: 'file' },
  type,
  streamed: fields.stream === 'true',
});
const TOKENS = 'sim/transcription-tokens';
const transcriptions = fc.constantFrom(
  transcription('transcription', { model: 'sim/transcription' }),
  transcription('transcription', { model: TOKENS }),
  transcription('transcription', { model: 'openai/gpt-4o-mini-transcribe' }),
  transcription('verbose transcription', { model: 'openai/whisper-1', response_format: 'verbose_json' }),
  transcription('transcription event', { model: TOKENS, stream: 'true' }),
  transcription('transcription event', { model: 'openai/gpt-4o-transcribe', stream: 'true' }),
  transcription('translation', { model: 'openai/whisper-1' }, 'translations'),
);
const GEMINI_EMBEDDING = 'google/gemini-embedding-001';
const contentEmbeddings = texts.chain((text) => {
  const content = { parts: [{ text }] };
  const path = `/v1beta/models/${GEMINI_EMBEDDING}`;
  return fc.oneof(
    whole(`${path}:embedContent`, 'content embedding', fc.constant({ content })),
    whole(
      `${path}:batchEmbedContents`,
      'content embeddings',
      fc.constant({ requests: [1, 2].map(() => ({ model: `models/${GEMINI_EMBEDDING}`, content })) }),
    ),
  );
});
const reading = (path: string, type: WireType, headers = {}): GeneratedCall => ({
  method: 'GET',
  path,
  headers,
  type,
  streamed: false,
});
const lists = fc.constantFrom(
  reading('/v1/models', 'models'),
  reading('/v1/models/sim/chat', 'model'),
  reading('/v1/models', 'message models', { 'anthropic-version': '2023-06-01' }),
  reading('/v1beta/models', 'google models'),
  reading('/v1beta/models/sim/chat', 'google model'),
);

const calls: fc.Arbitrary<GeneratedCall> = fc.oneof(
  { arbitrary: chats, weight: 30 },
  { arbitrary: counts, weight: 2 },
  { arbitrary: textCompletions, weight: 2 },
  { arbitrary: embeddings, weight: 2 },
  { arbitrary: moderations, weight: 1 },
  { arbitrary: images, weight: 1 },
  { arbitrary: transcriptions, weight: 1 },
  { arbitrary: contentEmbeddings, weight: 1 },
  { arbitrary: lists, weight: 1 },
);

export const generateCalls = (count: number): GeneratedCall[] => fc.sample(calls, count);
