import { inputTokensOf } from '@gateway/pricing';
import type { CredentialLimiter } from '@gateway/upstream';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider, MeteredStream } from '../domain/chat-provider';
import { countConversation } from '../domain/count-conversation';
import { passesThrough } from '../domain/passes-through';
import { ReplyText } from '../domain/reply-text';
import type { Route } from '../domain/route';
import { providerCostNano } from '../domain/settlement-event';
import { TokenCounter } from '../domain/token-count';
import { AUDIO_TOKENS_PER_SECOND, estimateInput, type RequestSize } from '../domain/upper-bound';
import {
  hasAllFigures,
  largerUsage,
  NO_USAGE,
  ofTier,
  type TokenUsage,
  type UsageSource,
  withAudio,
  withSearches,
} from '../domain/usage';

/** A request and the provider that it was sent to. */
export interface Sent {
  readonly request: CallerRequest;
  readonly provider: ChatProvider;
  readonly body: Buffer;
}

/** Reads what has to be known of a reply without figures. */
export interface ReplyCounter {
  /** Returns its tokens. */
  readonly output: () => number;
  /** Returns how many of them are audio; absent: none. */
  readonly speech?: () => number;
}

interface EndedReply extends ReplyCounter {
  readonly isRefused: () => boolean;
}

/** Returns a call's usage by our own count. Never throws, because every dispatched call must end: the rest is estimated. */
export const countedUsage = (sent: Sent, counter: ReplyCounter): TokenUsage =>
  largerUsage(countedPrompt(sent), countedReply(counter));

function countedPrompt({ request, provider, body }: Sent): TokenUsage {
  const heard = audioTokensOf(request.size, provider);
  const countInput = () =>
    provider.countInput?.(body) ?? countConversation(request.conversation(), new TokenCounter()).tokens;
  const input = orElse(() => countInput() + heard, estimateInput(request.size));
  return withAudio({ ...NO_USAGE, input }, { input: heard, cacheRead: 0, output: 0 });
}

function countedReply({ output, speech = () => 0 }: ReplyCounter): TokenUsage {
  const usage = { ...NO_USAGE, output: orElse(output, 0) };
  return withAudio(usage, { input: 0, cacheRead: 0, output: orElse(speech, 0) });
}

/** Returns the tokens of the inline audio of a prompt, by its duration. */
export const audioTokensOf = (
  { audio }: RequestSize,
  { audioTokensPerSecond = AUDIO_TOKENS_PER_SECOND.usual }: Pick<ChatProvider, 'audioTokensPerSecond'>,
): number => Math.ceil((audio?.seconds ?? 0) * audioTokensPerSecond);

/** Returns the output tokens of a reply without usage figures. */
function countReply({ request, provider }: Sent, reply: Record<string, unknown>): number {
  if (provider.countReply) return withoutEcho(request, provider.countReply(reply));
  const text = new ReplyText();
  text.addParts(provider.readReply(reply).parts);
  return text.count();
}

/** Returns the tokens of a reply without the prompts that it repeats, which are estimated. */
export function withoutEcho(
  { echoes = 0, size }: Pick<CallerRequest, 'echoes' | 'size'>,
  output: number,
): number {
  return echoes === 0 ? output : Math.max(0, output - echoes * estimateInput(size));
}

/** Returns the tier of a call whose provider reports none: a translated request asks for no tier. */
export const tierOf = ({ request, provider }: Pick<Sent, 'request' | 'provider'>): string | undefined =>
  passesThrough(request, provider) ? undefined : 'default';

/** The usage of a reply that has ended. */
export interface FinalUsage {
  readonly usage: TokenUsage;
  readonly source: UsageSource;
  /** The provider has reported all of the output, also what it hides. */
  readonly isOutputKnown: boolean;
  /** The provider has reported figures that contradict the reply. */
  readonly isContradicted: boolean;
}

