import { GatewayError } from '@gateway/errors';
import { type CpuTimeQuota, threadCpuMs } from '@gateway/quota';
import type { CallerRequest } from '../domain/caller-request';
import type { Conversation } from '../domain/conversation';
import { countConversation } from '../domain/count-conversation';
import type { Model } from '../domain/model';
import { PromptSample } from '../domain/prompt-sample';
import { DEFAULT_BUDGET_MS, TokenCounter } from '../domain/token-count';
import { textBytes } from '../domain/upper-bound';

/** By how much another encoding's count may exceed the model's own. */
const ESTIMATE_MARGIN = 1.25;

export interface LengthCheck {
  readonly request: CallerRequest;
  readonly model: Pick<Model, 'slug' | 'contextLength'>;
  /** Whether the model's encoding is public, so that the count is exact. */
  readonly isPublic: boolean;
  readonly accountId: string;
}

/**
 * Refuses a prompt that is longer than the model's context: the hold is bounded by the context, so what a provider
 * charges beyond it would be an operator loss. A prompt with no more bytes than the context has tokens is not counted,
 * because every token has at least one byte. An estimate of the whole text decides where its error allows it, whatever CPU time is left;
 * otherwise the text is counted, as far as the CPU time suffices.
 * @throws GatewayError `invalid_request`
 */
export function refuseOverlong(
  { request, model: { slug, contextLength }, isPublic, accountId }: LengthCheck,
  counting: CpuTimeQuota,
): void {
  if (contextLength === 0 || textBytes(request.size) <= contextLength) return;
  const conversation = readable(request);
  if (!conversation) return;
  // Providers write tools and schemas in a form that is shorter than their JSON.
  const isExact = isPublic && conversation.tools.length === 0 && conversation.output.kind !== 'schema';
  const most = isExact ? contextLength : contextLength * ESTIMATE_MARGIN;
  const excess = counting.run(accountId, DEFAULT_BUDGET_MS, (budgetMs) =>
    excessOf(conversation, most, budgetMs),
  );
  if (!excess) return;
  const figure = `has ${excess.isCounted && isExact ? '' : 'about '}${excess.tokens} tokens`;
  throw new GatewayError('invalid_request', {
    detail: `messages: the prompt ${figure}, which exceeds the ${contextLength}-token context of ${slug}`,
    shouldRetry: false,
  });
}

/** A shorter prompt is counted, and an estimate may have so many pieces, whatever CPU time is left: some 4 ms. */
const COUNTED_CHARS = 16_384;
const SURE_PIECES = 64;

/** Returns the tokens of a prompt that certainly exceed a maximum; undefined if they do not. */
function excessOf(
  conversation: Conversation,
  most: number,
  budgetMs: number,
): { readonly tokens: number; readonly isCounted: boolean } | undefined {
  const deadlineMs = threadCpuMs() + budgetMs;
  const sample = countConversation(conversation, new PromptSample());
  for (const range of sample.ranges()) {
    if (range.least > most) return { tokens: range.tokens, isCounted: false };
    if (range.most <= most) return undefined;
    if (range.pieces >= SURE_PIECES && threadCpuMs() > deadlineMs) return undefined;
  }
  const leftMs = sample.chars <= COUNTED_CHARS ? Number.POSITIVE_INFINITY : deadlineMs - threadCpuMs();
  const { exact, tokens, countedTokens } = countConversation(conversation, new TokenCounter(leftMs));
  // If the CPU time ran out, the counted part may be enough: the rest is not held against the client.
  const known = exact ? tokens : countedTokens;
  return known > most ? { tokens, isCounted: exact } : undefined;
}

/** Undefined for a call that only its own format can carry: its provider counts it. */
function readable(request: CallerRequest): Conversation | undefined {
  try {
    return request.conversation();
  } catch {
    return undefined;
  }
}
