import { GatewayError } from '@gateway/errors';
import type { LinkCall } from '@gateway/link';
import { hasRateFor, type TokenPrice } from '@gateway/pricing';
import {
  type Account,
  placementOf,
  refuseLinks,
  routesOf,
  type SessionPins,
  type TargetHealth,
} from '@gateway/upstream';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import { usageIsHidden } from '../domain/hidden-usage';
import type { Model } from '../domain/model';
import { passesThrough } from '../domain/passes-through';
import { priceForCall } from '../domain/price-for-call';
import type { Route } from '../domain/route';
import { ToolNotSupported } from '../domain/tool-not-supported';
import {
  AUDIO_TOKENS_PER_SECOND,
  type RequestSize,
  type UpperBound,
  upperBound,
} from '../domain/upper-bound';
import { sessionKey } from './session-key';
import { isOpenEnded, upstreamBody } from './upstream-body';

/** The providers that are configured. */
export interface ChatProviders {
  /** Returns the accounts at a provider; none if it is not configured. */
  accountsOf(provider: string): readonly Account<ChatProvider>[];
  /** Whether the catalog's providers have been received. */
  readonly loaded: boolean;
}

export interface PlanDeps {
  readonly providers: ChatProviders;
  readonly health: Pick<TargetHealth, 'inFlight' | 'latencyMs'>;
  readonly sessions: Pick<SessionPins, 'get'>;
}

/** How a call is sent to a model, and the maximum that it can cost there. */
export interface PlannedCall {
  readonly request: CallerRequest;
  readonly model: Model;
  /** The model that the client named, if this one is its fallback model. */
  readonly requestedModel?: string;
  /** In the order in which they are tried; at least one. */
  readonly routes: readonly Route[];
  /** Absent if there is one route, or the prompt is too short to be cached. */
  readonly session: string | undefined;
  /** Request body for the first route, unless fewer output tokens are paid for than requested. */
  readonly body: Buffer;
  /** Includes what the provider adds. */
  readonly size: RequestSize;
  readonly price: TokenPrice;
  /** The price without the requested service tier, if one was requested. */
  readonly standardPrice: TokenPrice | undefined;
  readonly priceVersion: bigint;
  /** By the bytes of the call. */
  readonly bound: UpperBound;
  /** Only the provider's figures tell what the call uses. */
  readonly usageIsHidden: boolean;
}

/**
 * Plans a call to a model. Computed before any money is reserved, because a call that no provider can carry is the client's
 * mistake.
 * @param sized returns the size with the figures of the PDFs
 * @throws GatewayError `invalid_request` for a call that no provider of the model can carry; `upstream_unavailable` if none is
 *   configured
 */
export function planCall(
  deps: PlanDeps,
  call: LinkCall,
  model: Model,
  request: CallerRequest,
  sized: (size: RequestSize) => RequestSize,
): PlannedCall {
  requireCapability(model, request);
  const { version: priceVersion, offered, standard } = priceFor(model, request);
  if (request.size.webSearches && !hasSearchPrice(offered))
    throw new ToolNotSupported('web_search', `web search: ${model.slug} has no price for it`);
  refuseUnpricedAudio(model, request, offered);
  const { placed, session } = placeCall(deps, call, model, request);
  const { routes, body } = prepare(request, model, placed);
  const size = sized(sizeOn(routes, request, model, body));
  const needs = {
    longCache: size.longCache,
    audioInput: mayHear(request.wire, size),
    audioOutput: size.speaks,
  };
  const price = priceForCall(offered, needs);
  return {
    request,
    model,
    routes,
    session,
    body,
    size,
    price,
    standardPrice: standard && priceForCall(standard, needs),
    priceVersion,
    bound: upperBound(model, price, size),
    usageIsHidden: usageIsHidden(model, size, routes),
  };
}

/** @throws GatewayError `invalid_request` if the model lacks what the call needs */
function requireCapability({ slug, capabilities }: Model, { needs }: CallerRequest): void {
  if (!needs || capabilities.has(needs)) return;
  const detail =
    needs === 'fim'
      ? `suffix: ${slug} does not fill in the middle`
      : `model: ${slug} has no text completions; send its prompts to /v1/chat/completions`;
  throw new GatewayError('invalid_request', { detail });
}

/** A file that Google fetches may be audio, whatever type its caller gives. */
const mayHear = (wire: CallerRequest['wire'], { audio, hasMedia }: RequestSize): boolean =>
  audio !== undefined || (wire === 'gemini' && hasMedia);

/** Whether the model has a price for searches of the web. */
const hasSearchPrice = ({ units }: TokenPrice): boolean =>
  (units?.web_search ?? units?.web_search_prompt) !== undefined;

/** @throws GatewayError `invalid_request` for audio without a price */
function refuseUnpricedAudio({ slug }: Model, { size }: CallerRequest, price: TokenPrice): void {
  if (size.audio && !hasRateFor(price, 'audioInput'))
    throw new GatewayError('invalid_request', { detail: `audio: ${slug} does not take audio` });
  if (size.speaks && !hasRateFor(price, 'audioOutput'))
    throw new GatewayError('invalid_request', { detail: `modalities: ${slug} does not reply with audio` });
}

/** Returns the routes in the order in which they are tried, and the session that the call belongs to, if there is a choice. */
function placeCall(
  { providers, health, sessions }: PlanDeps,
  { key, headers }: LinkCall,
  model: Model,
  request: CallerRequest,
): { placed: Route[]; session: string | undefined } {
  let session: string | undefined;
  const placed = routesOf(model, providers.accountsOf, () => {
    session = sessionKey(key.accountId, model.slug, headers, request);
    const known = session === undefined ? undefined : { key: session, pinned: sessions.get(session) };
    return placementOf(model.strategy, model.targets, health, known);
  });
  return { placed, session };
}

