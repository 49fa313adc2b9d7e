import { GatewayError } from '@gateway/proto';
import type { CallerRequest } from '../domain/caller-request';
import type { Conversation } from '../domain/conversation';
import { countConversation } from '../domain/count-conversation';
import type { CountingShare } from '../domain/counting-share';
import type { Model } from '../domain/model';
import { DEFAULT_BUDGET_MS } from '../domain/token-count';
import { type RequestSize, type UpperBound, withRateEstimate } from '../domain/upper-bound';
import type { Admitted } from './admission';

/**
 * Where an encoding is not public, only the bytes of a prompt bound it: to four times the tokens that prose has. A key
 * that may use more tokens in a minute than the prompt has, but fewer than its bytes, would never be let in: so where
 * no waiting helps, an estimate is taken of the minute instead. The money that is held stays that of the bytes.
 * @param estimated undefined where there is none
 */
export async function admitByEstimate(
  bound: UpperBound,
  admit: (bound: UpperBound) => Promise<Admitted>,
  estimated: () => UpperBound | undefined,
): Promise<Admitted> {
  try {
    return await admit(bound);
  } catch (error) {
    const isHopeless =
      error instanceof GatewayError && error.code === 'tpm_rate_limited' && error.shouldRetry === false;
    const lower = isHopeless ? estimated() : undefined;
    if (!lower) throw error;
    return admit(lower);
  }
}

export interface EstimatedCall {
  readonly request: CallerRequest;
  readonly model: Model;
  readonly size: RequestSize;
  readonly bound: UpperBound;
  readonly accountId: string;
}

/** Undefined where too much of the input cannot be counted, or not in time. */
export function rateEstimate(
  { request, model, size, bound, accountId }: EstimatedCall,
  counting: CountingShare,
): UpperBound | undefined {
  if (size.hasMedia || ((size.images ?? 0) > 0 && model.maxImageTokens === 0)) return undefined;
  const conversation = readable(request);
  if (!conversation) return undefined;
  const { exact, tokens } = counting.run(accountId, DEFAULT_BUDGET_MS, (budgetMs) => {
    const counter = countConversation(conversation, budgetMs);
    if (conversation.output.kind === 'schema') counter.addText(JSON.stringify(conversation.output.schema));
    return counter;
  });
  return exact ? withRateEstimate(bound, model, size, tokens) : undefined;
}

/** What only the caller's own format can say is not counted. */
function readable(request: CallerRequest): Conversation | undefined {
  try {
    return request.conversation();
  } catch {
    return undefined;
  }
}
