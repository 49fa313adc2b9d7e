import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider, MeteredStream } from '../domain/chat-provider';
import { countConversation } from '../domain/count-conversation';
import { ReplyText } from '../domain/reply-text';
import { TokenCounter } from '../domain/token-count';
import { AUDIO_TOKENS_PER_SECOND, estimateInput, type RequestSize } from '../domain/upper-bound';
import {
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

/** Returns a call's usage by our own count. Never throws, because every dispatched call must end: the rest is estimated. */
export function countedUsage(sent: Sent, countOutput: () => number, countSpeech = () => 0): TokenUsage {
  const { request, provider, body } = sent;
  const heard = audioTokensOf(request.size, provider);
  const countInput = () =>
    provider.countInput?.(body) ?? countConversation(request.conversation(), new TokenCounter()).tokens;
  const input = orElse(() => countInput() + heard, estimateInput(request.size));
  const usage = { ...NO_USAGE, input, output: orElse(countOutput, 0) };
  return withAudio(usage, { input: heard, cacheRead: 0, output: orElse(countSpeech, 0) });
}

/** Returns the tokens of the inline audio of a prompt, by its duration. */
export const audioTokensOf = (
  { audio }: RequestSize,
  { audioTokensPerSecond = AUDIO_TOKENS_PER_SECOND.usual }: Pick<ChatProvider, 'audioTokensPerSecond'>,
): number => Math.ceil((audio?.seconds ?? 0) * audioTokensPerSecond);

/** Returns the output tokens of a reply without usage figures. */
export function countReply({ request, provider }: Sent, reply: Record<string, unknown>): number {
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
  provider.wire === request.wire ? undefined : 'default';

type SourcedUsage = readonly [TokenUsage, UsageSource];

/** Returns the usage of a stream that has ended, complete or not. */
export function finalUsage(sent: Sent, stream: MeteredStream, whole: boolean): SourcedUsage {
  const [usage, source] = figuresOf(sent, stream, whole);
  return [ofTier(usage, stream.serviceTier ?? tierOf(sent)), source];
}

/** A stream that was cut may have reported less than it sent. */
function figuresOf(sent: Sent, stream: MeteredStream, whole: boolean): SourcedUsage {
  const reported = stream.usage;
  const countOutput = () => withoutEcho(sent.request, stream.countOutput());
  if (reported && whole) return [reported, 'provider'];
  const { audioOutput = 0 } = stream;
  if (!reported) {
    const counted = countedUsage(sent, countOutput, () => audioOutput);
    return [withSearches(counted, stream.searches ?? 0), 'counted'];
  }
  const usage = { ...reported, output: Math.max(reported.output, orElse(countOutput, 0)) };
  const { input = 0, cacheRead = 0, output = 0 } = reported.audio ?? {};
  return [withAudio(usage, { input, cacheRead, output: Math.max(output, audioOutput) }), 'provider'];
}

function orElse(count: () => number, estimate: number): number {
  try {
    return count();
  } catch {
    return estimate;
  }
}
