import { MAX_CHUNKS } from '../../domain/directive';
import { textPrompt } from '../../domain/prompt';
import { DEFAULT_OPTIONS } from '../../domain/reply';
import type { Tokenizer } from '../../domain/tokenizer';
import type { StreamFrames } from '../../http/write-stream';
import type { ReplyContext, TextRequest } from '../chat-protocol';
import { isObject, type Json } from '../json';
import { isModelName } from '../model-name';
import { invalid, missing, wrongType } from './error';
import type { Quirks } from './quirks';

const DEFAULT_MAX_TOKENS = 16;
const MAX_CHOICES = 128;

type Prompt = string | readonly number[];

export interface CompletionRequest extends TextRequest {
  readonly prompts: readonly Prompt[];
  /** Choices per prompt; `TextRequest.n` are all that are generated. */
  readonly choices: number;
  readonly echo: boolean;
  readonly includeUsage: boolean;
  readonly mistralFormat: boolean;
}

/** Mistral fills in the middle only, and refuses the fields of other completions (@mistralai/mistralai 2.7). */
const MISTRAL_UNKNOWN = ['n', 'best_of', 'echo', 'logprobs', 'logit_bias', 'stream_options', 'user', 'seed'];

/** @throws ProviderError for what the real API refuses */
export function parseCompletion(body: unknown, { mistralFormat }: Quirks): CompletionRequest {
  if (!isObject(body)) throw invalid('Invalid body: expected an object.');
  const { model, suffix, stream_options: streamOptions } = body;
  const stream = body.stream === true;
  const unknown = mistralFormat && MISTRAL_UNKNOWN.find((field) => field in body);
  if (unknown) throw invalid('Extra inputs are not permitted', unknown);
  if (!isModelName(model)) throw missing('model');
  if (suffix != null && typeof suffix !== 'string') throw wrongType('suffix', 'a string');
  const prompts = readPrompts(body.prompt);
  if (mistralFormat && typeof body.prompt !== 'string') throw wrongType('prompt', 'a string');
  const choices = countOf(body, 'n') ?? 1;
  const best = countOf(body, 'best_of') ?? choices;
  if (best < choices) throw invalid("'best_of' must be greater than or equal to 'n'.", 'best_of');
  if (best > choices && stream) throw invalid("'best_of' can't be streamed.", 'best_of');
  const texts = prompts.filter((prompt) => typeof prompt === 'string');
  return {
    model,
    stream,
    prompt: textPrompt([...texts, suffix ?? ''].join('\n')),
    promptTokens: (tokenizer) => countTokens([...prompts, suffix ?? ''], tokenizer),
    n: prompts.length * best,
    prompts,
    choices,
    echo: body.echo === true,
    includeUsage: mistralFormat || (isObject(streamOptions) && streamOptions.include_usage === true),
    mistralFormat,
    options: {
      ...DEFAULT_OPTIONS,
      maxTokens: maxTokensOf(body),
      stopSequences: [body.stop]
        .flat()
        .filter((stop): stop is string => typeof stop === 'string' && stop !== ''),
    },
  };
}

function readPrompts(prompt: unknown): readonly Prompt[] {
  if (prompt === undefined) throw missing('prompt');
  const prompts: unknown = typeof prompt === 'string' || isTokens(prompt) ? [prompt] : prompt;
  if (!Array.isArray(prompts) || prompts.length === 0) throw invalid("'$.prompt' is invalid.", 'prompt');
  if (!prompts.every((one) => typeof one === 'string' || isTokens(one)))
    throw invalid("'$.prompt' is invalid.", 'prompt');
  return prompts;
}

const isTokens = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((token) => Number.isInteger(token) && token >= 0);

const countTokens = (prompts: readonly Prompt[], tokenizer: Tokenizer): number =>
  prompts.reduce(
    (sum, prompt) => sum + (typeof prompt === 'string' ? tokenizer.count(prompt) : prompt.length),
    0,
  );

function countOf(body: Json, field: string): number | undefined {
  const value = body[field];
  if (value == null) return undefined;
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > MAX_CHOICES)
    throw invalid(`Invalid '${field}': out of range.`, field, 'integer_out_of_range');
  return value as number;
}

function maxTokensOf({ max_tokens: value }: Json): number {
  if (value == null) return DEFAULT_MAX_TOKENS;
  if (!Number.isInteger(value) || (value as number) < 0)
    throw invalid("Invalid 'max_tokens': out of range.", 'max_tokens', 'integer_out_of_range');
  return value as number;
}

export function toCompletion(context: ReplyContext<CompletionRequest>): unknown {
  refuseLong(context);
  const { request, reply } = context;
  const choices = request.prompts.flatMap((prompt, at) =>
    Array.from({ length: request.choices }, (_, choice) => {
      const text = echoOf(request, prompt) + (reply.text ?? '');
      const index = at * request.choices + choice;
      const said = request.mistralFormat
        ? { message: { role: 'assistant', content: text, tool_calls: null } }
        : { text, logprobs: null };
      return { index, ...said, finish_reason: reply.finishReason };
    }),
  );
  return { ...headOf(context, false), choices, usage: usageOf(context) };
}

export function toCompletionFrames(context: ReplyContext<CompletionRequest>): StreamFrames {
  refuseLong(context);
  const { request, reply } = context;
  const head = headOf(context, true);
  const frame = (choices: unknown[], usage: unknown = null) =>
    `data: ${JSON.stringify({ ...head, choices, ...(request.includeUsage && { usage }) })}\n\n`;
  const said = (index: number, text: string, finish_reason: string | null = null) =>
    frame([
      request.mistralFormat
        ? { index, delta: { content: text }, finish_reason }
        : { index, text, logprobs: null, finish_reason },
    ]);
  const perChoice = (make: (index: number) => string) =>
    Array.from({ length: request.n }, (_, index) => make(index)).join('');
  const echoed = (index: number) =>
    said(index, echoOf(request, request.prompts[Math.floor(index / request.choices)]!));
  return {
    head: request.echo ? perChoice(echoed) : '',
    count: reply.pieces.length * request.n,
    piece: (i) => said(i % request.n, reply.pieces[Math.floor(i / request.n)]!.text),
    tail: `${perChoice((index) => said(index, '', reply.finishReason))}${
      request.includeUsage ? frame([], usageOf(context)) : ''
    }data: [DONE]\n\n`,
  };
}

/** Tokens have no text here. */
const echoOf = ({ echo }: CompletionRequest, prompt: Prompt): string =>
  echo && typeof prompt === 'string' ? prompt : '';

const headOf = ({ identity, request }: ReplyContext<CompletionRequest>, isChunk: boolean) => ({
  id: `cmpl-${identity.id}`,
  object: request.mistralFormat ? `chat.completion${isChunk ? '.chunk' : ''}` : 'text_completion',
  created: identity.createdSeconds,
  model: request.model,
});

const usageOf = ({ usage }: ReplyContext<CompletionRequest>) => ({
  prompt_tokens: usage.promptTokens,
  completion_tokens: usage.completionTokens,
  total_tokens: usage.promptTokens + usage.completionTokens,
});

function refuseLong({ request, reply }: ReplyContext<CompletionRequest>): void {
  if (reply.pieces.length * request.n > 10 * MAX_CHUNKS)
    throw invalid("Invalid 'n': so long a reply can't have so many choices.", 'n');
}
