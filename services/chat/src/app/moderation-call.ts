import { boundTokens, countTokens, estimateTokens } from '../domain/embedding-size';
import type { Model } from '../domain/model';
import type { ModerationProtocol, ModerationRequest } from '../domain/moderation';
import { NO_USAGE, type TokenUsage } from '../domain/usage';
import { parseReply, type WholeReplyCall, type WholeReplyProtocol } from '../domain/whole-reply-call';

/** Returns a call for a moderation. */
export const moderationCall = (request: ModerationRequest): WholeReplyCall => ({
  model: request.model,
  output: 'moderation',
  ...(request.links && { links: request.links }),
  protocolOf: ({ moderations }) => moderations && protocolOf(request, moderations),
  boundUsage: (model) => usageOf(boundTokens(textsOf(request), model.contextLength), request, model),
  estimateTokens: (encoding) => estimateTokens(textsOf(request), encoding),
  countUsage: (model) => countUsage(request, model),
});

const protocolOf = (request: ModerationRequest, moderations: ModerationProtocol): WholeReplyProtocol => ({
  address: () => moderations.address(),
  writeRequest: (upstreamModel) => moderations.writeRequest(request, upstreamModel),
  readReply(bytes, model) {
    const { id, results, inputTokens } = moderations.readReply(parseReply(bytes));
    if (results.length !== request.results) throw new Error('reply has another number of results');
    return {
      usage: inputTokens ? { ...NO_USAGE, input: inputTokens } : countUsage(request, model),
      source: inputTokens ? 'provider' : 'counted',
      body: Buffer.from(JSON.stringify({ id, model: model.slug, results })),
    };
  },
});

const textsOf = ({ texts }: ModerationRequest) => ({ kind: 'texts', list: texts }) as const;

const countUsage = (request: ModerationRequest, model: Model): TokenUsage =>
  usageOf(countTokens(textsOf(request), model.contextLength), request, model);

/** An image without a maximum may fill the context. */
function usageOf(
  textTokens: number,
  { images }: ModerationRequest,
  { maxImageTokens, contextLength }: Model,
): TokenUsage {
  return { ...NO_USAGE, input: textTokens + images * (maxImageTokens || contextLength) };
}
