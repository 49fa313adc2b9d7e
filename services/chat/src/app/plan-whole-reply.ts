import { GatewayError } from '@gateway/errors';
import { boundOf, callPrice, type TokenPrice } from '@gateway/pricing';
import { placementOf, refuseLinks, routesOf } from '@gateway/upstream';
import type { Model } from '../domain/model';
import type { Route } from '../domain/route';
import type { UpperBound } from '../domain/upper-bound';
import type { WholeReplyCall } from '../domain/whole-reply-call';
import type { PlanDeps } from './plan-call';

/** How a call is sent to its model, and the maximum that it can cost. */
export interface PlannedWholeReply {
  readonly request: WholeReplyCall;
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
export function planWholeReply(
  { providers, health }: Pick<PlanDeps, 'providers' | 'health'>,
  model: Model,
  request: WholeReplyCall,
): PlannedWholeReply {
  const { slug, pricing, strategy, targets } = model;
  if (!pricing) throw new GatewayError('internal_error', { cause: new Error(`${slug} has no token price`) });
  const placed = routesOf(model, providers.accountsOf, () =>
    placementOf(strategy, targets, health, undefined),
  );
  const { routes, body } = prepare(request, model, placed);
  const price = callPrice(pricing.base, {});
  const { input: inputTokens, units } = request.boundUsage(model);
  const costNano = boundOf(inputTokens, 0, price, units);
  const { encoding } = routes[0]!.provider;
  return {
    request,
    model,
    routes,
    body,
    price,
    priceVersion: pricing.version,
    bound: {
      inputTokens,
      outputTokens: 0,
      costNano,
      floorOutputTokens: 0,
      floorCostNano: costNano,
      ...(units && { units }),
    },
    estimatedTokens: Math.min(request.estimateTokens(encoding), inputTokens),
  };
}

/** Returns the routes from the first one that can carry the call, and the request body for that one. */
function prepare(
  request: WholeReplyCall,
  { slug }: Model,
  placed: readonly Route[],
): Pick<PlannedWholeReply, 'routes' | 'body'> {
  let refusal: unknown;
  for (const [index, route] of placed.entries()) {
    if (!request.protocolOf(route.provider)) continue;
    try {
      return { body: wholeReplyBody(request, route), routes: placed.slice(index) };
    } catch (error) {
      refusal ??= error;
    }
  }
  const cause = new Error(`no provider of ${slug} for its output is set up`);
  throw refusal ?? new GatewayError('upstream_unavailable', { cause });
}

/** Returns the request body for a route. @throws GatewayError `invalid_request` if its provider cannot carry the call */
export function wholeReplyBody(request: WholeReplyCall, { provider, target }: Route): Buffer {
  const protocol = request.protocolOf(provider);
  if (!protocol)
    throw new GatewayError('invalid_request', { detail: `the provider has no ${request.output} models` });
  refuseLinks(provider.connection, request.links);
  return protocol.writeRequest(target.upstreamModel);
}
