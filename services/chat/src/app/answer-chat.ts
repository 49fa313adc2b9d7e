import { annotateFailure } from '@gateway/call-billing';
import { GatewayError, isRetryableTpmLimit } from '@gateway/errors';
import type { LinkCall, LinkReply } from '@gateway/link';
import { isBareName, modelNameForRecord } from '@gateway/models';
import type { CpuTimeQuota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { type Account, placementOf, routesOf, type SessionPins, type TargetHealth } from '@gateway/upstream';
import { callPrice } from '../domain/call-cost';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import { usageIsHidden } from '../domain/hidden-usage';
import {
  catalogNotReceived,
  type Model,
  type ModelLookup,
  resolveChatModel,
  type TokenPrice,
} from '../domain/model';
import type { Route } from '../domain/route';
import { sizedPdfs } from '../domain/sized-pdfs';
import { DEFAULT_BUDGET_MS } from '../domain/token-count';
import {
  estimateInput,
  type RequestSize,
  type UpperBound,
  upperBound,
  withoutReduction,
} from '../domain/upper-bound';
import type { AbandonedCalls } from './abandoned-calls';
import type { AdmittedCall } from './admitted-call';
import type { ChatRunner } from './chat-runner';
import { estimatePrompt } from './prompt-estimate';
import { refuseOverlong } from './refuse-overlong';
import type { Admission, Admitted } from './reserve-call';
import { sessionKey } from './session-key';
import { isOpenEnded, upstreamBody } from './upstream-body';

/** The providers that are configured. */
export interface ChatProviders {
  /** Returns the accounts at a provider; none if it is not configured. */
  accountsOf(provider: string): readonly Account<ChatProvider>[];
  /** Whether the catalog's providers have been received. */
  readonly loaded: boolean;
}

export interface AnswerChatDeps {
  readonly models: ModelLookup;
  readonly providers: ChatProviders;
  readonly admission: Admission;
  readonly runner: ChatRunner;
  readonly counting: CpuTimeQuota;
  readonly abandoned: Pick<AbandonedCalls, 'admits'>;
  readonly health: Pick<TargetHealth, 'inFlight' | 'latencyMs'>;
  readonly sessions: Pick<SessionPins, 'get'>;
}

export type AnswerChat = (
  context: RequestContext,
  call: LinkCall,
  request: CallerRequest,
) => Promise<LinkReply>;

/** Answers a chat call of either format: finds the model, reserves money, sends the call and returns the reply. */
export function answerChat(deps: AnswerChatDeps): AnswerChat {
  return async (context, call, request) => {
    let hasHold = false;
    try {
      const admitted = await admitChat(deps, context, call, request);
      hasHold = true;
      return await deps.runner.send(context, admitted);
    } catch (thrown) {
      annotateFailure(thrown, { model: modelNameForRecord(deps.models, request.model, thrown), hasHold });
      throw thrown;
    }
  };
}

async function admitChat(
  deps: AnswerChatDeps,
  context: RequestContext,
  call: LinkCall,
  request: CallerRequest,
): Promise<AdmittedCall> {
  const { models, providers, admission, counting, abandoned } = deps;
  const model = resolveChatModel(models, request.model, call.key);
  const { version: priceVersion, offered, standard } = priceFor(model, request);
  if (!providers.loaded) throw catalogNotReceived();
  const { placed, session } = placeCall(deps, call, model, request);
  const { routes, body } = prepare(request, model, placed);
  const size = sizedPdfs(sizeOn(routes, request, model, body), call.key.accountId, counting);
  // The bound must hold for every target, and tokenizers of other providers differ.
  const allCanBoundInput = routes.every(({ provider }) => provider.boundInput);
  refuseOverlong({ request, model, isPublic: allCanBoundInput, accountId: call.key.accountId }, counting);
  const isHidden = usageIsHidden(model, size, routes);
  if (isHidden && !abandoned.admits(call.key.accountId)) throw tooManyAbandoned();
  const price = callPrice(offered, size.longCache ?? false);
  const standardPrice = standard && callPrice(standard, size.longCache ?? false);
  const byteBound = upperBound(model, price, size);
  const admit = (promptTokens: number, bound: UpperBound, waitsForSettlements = true) =>
    admission.admit(context, {
      key: call.key,
      model,
      bareModelName: isBareName(request.model),
      provider: routes[0]!.provider.id,
      endpoint: call.path,
      streamed: request.stream,
      price,
      standardPrice,
      priceVersion,
      bound,
      promptTokens,
      choices: request.size.choices,
      predictionBytes: request.size.predictionBytes,
      callerNamedMaximum: request.size.maxOutputTokens !== undefined,
      waitsForSettlements,
      usageIsHidden: isHidden,
    });
  const { boundInput } = routes[0]!.provider;
  const { accountId } = call.key;
  const admitFor = (promptTokens: number) =>
    boundInput && allCanBoundInput
      ? admitByCount(
          byteBound,
          (bound, waitsForSettlements) => admit(promptTokens, bound, waitsForSettlements),
          () => {
            const counted = counting.run(accountId, DEFAULT_BUDGET_MS, (budgetMs) =>
              boundInput(body, budgetMs),
            );
            return counted === undefined ? byteBound : upperBound(model, price, size, counted);
          },
        )
      : admit(promptTokens, byteBound);
  const { provider } = routes[0]!;
  const admitted = await withPromptTokens(call.key, size, admitFor, () =>
    estimatePrompt({ request, size, model, provider, accountId }, counting),
  );
  return { accountId, request, model, routes, session, body, usageIsHidden: isHidden, ...admitted };
}

/** Returns the routes in the order in which they are tried, and the session that the call belongs to, if there is a choice. */
function placeCall(
  { providers, health, sessions }: AnswerChatDeps,
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

/** The account's abandoned calls end within ABANDONED_CALL_TIMEOUT_MS. */
const tooManyAbandoned = () =>
  new GatewayError('rate_limited', {
    detail:
      'too many calls of this account are still running at their providers after their callers disconnected',
    retryAfterSeconds: 60,
  });

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

/**
 * Returns the routes from the first one that can carry the call, and the request body for that one. Computed before any
 * money is reserved, because a call that no provider can carry is the client's mistake.
 */
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

function canCarry(request: CallerRequest, model: Model, { provider, target }: Route): boolean {
  try {
    if (provider.wire === request.wire)
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
  const { wire, size, conversation } = request;
  // One account of each provider: the others differ in their credentials only.
  const providers = [...new Map(routes.map(({ provider }) => [provider.id, provider])).values()];
  const passes = providers.filter((provider) => provider.wire === wire);
  const added = providers.map((provider) =>
    provider.wire === wire ? 0 : (provider.addedInputTokens?.(conversation()) ?? 0),
  );
  return {
    ...size,
    bodyBytes: Math.max(size.bodyBytes, translatedBytes(routes, request, model, body) - FRAME_BYTES),
    longCache: (size.longCache ?? false) && providers.some((one) => one.wire === wire || one.writesLongCache),
    openEnded: passes.some((provider) => isOpenEnded(request, model, provider)),
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
    if (wire === request.wire) return 0;
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

/**
 * Estimates the prompt precisely only for keys with a TPM limit. The limit may have been added since the key was cached:
 * then the estimate is made before the call is refused.
 */
async function withPromptTokens(
  { hasTpmLimit }: LinkCall['key'],
  size: RequestSize,
  admit: (promptTokens: number) => Promise<Admitted>,
  estimate: () => number,
): Promise<Admitted> {
  if (hasTpmLimit) return admit(estimate());
  try {
    return await admit(estimateInput(size));
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'tpm_rate_limited') throw error;
    return admit(estimate());
  }
}

/** Refusals that a tighter bound may avoid. */
const SPEND_LIMIT_CODES = new Set<string>([
  'insufficient_balance',
  'key_daily_limit',
  'key_monthly_limit',
  'account_daily_limit',
  'request_cost_limit',
]);

/** Counting costs more than a refused reservation, so only a call that does not fit by its bytes is counted. */
async function admitByCount(
  byteBound: UpperBound,
  admit: (bound: UpperBound, waitsForSettlements: boolean) => Promise<Admitted>,
  countedBound: () => UpperBound,
): Promise<Admitted> {
  try {
    return await admit(withoutReduction(byteBound), false);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (SPEND_LIMIT_CODES.has(error.code)) return admit(countedBound(), true);
    // Unused tokens of calls that have ended are returned shortly.
    if (isRetryableTpmLimit(error)) return admit(withoutReduction(byteBound), true);
    throw error;
  }
}
