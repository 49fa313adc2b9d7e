import { annotateFailure } from '@gateway/call-billing';
import { GatewayError, isRetryableTpmLimit } from '@gateway/errors';
import type { LinkCall, LinkReply } from '@gateway/link';
import { isBareName, modelNameForRecord } from '@gateway/models';
import type { CpuTimeQuota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { checkLinkHosts, type FindAddresses } from '@gateway/upstream';
import type { CallerRequest } from '../domain/caller-request';
import { catalogNotReceived, type ModelLookup, resolveChatModel } from '../domain/model';
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
import { admittedFallbacks, answeredByHeader, highestCost, planFallbacks } from './fallbacks';
import { type ChatProviders, type PlanDeps, type PlannedCall, planCall } from './plan-call';
import { estimatePrompt } from './prompt-estimate';
import { refuseOverlong } from './refuse-overlong';
import type { Admission, Admitted } from './reserve-call';

export interface AnswerChatDeps extends PlanDeps {
  /** For calls that search the web; absent: the same. */
  readonly searchProviders?: ChatProviders;
  /** For other calls with audio, which some of the providers' APIs do not take; absent: the same. */
  readonly audioProviders?: ChatProviders;
  readonly models: ModelLookup;
  readonly admission: Admission;
  readonly runner: ChatRunner;
  readonly counting: CpuTimeQuota;
  readonly abandoned: Pick<AbandonedCalls, 'admits'>;
  /** Of the hosts of links. */
  readonly addressesOf: FindAddresses;
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
      annotate(thrown, deps, request, hasHold);
      throw thrown;
    }
  };
}

/** Throws what would refuse the call before money is reserved for it; returns the slug of its model. */
export type CheckChat = (call: LinkCall, request: CallerRequest) => string;

export function checkChat(deps: AnswerChatDeps): CheckChat {
  return (call, request) => {
    try {
      return planAcceptable(deps, call, request)[0].model.slug;
    } catch (thrown) {
      annotate(thrown, deps, request, false);
      throw thrown;
    }
  };
}

function annotate(
  thrown: unknown,
  { models }: AnswerChatDeps,
  { model }: CallerRequest,
  hasHold: boolean,
): void {
  annotateFailure(thrown, { model: modelNameForRecord(models, model, thrown), hasHold });
}

async function admitChat(
  deps: AnswerChatDeps,
  context: RequestContext,
  call: LinkCall,
  request: CallerRequest,
): Promise<AdmittedCall> {
  const { counting, abandoned } = deps;
  const { accountId } = call.key;
  const [planned, ...others] = planAcceptable(deps, call, request);
  const { links } = request.size;
  if (links) {
    const routes = [planned, ...others].flatMap((plan) => plan.routes);
    await checkLinkHosts(routes, links, deps.addressesOf);
  }
  const admitsHidden = abandoned.admits(accountId);
  if (planned.usageIsHidden && !admitsHidden) throw tooManyAbandoned();
  const fallbacks = others.filter((plan) => admitsHidden || !plan.usageIsHidden);
  const usageIsHidden = [planned, ...fallbacks].some((plan) => plan.usageIsHidden);
  const admit: Admit = (promptTokens, bound, waitsForSettlements = true) =>
    deps.admission.admit(context, {
      ...planned,
      key: call.key,
      bareModelName: isBareName(request.model),
      provider: planned.routes[0]!.provider.id,
      endpoint: call.path,
      contentScopes: request.contentScopes,
      streamed: request.stream,
      bound,
      promptTokens,
      choices: request.size.choices,
      predictionBytes: request.size.predictionBytes,
      callerNamedMaximum: request.size.maxOutputTokens !== undefined,
      waitsForSettlements,
      usageIsHidden,
    });
  const { provider } = planned.routes[0]!;
  const admitted = await withPromptTokens(
    call.key,
    planned.size,
    (promptTokens) =>
      withFallbackCost(planned, fallbacks, promptTokens, admit, () =>
        admitPlanned(planned, promptTokens, admit, accountId, counting),
      ),
    () => estimatePrompt({ ...planned, provider, accountId }, counting),
  );
  const headers = { ...admitted.headers, ...answeredByHeader(planned) };
  const { detailedMessages } = call.key;
  const own = { ...planned, accountId, detailedMessages, usageIsHidden, ...admitted, headers };
  return { ...own, fallbacks: admittedFallbacks(own, fallbacks) };
}

