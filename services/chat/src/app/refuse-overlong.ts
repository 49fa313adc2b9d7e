import { GatewayError } from '@gateway/errors';
import type { CpuTimeQuota } from '@gateway/quota';
import type { CallerRequest } from '../domain/caller-request';
import type { Conversation } from '../domain/conversation';
import { countConversation } from '../domain/count-conversation';
import type { Model } from '../domain/model';
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
 * because every token has at least one byte.
 * @throws GatewayError `invalid_request`
 */
export function refuseOverlong(
  { request, model: { slug, contextLength }, isPublic, accountId }: LengthCheck,
  counting: CpuTimeQuota,
): void {
  if (contextLength === 0 || textBytes(request.size) <= contextLength) return;
  const conversation = readable(request);
  if (!conversation) return;
  const { exact, tokens, countedTokens } = counting.run(accountId, DEFAULT_BUDGET_MS, (budgetMs) =>
    countConversation(conversation, new TokenCounter(budgetMs)),
  );
  // If the CPU time ran out, the counted part may be enough: the rest is not held against the client.
  const known = exact ? tokens : countedTokens;
  // Providers write tools and schemas in a form that is shorter than their JSON.
  const isExact = isPublic && conversation.tools.length === 0 && conversation.output.kind !== 'schema';
  if ((isExact ? known : known / ESTIMATE_MARGIN) <= contextLength) return;
  const figure = exact && isExact ? `has ${tokens} tokens` : `has about ${tokens} tokens`;
  throw new GatewayError('invalid_request', {
    detail: `messages: the prompt ${figure}, which exceeds the ${contextLength}-token context of ${slug}`,
    shouldRetry: false,
  });
}

/** Undefined for a call that only its own format can carry: its provider counts it. */
function readable(request: CallerRequest): Conversation | undefined {
  try {
    return request.conversation();
  } catch {
    return undefined;
  }
}
