import { annotateFailure } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import type { LinkCall, LinkReply } from '@gateway/link';
import { isBareName, modelNameForRecord } from '@gateway/models';
import type { CpuTimeQuota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import { checkLinkHosts, type FindAddresses } from '@gateway/upstream';
import type { CallerRequest } from '../domain/caller-request';
import { catalogNotReceived, type ModelLookup, resolveChatModel } from '../domain/model';
import { sizedPdfs } from '../domain/sized-pdfs';
import { DEFAULT_BUDGET_MS } from '../domain/token-count';
import { estimateInput, type RequestSize, type UpperBound, upperBound } from '../domain/upper-bound';
import type { AbandonedCalls } from './abandoned-calls';
import { admitWithin, boundsOf, type PromptTokens } from './admit-within';
import type { AdmittedCall } from './admitted-call';
import type { ChatRunner } from './chat-runner';
import { admittedFallbacks, answeredByHeader, planFallbacks } from './fallbacks';
import { type ChatProviders, type PlanDeps, type PlannedCall, planCall } from './plan-call';
import { estimatePrompt } from './prompt-estimate';
import { refuseOverlong } from './refuse-overlong';
import type { Admission } from './reserve-call';

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
  const { provider } = planned.routes[0]!;
  const estimate = () => estimatePrompt({ ...planned, provider, accountId }, counting);
  const prompt: PromptTokens = call.key.hasTpmLimit
    ? { estimate: estimate(), precise: undefined }
    : { estimate: estimateInput(planned.size), precise: estimate };
  const bounds = boundsOf(planned, fallbacks, countedBound(planned, accountId, counting));
  const admitted = await admitWithin(bounds, prompt, (promptTokens, bound, waitsForSettlements) =>
    deps.admission.admit(context, {
      ...planned,
      key: call.key,
      bareModelName: isBareName(request.model),
      provider: provider.id,
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
    }),
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

/** Returns the function that bounds the cost by a counted prompt, as far as the account's CPU quota allows; undefined if it can't be counted. */
function countedBound(
  planned: PlannedCall,
  accountId: string,
  counting: CpuTimeQuota,
): (() => UpperBound) | undefined {
  const { model, price, size, body, bound, routes } = planned;
  const { boundInput } = routes[0]!.provider;
  if (!boundInput || !canCount(planned)) return undefined;
  return () => {
    const counted = counting.run(accountId, DEFAULT_BUDGET_MS, (budgetMs) => boundInput(body, budgetMs));
    return counted === undefined ? bound : upperBound(model, price, size, counted);
  };
}

/** The account's abandoned calls end within ABANDONED_CALL_TIMEOUT_MS. */
const tooManyAbandoned = () =>
  new GatewayError('rate_limited', {
    detail:
      'too many calls of this account are still running at their providers after their callers disconnected',
    retryAfterSeconds: 60,
  });