/** @throws GatewayError as `planCalls`, and if the prompt is too long for the model */
function planAcceptable(
  deps: AnswerChatDeps,
  call: LinkCall,
  request: CallerRequest,
): readonly [PlannedCall, ...PlannedCall[]] {
  const plans = planCalls(deps, call, request);
  const [planned] = plans;
  const { accountId } = call.key;
  refuseOverlong({ request, model: planned.model, isPublic: canCount(planned), accountId }, deps.counting);
  return plans;
}

type Admit = (promptTokens: number, bound: UpperBound, waitsForSettlements?: boolean) => Promise<Admitted>;

/**
 * Plans the call to the requested model, then to its fallback models.
 * @throws GatewayError if the requested model can't take the call, unless only because none of its providers is configured
 */
function planCalls(
  answering: AnswerChatDeps,
  call: LinkCall,
  request: CallerRequest,
): readonly [PlannedCall, ...PlannedCall[]] {
  const { models, counting } = answering;
  const providers = providersFor(answering, request.size);
  const deps = { ...answering, providers };
  const model = resolveChatModel(models, request.model, call.key);
  if (!providers.loaded) throw catalogNotReceived();
  const sized = (size: RequestSize) => sizedPdfs(size, call.key.accountId, counting);
  try {
    const planned = planCall(deps, call, model, request, sized);
    return [planned, ...planFallbacks(deps, call, model, request, planned.size)];
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'upstream_unavailable') throw error;
    const [first, ...others] = planFallbacks(deps, call, model, request, sized(request.size));
    if (!first) throw error;
    return [first, ...others];
  }
}

function providersFor(
  { providers, searchProviders, audioProviders }: AnswerChatDeps,
  { webSearches, audio }: RequestSize,
): ChatProviders {
  return (webSearches ? searchProviders : audio && audioProviders) ?? providers;
}

/** The bound must hold for every target, and tokenizers of other providers differ. */
const canCount = ({ routes }: PlannedCall): boolean => routes.every(({ provider }) => provider.boundInput);

/**
 * Reserves what the most expensive fallback model may cost, if that is more. Funds that suffice only for the requested model are
 * no reason to refuse the call.
 */
async function withFallbackCost(
  { bound }: PlannedCall,
  fallbacks: readonly PlannedCall[],
  promptTokens: number,
  admit: Admit,
  admitWithout: () => Promise<Admitted>,
): Promise<Admitted> {
  const costNano = highestCost(fallbacks);
  if (costNano <= bound.costNano) return admitWithout();
  try {
    return await admit(
      promptTokens,
      { ...withoutReduction(bound), costNano, floorCostNano: costNano },
      false,
    );
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // Unused tokens of calls that have ended are returned shortly: only the attempt without the fallback models waits for them.
    if (!SPEND_LIMIT_CODES.has(error.code) && !isRetryableTpmLimit(error)) throw error;
    return admitWithout();
  }
}

function admitPlanned(
  planned: PlannedCall,
  promptTokens: number,
  admit: Admit,
  accountId: string,
  counting: CpuTimeQuota,
): Promise<Admitted> {
  const { model, price, size, body, bound: byteBound } = planned;
  const { boundInput } = planned.routes[0]!.provider;
  if (!boundInput || !canCount(planned)) return admit(promptTokens, byteBound);
  return admitByCount(
    byteBound,
    (bound, waitsForSettlements) => admit(promptTokens, bound, waitsForSettlements),
    () => {
      const counted = counting.run(accountId, DEFAULT_BUDGET_MS, (budgetMs) => boundInput(body, budgetMs));
      return counted === undefined ? byteBound : upperBound(model, price, size, counted);
    },
  );
}

/** The account's abandoned calls end within ABANDONED_CALL_TIMEOUT_MS. */
const tooManyAbandoned = () =>
  new GatewayError('rate_limited', {
    detail:
      'too many calls of this account are still running at their providers after their callers disconnected',
    retryAfterSeconds: 60,
  });

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
