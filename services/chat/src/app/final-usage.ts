import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider, MeteredStream } from '../domain/chat-provider';
import { countConversation } from '../domain/count-conversation';
import { ReplyText } from '../domain/reply-text';
import { TokenCounter } from '../domain/token-count';
import { estimateInput } from '../domain/upper-bound';
import { NO_USAGE, ofTier, type TokenUsage, type UsageSource, withSearches } from '../domain/usage';

/** A request and the provider that it was sent to. */
export interface Sent {
  readonly request: CallerRequest;
  readonly provider: ChatProvider;
  readonly body: Buffer;
}

/** Returns a call's usage by our own count. Never throws, because every dispatched call must end: the rest is estimated. */
export function countedUsage(sent: Sent, countOutput: () => number): TokenUsage {
  const { request, provider, body } = sent;
  const input = orElse(
    () => provider.countInput?.(body) ?? countConversation(request.conversation(), new TokenCounter()).tokens,
    estimateInput(request.size),
  );
  return { ...NO_USAGE, input, output: orElse(countOutput, 0) };
}

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
  if (!reported) return [withSearches(countedUsage(sent, countOutput), stream.searches ?? 0), 'counted'];
  const output = orElse(countOutput, 0);
  return [{ ...reported, output: Math.max(reported.output, output) }, 'provider'];
}

function orElse(count: () => number, estimate: number): number {
  try {
    return count();
  } catch {
    return estimate;
  }
}
