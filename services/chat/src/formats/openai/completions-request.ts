import { GatewayError } from '@gateway/errors';
import {
  isEmpty,
  missingParameter,
  parseJsonObject,
  requireFields,
  safeParse,
  schemaError,
  withMembers,
  withoutEmptyModel,
} from '@gateway/json-body';
import type { CallerRequest, UnknownFields } from '../../domain/caller-request';
import { BODY_BOUNDS } from '../body-bounds';
import { completionsSchema, looseCompletionsSchema } from './completions-schema';
import { openAiReplies } from './openai-replies';

/** The default of OpenAI's API. Other servers have other ones or none, so it is always sent. */
const DEFAULT_MAX_TOKENS = 16;
const MAX_PROMPTS = 256;

/**
 * Parses a call for text completions. Only providers with such an API can carry it: its reply continues the prompt, which no reply
 * to a conversation does.
 * @throws GatewayError `invalid_request`, then `missing_parameter`, then `invalid_model`
 */
export function parseCompletionsRequest(
  bytes: Buffer,
  unknownFields: UnknownFields = 'refuse',
): CallerRequest {
  const { value: received, members } = parseJsonObject(bytes, BODY_BOUNDS);
  const value = withoutEmptyModel(received);
  const schema = unknownFields === 'refuse' ? completionsSchema : looseCompletionsSchema;
  const { data: body, error } = safeParse(schema, value);
  if (error) throw schemaError(value, error.issues, []);
  const { suffix } = body;
  const stream = body.stream ?? false;
  const n = body.n ?? 1;
  const best = body.best_of ?? n;
  const maxOutputTokens = body.max_tokens ?? DEFAULT_MAX_TOKENS;
  if (body.stream_options && !stream) refuse('stream_options: only allowed when stream is true');
  if (best < n) refuse('best_of: must be at least n');
  const fillsIn = suffix != null && suffix !== '';
  const prompts = promptsOf(body.prompt, fillsIn);
  requireFields(value, prompts === 0 ? ['model', 'prompt'] : ['model']);
  if (!body.model) throw new GatewayError('invalid_model');
  return {
    wire: 'completions',
    model: body.model,
    needs: fillsIn ? 'fim' : 'completions',
    stream,
    includeUsage: body.stream_options?.include_usage ?? false,
    serviceTier: undefined,
    size: {
      bodyBytes: bytes.length,
      hasMedia: false,
      maxOutputTokens,
      prompts,
      choices: prompts * best,
      predictionBytes: 0,
    },
    ...(body.echo && { echoes: n }),
    passThroughHeaders: {},
    parsed: received,
    conversation: () => refuse('prompt: this model takes messages'),
    passThroughBody({ upstreamModel, maxTokens = maxOutputTokens, overrides }) {
      const values = new Map<string, string | undefined>([
        ['model', JSON.stringify(upstreamModel)],
        ['max_tokens', String(maxTokens)],
      ]);
      // Billing needs the provider's own figures; a caller who did not ask for the usage chunk does not receive it.
      if (stream)
        values.set('stream_options', JSON.stringify({ ...body.stream_options, include_usage: true }));
      for (const [member, json] of overrides?.(received) ?? []) values.set(member, json);
      return withMembers(bytes, members, values);
    },
    replies: openAiReplies,
  };
}

/**
 * Returns the number of prompts, 0 for an empty field. An editor's cursor at the start of a file has no prompt before it, only a suffix.
 * @param fillsIn whether there is a suffix
 */
function promptsOf(prompt: unknown, fillsIn: boolean): number {
  if (prompt === '' && fillsIn) return 1;
  if (isEmpty(prompt)) return 0;
  if (typeof prompt === 'string' || isTokens(prompt)) return 1;
  if (!Array.isArray(prompt)) return refusePrompt('prompt');
  if (prompt.length > MAX_PROMPTS) return refuse(`prompt: more than ${MAX_PROMPTS} prompts`);
  const isPrompt = typeof prompt[0] === 'string' ? isText : isTokens;
  const wrong = prompt.findIndex((one) => !isPrompt(one) && !isEmpty(one));
  if (wrong !== -1) return refusePrompt(`prompt[${wrong}]`);
  const empty = prompt.findIndex(isEmpty);
  if (empty !== -1) throw missingParameter(`prompt[${empty}]`);
  return prompt.length;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTokens = (value: unknown): boolean =>
  Array.isArray(value) && value.every((token) => Number.isSafeInteger(token) && token >= 0);

function refuse(detail: string): never {
  throw new GatewayError('invalid_request', { detail });
}

const refusePrompt = (path: string): never =>
  refuse(`${path}: must be a text, a list of texts, a list of tokens, or a list of these lists`);
