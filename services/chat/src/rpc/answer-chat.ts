import { noteFailure } from '@gateway/metering';
import { GatewayError } from '@gateway/proto';
import type { LinkCall, LinkReply, RequestContext } from '@gateway/runtime';
import { routesOf } from '@gateway/upstream';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import type { CountingShare } from '../domain/counting-share';
import { type Model, type ModelLookup, resolveChatModel, type TokenPrice } from '../domain/model';
import { callPrice } from '../domain/price';
import type { Route } from '../domain/route';
import { DEFAULT_BUDGET_MS } from '../domain/token-count';
import { type RequestSize, type UpperBound, upperBound, wholeOnly } from '../domain/upper-bound';
import type { Admission, Admitted } from './admission';
import type { AdmittedCall } from './admitted-call';
import type { ChatRelay } from './chat-relay';
import { admitByEstimate, rateEstimate } from './rate-estimate';
import { isOpenEnded, upstreamBody } from './upstream-body';

export interface AnswerChatDeps {
  readonly models: ModelLookup;
  readonly providers: ReadonlyMap<string, ChatProvider>;
  readonly admission: Admission;
  readonly relay: ChatRelay;
  readonly counting: CountingShare;
}

export type AnswerChat = (
  context: RequestContext,
  call: LinkCall,
  request: CallerRequest,
) => Promise<LinkReply>;

/** Answers a chat call in whichever format: finds its model, holds its money, sends it and relays the reply. */
export function answerChat(deps: AnswerChatDeps): AnswerChat {
  return async (context, call, request) => {
    let held = false;
    try {
      const admitted = await admitChat(deps, context, call, request);
      held = true;
      return await deps.relay.send(context, admitted);
    } catch (thrown) {
      noteFailure(thrown, { model: request.model, held });
      throw thrown;
    }
  };
}

async function admitChat(
  { models, providers, admission, counting }: AnswerChatDeps,
  context: RequestContext,
  call: LinkCall,
  request: CallerRequest,
): Promise<AdmittedCall> {
  const model = resolveChatModel(models, request.model, call.key);
  const { version: priceVersion, offered, standard } = priceFor(model, request);
  const { routes, body } = prepare(request, model, routesOf(model, providers, Math.random));
  const size = sizeOn(routes, request, model, body);
  const price = callPrice(offered, size.longCache ?? false);
  const standardPrice = standard && callPrice(standard, size.longCache ?? false);
  const cheap = upperBound(model, price, size);
  const admit = (bound: UpperBound, isLast = true) =>
    admission.admit(context, {
      key: call.key,
      model,
      provider: routes[0]!.provider.id,
      endpoint: call.path,
      streamed: request.stream,
      price,
      standardPrice,
      priceVersion,
      bound,
      choices: request.size.choices,
      predictionBytes: request.size.predictionBytes,
      callerNamedMaximum: request.size.maxOutputTokens !== undefined,
      isLast,
    });
  const { boundInput } = routes[0]!.provider;
  // Whichever of them answers must not bill more than the hold, and others count by rules of their own.
  const countsAlike = routes.every(({ provider }) => provider.boundInput);
  const admitted =
    boundInput && countsAlike
      ? await admitByCount(cheap, admit, () => {
          const counted = counting.run(call.key.accountId, DEFAULT_BUDGET_MS, (budgetMs) =>
            boundInput(body, budgetMs),
          );
          return counted === undefined ? cheap : upperBound(model, price, size, counted);
        })
      : await admitByEstimate(cheap, admit, () =>
          rateEstimate({ request, model, size, bound: cheap, accountId: call.key.accountId }, counting),
        );
  return { accountId: call.key.accountId, request, model, routes, body, ...admitted };
}

/** No price, no route. */
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
 * The routes from the first on that can carry the call, and what its provider gets: made before any money is
 * held, because what no provider can carry is the caller's mistake.
 */
function prepare(
  request: CallerRequest,
  model: Model,
  routes: readonly Route[],
): { routes: readonly Route[]; body: Buffer } {
  let refusal: unknown;
  for (const [index, route] of routes.entries()) {
    try {
      const body = upstreamBody(request, model, route, undefined);
      return { routes: routes.slice(index).filter(({ provider }) => canCarry(request, provider)), body };
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal ?? noProvider(model);
}

/** Made only when it is needed, as every error on the way of a call is: its stack costs microseconds. */
function noProvider({ slug }: Model): GatewayError {
  return new GatewayError('upstream_unavailable', { cause: new Error(`no provider of ${slug} is set up`) });
}

function canCarry(request: CallerRequest, { wire }: ChatProvider): boolean {
  if (wire === request.wire) return true;
  try {
    request.conversation();
    return true;
  } catch {
    return false;
  }
}

/** A translation's own names for what the caller said in fewer letters; they are no input. */
const FRAME_BYTES = 1_024;

/**
 * With what the route that adds most of its own adds to the input. An hour of cache is asked only of a provider
 * of the caller's format: the other one has no word for it.
 * @param body what the first route's provider gets
 */
function sizeOn(routes: readonly Route[], request: CallerRequest, model: Model, body: Buffer): RequestSize {
  const { wire, size, conversation } = request;
  const passes = routes.filter(({ provider }) => provider.wire === wire);
  const added = routes.map(({ provider }) =>
    provider.wire === wire ? 0 : (provider.addedInputTokens?.(conversation()) ?? 0),
  );
  return {
    ...size,
    bodyBytes: Math.max(size.bodyBytes, translatedBytes(routes, request, model, body) - FRAME_BYTES),
    longCache: (size.longCache ?? false) && passes.length > 0,
    openEnded: passes.some(({ provider }) => isOpenEnded(request, model, provider)),
    hiddenInputTokens: Math.max(size.hiddenInputTokens ?? 0, ...added),
  };
}

/** Of the longest translation, which may say more than the caller did. One for each format: its providers differ little. */
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
    // It will be passed over.
    return 0;
  }
}

/** Refusals that a tighter bound may cure. */
const SHORT = new Set<string>([
  'insufficient_balance',
  'key_daily_limit',
  'key_monthly_limit',
  'account_daily_limit',
  'request_cost_limit',
  'tpm_rate_limited',
]);

/** Counting costs more than a refused hold, so only a call that does not fit by its bytes is counted. */
async function admitByCount(
  cheap: UpperBound,
  admit: (bound: UpperBound, isLast: boolean) => Promise<Admitted>,
  countedBound: () => UpperBound,
): Promise<Admitted> {
  try {
    return await admit(wholeOnly(cheap), false);
  } catch (error) {
    if (!(error instanceof GatewayError) || !SHORT.has(error.code)) throw error;
    return admit(countedBound(), true);
  }
}
