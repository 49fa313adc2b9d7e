import type { WholeReply } from '../../domain/chat-provider';
import { ModelNameRewriter } from '../model-name-rewriter';

/** The member of a response that names the model. */
export const VERSION_MEMBER = 'modelVersion';

/** Returns a complete reply with the slug in place of the provider's name of the model. */
export const withSlug = ({ bytes }: WholeReply, model: string): Buffer =>
  new ModelNameRewriter(model, VERSION_MEMBER).inReply(bytes);