/** Returns the usage of a stream that has ended. @param whole whether the reply is complete */
export function finalUsage(sent: Sent, stream: MeteredStream, whole: boolean): FinalUsage {
  const counter = {
    output: () => withoutEcho(sent.request, stream.countOutput()),
    speech: () => stream.audioOutput ?? 0,
    isRefused: () => stream.isRefused,
  };
  const final = completedUsage(sent, stream.usage, counter);
  // A stream that was cut may have reported less than it sent.
  const isCut = !whole && final.usage.output === stream.usage?.output;
  const counted = isCut ? largerUsage(countedReply(counter), final.usage) : final.usage;
  const usage = final.source === 'counted' ? withSearches(counted, stream.searches ?? 0) : counted;
  return { ...final, usage: ofTier(usage, stream.serviceTier ?? tierOf(sent)) };
}

/** Returns the usage of a complete reply. @param reported by the provider */
export function wholeUsage(
  sent: Sent,
  reply: Record<string, unknown>,
  reported: TokenUsage | undefined,
): FinalUsage {
  const { provider } = sent;
  const final = completedUsage(sent, reported, {
    output: () => countReply(sent, reply),
    speech: () => provider.countSpeech?.(reply) ?? 0,
    isRefused: () => provider.readReply(reply).stop === 'refusal',
  });
  return { ...final, usage: ofTier(final.usage, provider.readServiceTier?.(reply) ?? tierOf(sent)) };
}

/** Returns the usage of a stream so far, estimated where the provider has reported nothing yet. */
export function usageSoFar({ request }: Sent, stream: MeteredStream): TokenUsage {
  const { usage: reported, audioOutput = 0 } = stream;
  if (reported && hasAllFigures(reported)) return ofTier(reported, stream.serviceTier);
  const isPromptKnown = reported !== undefined && inputTokensOf(reported) > 0;
  const estimated = {
    ...NO_USAGE,
    input: isPromptKnown ? 0 : estimateInput(request.size),
    output: reported?.output ? 0 : withoutEcho(request, stream.estimateOutput()),
  };
  const usage = largerUsage(reported, withAudio(estimated, { input: 0, cacheRead: 0, output: audioOutput }));
  return ofTier(usage, stream.serviceTier);
}

/**
 * Counts what the provider has not reported. No prompt is empty, so 0 is no figure for it, nor for an output where there is any;
 * except that a guardrail may refuse before the model is called, with a text of its own and all figures 0.
 */
function completedUsage(sent: Sent, reported: TokenUsage | undefined, counter: EndedReply): FinalUsage {
  if (reported && (hasAllFigures(reported) || (isZero(reported) && isFree(counter)))) {
    return { usage: reported, source: 'provider', isOutputKnown: true, isContradicted: false };
  }
  const hasInput = reported !== undefined && inputTokensOf(reported) > 0;
  const hasOutput = reported !== undefined && reported.output > 0;
  const prompt = hasInput ? NO_USAGE : countedPrompt(sent);
  const reply = hasOutput ? NO_USAGE : countedReply(counter);
  const usage = largerUsage(reported, largerUsage(prompt, reply));
  const isCredible = hasInput && reply.output === 0;
  return {
    usage,
    source: isCredible ? 'provider' : 'counted',
    isOutputKnown: hasOutput || isCredible,
    isContradicted: reported !== undefined && !isCredible,
  };
}

/** Counts a reply for the limits of its credential. A target without a cost costs nothing. */
export function countUse(
  limiter: Pick<CredentialLimiter, 'addOutput' | 'addCost'>,
  route: Route,
  usage: TokenUsage,
): void {
  const { cost } = route.target;
  limiter.addOutput(route, usage.output);
  if (cost) limiter.addCost(route, providerCostNano(cost, usage));
}

const isZero = (usage: TokenUsage): boolean => inputTokensOf(usage) + usage.output === 0;

/** A text completion can't be read, and is never refused. */
function isFree({ isRefused }: EndedReply): boolean {
  try {
    return isRefused();
  } catch {
    return false;
  }
}

function orElse(count: () => number, estimate: number): number {
  try {
    return count();
  } catch {
    return estimate;
  }
}
