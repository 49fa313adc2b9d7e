import type { WholeReply } from '../../domain/chat-provider';
import { withoutOperatorsCosts } from '../../domain/operators-costs';
import { parseExactData } from '../../sse/sse-data';
import { ModelNameRewriter } from '../model-name-rewriter';

/** The member of a response that names the model. */
export const VERSION_MEMBER = 'modelVersion';

const USAGE_MEMBER = 'usageMetadata';
const COST = Buffer.from('cost');

/** Returns a complete reply with the slug in place of the provider's name of the model, and without what the operator pays. */
export function withSlug({ bytes, value }: WholeReply, model: string): Buffer {
  const shown = withoutOperatorsCosts(value, USAGE_MEMBER);
  const own = shown === value ? bytes : Buffer.from(JSON.stringify(shown));
  return new ModelNameRewriter(model, VERSION_MEMBER).inReply(own);
}

/** Returns an event of a stream without what the operator pays; the same one if it has none of that. */
export function withoutCostsInEvent(event: Buffer): Buffer {
  const data = event.includes(COST) ? parseExactData(event) : undefined;
  const shown = data && withoutOperatorsCosts(data, USAGE_MEMBER);
  return shown === data ? event : Buffer.from(`data: ${JSON.stringify(shown)}\n\n`);
}
