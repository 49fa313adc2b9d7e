import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import { modelActionOf } from './generate-content';

export interface Routes {
  readonly chatCompletion: LinkHandler;
  readonly completion: LinkHandler;
  readonly message: LinkHandler;
  readonly response: LinkHandler;
  readonly compaction: LinkHandler;
  readonly countInputTokens: LinkHandler;
  readonly embeddings: LinkHandler;
  readonly moderation: LinkHandler;
  readonly ranking: LinkHandler;
  readonly countTokens: LinkHandler;
  readonly generateContent: LinkHandler;
  readonly describeKey: LinkHandler;
  readonly listModels: LinkHandler;
  readonly getModel: LinkHandler;
}

/** Returns the handler of a call. Edge has checked the path, so an unknown one comes from a newer edge. */
export function routeCall(routes: Routes): LinkHandler {
  return (context, call) => {
    const route = `${call.method} ${call.path}`;
    if (route === 'POST /v1/chat/completions') return routes.chatCompletion(context, call);
    if (route === 'POST /v1/completions') return routes.completion(context, call);
    if (route === 'POST /v1/messages') return routes.message(context, call);
    if (route === 'POST /v1/responses') return routes.response(context, call);
    if (route === 'POST /v1/responses/compact') return routes.compaction(context, call);
    if (route === 'POST /v1/responses/input_tokens') return routes.countInputTokens(context, call);
    if (route === 'POST /v1/embeddings') return routes.embeddings(context, call);
    if (route === 'POST /v1/moderations') return routes.moderation(context, call);
    if (route === 'POST /v1/rerank' || route === 'POST /v2/rerank') return routes.ranking(context, call);
    if (route === 'POST /v1/messages/count_tokens') return routes.countTokens(context, call);
    if (call.method === 'POST' && modelActionOf(call.path)) return routes.generateContent(context, call);
    if (route === 'GET /v1/key') return routes.describeKey(context, call);
    if (/^GET \/v1(?:beta)?\/models$/.test(route)) return routes.listModels(context, call);
    if (/^GET \/v1(?:beta)?\/models\//.test(route)) return routes.getModel(context, call);
    return Promise.reject(new GatewayError('not_found'));
  };
}
