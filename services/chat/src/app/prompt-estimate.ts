import type { CpuTimeQuota } from '@gateway/quota';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import type { Conversation } from '../domain/conversation';
import { countConversation } from '../domain/count-conversation';
import type { Model } from '../domain/model';
import { DEFAULT_BUDGET_MS, TokenCounter } from '../domain/token-count';
import { TokenEstimator } from '../domain/token-estimator';
import { estimateInput, type RequestSize } from '../domain/upper-bound';
import { audioTokensOf } from './final-usage';

/** What a larger image costs at most providers; the catalog's figure is the maximum for one image. */
const IMAGE_TOKENS = 1_000;
/** Tokens of instructions that a provider adds for tools or a schema. */
const MOST_HIDDEN_TOKENS = 350;

export interface PromptToEstimate {
  readonly request: CallerRequest;
  readonly size: RequestSize;
  readonly model: Model;
  readonly provider: Pick<ChatProvider, 'encoding' | 'boundInput' | 'audioTokensPerSecond'>;
  readonly accountId: string;
}

/**
 * Estimates a prompt's tokens for its key's TPM limit. Models with a public encoding are counted, as far as the account's
 * CPU quota allows; others are estimated. The tokens of images and files are known only when the provider answers.
 */
export function estimatePrompt(
  { request, size, model, provider, accountId }: PromptToEstimate,
  counting: CpuTimeQuota,
): number {
  const conversation = readable(request);
  if (!conversation) return estimateInput(size);
  const perImage = Math.min(model.maxImageTokens || IMAGE_TOKENS, IMAGE_TOKENS);
  const images = (size.images ?? 0) + (size.pdf?.pages ?? 0);
  const media = images * perImage + audioTokensOf(size, provider);
  const beside = media + Math.min(size.hiddenInputTokens ?? 0, MOST_HIDDEN_TOKENS);
  const counted =
    provider.boundInput &&
    counting.run(accountId, DEFAULT_BUDGET_MS, (budgetMs) => sumUp(conversation, new TokenCounter(budgetMs)));
  const sum = counted?.exact ? counted : sumUp(conversation, new TokenEstimator(provider.encoding));
  return beside + sum.tokens;
}

function sumUp<Sum extends TokenCounter | TokenEstimator>(conversation: Conversation, sum: Sum): Sum {
  const { output } = conversation;
  if (output.kind === 'schema') sum.addText(JSON.stringify(output.schema));
  return countConversation(conversation, sum);
}

/** Undefined for a call that only its own format can carry. */
function readable(request: CallerRequest): Conversation | undefined {
  try {
    return request.conversation();
  } catch {
    return undefined;
  }
}
