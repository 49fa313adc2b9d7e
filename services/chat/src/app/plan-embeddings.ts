import { GatewayError } from '@gateway/errors';
import { placementOf, routesOf } from '@gateway/upstream';
import { boundOf, callPrice } from '../domain/call-cost';
import type { EmbeddingProtocol, EmbeddingRequest } from '../domain/embedding';
import { boundTokens, estimateTokens } from '../domain/embedding-size';
import type { Model, TokenPrice } from '../domain/model';
import { MAX_REPLY_BYTES } from '../domain/reply-memory';
import type { Route } from '../domain/route';
import type { UpperBound } from '../domain/upper-bound';
import type { PlanDeps } from './plan-call';

/** How a call for embeddings is sent to its model, and the maximum that it can cost. */
export interface PlannedEmbeddings {
  readonly request: EmbeddingRequest;
  readonly model: Model;
  /** In the order in which they are tried; at least one. */
  readonly routes: readonly Route[];
  /** Request body for the first route. */
  readonly body: Buffer;
  readonly price: TokenPrice;
  readonly priceVersion: bigint;
  readonly bound: UpperBound;
  readonly estimatedTokens: number;
}

/**
 * @throws GatewayError `invalid_request` for a call that no provider of the model can carry; `upstream_unavailable` if none is
 *   configured; `internal_error` without a price
 */
export function planEmbeddings(
  { providers, health }: Pick<PlanDeps, 'providers' | 'health'>,
  model: Model,
  request: EmbeddingRequest,
): PlannedEmbeddings {
  const { slug, pricing, contextLength, strategy, targets } = model;
  if (!pricing) throw new GatewayError('internal_error', { cause: new Error(`${slug} has no token price`) });
  const placed = routesOf(model, providers.accountsOf, () =>
    placementOf(strategy, targets, health, undefined),
  );
  const { routes, body } = prepare(request, model, placed);
  const price = callPrice(pricing.base, false);
  const inputTokens = boundTokens(request.inputs, contextLength);
  const costNano = boundOf(inputTokens, 0, price);
  const { encoding } = routes[0]!.provider;
  return {
    request,
    model,
    routes,
    body,
    price,
    priceVersion: pricing.version,
    bound: { inputTokens, outputTokens: 0, costNano, floorOutputTokens: 0, floorCostNano: costNano },
    estimatedTokens: Math.min(estimateTokens(request.inputs, encoding), inputTokens),
  };
}

/** Returns the routes from the first one that can carry the call, and the request body for that one. */
function prepare(
  request: EmbeddingRequest,
  { slug }: Model,
  placed: readonly Route[],
): Pick<PlannedEmbeddings, 'routes' | 'body'> {
  let refusal: unknown;
  for (const [index, route] of placed.entries()) {
    if (!route.provider.embeddings) continue;
    try {
      return { body: embeddingBody(request, route), routes: placed.slice(index) };
    } catch (error) {
      refusal ??= error;
    }
  }
  const cause = new Error(`no provider of ${slug} with embeddings is set up`);
  throw refusal ?? new GatewayError('upstream_unavailable', { cause });
}

/** Returns the request body for a route. @throws GatewayError `invalid_request` if its provider cannot carry the call */
export function embeddingBody(request: EmbeddingRequest, { provider, target }: Route): Buffer {
  const { embeddings } = provider;
  if (!embeddings) throw new GatewayError('invalid_request', { detail: 'the provider has no embeddings' });
  refuseLargeReply(request, embeddings);
  return embeddings.writeRequest(request, target.upstreamModel);
}

/** Of a model whose dimensions are not known: no common model has more. */
const MOST_DIMENSIONS = 4_096;
/** What a float32 takes on average, with its comma, if it is written with the digits of a double: seldom more than 21.5. */
const JSON_BYTES = 22;
const BASE64_BYTES = 16 / 3;
const ENTRY_BYTES = 64;

/** A reply that is larger than its maximum would be paid for nothing. */
function refuseLargeReply(
  { inputs, dimensions = MOST_DIMENSIONS, encoding }: EmbeddingRequest,
  { returnsBase64 = false }: EmbeddingProtocol,
): void {
  const floatBytes = encoding === 'base64' && returnsBase64 ? BASE64_BYTES : JSON_BYTES;
  const mostInputs = Math.floor(MAX_REPLY_BYTES / (dimensions * floatBytes + ENTRY_BYTES));
  if (inputs.list.length <= mostInputs) return;
  const hint = encoding === 'float' && returnsBase64 ? ', or more with encoding_format base64' : '';
  throw new GatewayError('invalid_request', {
    detail: `input: the reply is too large; send at most ${mostInputs} inputs${hint}`,
  });
}
