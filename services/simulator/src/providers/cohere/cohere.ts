import { sendError } from '../handle-call';
import { handleEmbeddings } from '../handle-embeddings';
import { handleRerank, parseRerank, type Ranking } from '../handle-rerank';
import { hasBearer, retryAfterHeader } from '../headers';
import type { ProviderProtocol } from '../protocol';
import type { Provider, ProviderDeps } from '../provider';
import { parseEmbed, toEmbedReply } from './embed';
import { cohereError, errorOfStatus } from './error';

/** Creates Cohere's embeddings and rankings, version 2 of its API; its chat is not simulated. */
export function createCohere(deps: ProviderDeps): Provider {
  return {
    name: 'cohere',
    handle(call, path) {
      const isPost = call.req.method === 'POST';
      if (isPost && path === '/v2/embed')
        return handleEmbeddings(call, deps, protocol, parseEmbed, toEmbedReply);
      if (isPost && path === '/v2/rerank') return handleRerank(call, deps, protocol, parseRanking, toRanking);
      return sendError(call, deps, protocol, errorOfStatus(404));
    },
  };
}

const RERANK_FIELDS = new Set(['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc']);
const parseRanking = (body: unknown) =>
  parseRerank(body, RERANK_FIELDS, (message) => cohereError(400, message));
const toRanking = ({ id, results, searchUnits }: Ranking) => ({
  ...{ id, results },
  meta: { api_version: { version: '2' }, billed_units: { search_units: searchUnits } },
});

const protocol: ProviderProtocol = {
  provider: 'cohere',
  overloadedStatus: 503,
  authorize({ req }) {
    if (!hasBearer(req.headers)) throw cohereError(401, 'no api key supplied');
  },
  headers: retryAfterHeader,
  errorOfStatus,
};