/**
 * Returns the price of the requested service tier and, if it is another tier, the standard price.
 * @throws GatewayError `internal_error` without a price; `invalid_request` for an unknown tier
 */
function priceFor(
  { slug, pricing }: Model,
  { serviceTier: tier }: CallerRequest,
): { version: bigint; offered: TokenPrice; standard?: TokenPrice } {
  if (!pricing) throw new GatewayError('internal_error', { cause: new Error(`${slug} has no token price`) });
  const { version, base, serviceTiers } = pricing;
  if (!tier || tier === 'auto' || tier === 'default') return { version, offered: base };
  const offered = serviceTiers.get(tier);
  if (!offered)
    throw new GatewayError('invalid_request', { detail: `service_tier: ${slug} has no such tier` });
  return { version, offered, standard: base };
}

/** Returns the routes from the first one that can carry the call, and the request body for that one. */
function prepare(
  request: CallerRequest,
  model: Model,
  routes: readonly Route[],
): { routes: readonly Route[]; body: Buffer } {
  let refusal: unknown;
  // The credentials of a target differ in nothing that decides whether it can carry the call.
  const carriers = new Map<Route['target'], boolean>();
  const isCarrier = (route: Route): boolean => {
    const known = carriers.get(route.target) ?? canCarry(request, model, route);
    carriers.set(route.target, known);
    return known;
  };
  for (const [index, route] of routes.entries()) {
    if (carriers.get(route.target) === false) continue;
    try {
      refuseWhatItLacks(request, route);
      const body = upstreamBody(request, model, route, undefined);
      return { routes: routes.slice(index).filter(isCarrier), body };
    } catch (error) {
      carriers.set(route.target, false);
      refusal = error;
    }
  }
  throw refusal ?? noProvider(model);
}

/** Created on demand, like every error on a call's path: a stack trace costs microseconds. */
function noProvider({ slug }: Model): GatewayError {
  return new GatewayError('upstream_unavailable', { cause: new Error(`no provider of ${slug} is set up`) });
}

/** @throws GatewayError `invalid_request` if the call needs searches that the provider does not offer, or has links that it must not fetch */
function refuseWhatItLacks({ size }: CallerRequest, { provider }: Route): void {
  refuseLinks(provider.connection, size.links);
  if (size.webSearches && !provider.webSearch)
    throw new ToolNotSupported('web_search', 'web search: not supported by this model');
}

function canCarry(request: CallerRequest, model: Model, route: Route): boolean {
  const { provider, target } = route;
  try {
    refuseWhatItLacks(request, route);
    if (passesThrough(request, provider))
      provider.passThroughMembers?.(request.parsed, model.capabilities, target.upstreamModel);
    else request.conversation();
    return true;
  } catch {
    return false;
  }
}

/** A translation may have longer member names than the client's request; they are not input. */
const FRAME_BYTES = 1_024;

/**
 * Returns the size including what the route with the largest overhead adds to the input. An hour of caching is requested
 * only from a provider of the client's format, or of another one that can express it.
 * @param body the first route's request body
 */
function sizeOn(routes: readonly Route[], request: CallerRequest, model: Model, body: Buffer): RequestSize {
  const { size, conversation } = request;
  const passes = (provider: ChatProvider): boolean => passesThrough(request, provider);
  // One account of each provider: the others differ in their credentials only.
  const providers = [...new Map(routes.map(({ provider }) => [provider.id, provider])).values()];
  const resultTokens = providers.flatMap(({ webSearch }) => webSearch?.resultTokens ?? []);
  const added = providers.map((provider) =>
    passes(provider) ? 0 : (provider.addedInputTokens?.(conversation()) ?? 0),
  );
  return {
    ...size,
    bodyBytes: Math.max(size.bodyBytes, translatedBytes(routes, request, model, body) - FRAME_BYTES),
    longCache: (size.longCache ?? false) && providers.some((one) => passes(one) || one.writesLongCache),
    ...(size.webSearches && resultTokens.length > 0 && { searchResultTokens: Math.max(...resultTokens) }),
    ...(size.audio && {
      audioTokensPerSecond: Math.max(
        ...providers.map((one) => one.audioTokensPerSecond ?? AUDIO_TOKENS_PER_SECOND.usual),
      ),
    }),
    openEnded: providers.some((provider) => isOpenEnded(request, model, provider)),
    hiddenInputTokens: Math.max(size.hiddenInputTokens ?? 0, ...added),
  };
}

/** Size of the longest translation, which may exceed the client's request. One per format: its providers differ little. */
function translatedBytes(
  routes: readonly Route[],
  request: CallerRequest,
  model: Model,
  firstBody: Buffer,
): number {
  const first = routes[0]!.provider.wire;
  const ofWire = new Map(routes.map((route) => [route.provider.wire, route]));
  const lengths = [...ofWire].map(([wire, route]) => {
    if (passesThrough(request, route.provider)) return 0;
    return wire === first ? firstBody.length : lengthOn(route, request, model);
  });
  return Math.max(...lengths);
}

function lengthOn(route: Route, request: CallerRequest, model: Model): number {
  try {
    return upstreamBody(request, model, route, undefined).length;
  } catch {
    // The dispatcher skips this route.
    return 0;
  }
}
