import { sendError } from '../handle-call';
import { handleEmbeddings } from '../handle-embeddings';
import { hasBearer, retryAfterHeader } from '../headers';
import type { ProviderProtocol } from '../protocol';
import type { Provider, ProviderDeps } from '../provider';
import { parseEmbed, toEmbedReply } from './embed';
import { cohereError, errorOfStatus } from './error';

/** Creates Cohere's embeddings, version 2 of its API; its chat is not simulated. */
export function createCohere(deps: ProviderDeps): Provider {
  return {
    name: 'cohere',
    handle(call, path) {
      if (path !== '/v2/embed' || call.req.method !== 'POST')
        return sendError(call, deps, protocol, errorOfStatus(404));
      return handleEmbeddings(call, deps, protocol, parseEmbed, toEmbedReply);
    },
  };
}

const protocol: ProviderProtocol = {
  provider: 'cohere',
  overloadedStatus: 503,
  authorize({ req }) {
    if (!hasBearer(req.headers)) throw cohereError(401, 'no api key supplied');
  },
  headers: retryAfterHeader,
  errorOfStatus,
};
