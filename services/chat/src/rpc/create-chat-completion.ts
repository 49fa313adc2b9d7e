import { GatewayError } from '@gateway/proto';
import type { LinkCall, LinkReply, RequestContext } from '@gateway/runtime';
import {
  type Model,
  type ModelLookup,
  resolveChatModel,
  type Target,
  type TokenPrice,
} from '../domain/model';
import type { Provider } from '../domain/provider';
import { type UpperBound, upperBound, wholeOnly } from '../domain/upper-bound';
import { type ChatRequest, parseChatRequest } from '../formats/openai/chat-request';
import { countBound } from '../formats/openai/count-prompt';
import type { Admission, Admitted } from './admission';
import type { OpenAiRelay } from './relay-openai';

export interface ChatCompletionDeps {
  readonly models: ModelLookup;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly admission: Admission;
  readonly relay: OpenAiRelay;
}

/** `POST /v1/chat/completions`. */
export function createChatCompletion(deps: ChatCompletionDeps) {
  return async (context: RequestContext, call: LinkCall): Promise<LinkReply> => {
    const request = parseChatRequest(call.body);
    const model = resolveChatModel(deps.models, request.model, call.key);
    const { price, priceVersion } = priceFor(model, request);
    const { provider, target } = pickTarget(model, deps.providers);
    const cheap = upperBound(model, price, request.size);
    const admit = (bound: UpperBound) =>
      deps.admission.admit(context, {
        key: call.key,
        model,
        provider: provider.id,
        endpoint: call.path,
        streamed: request.stream,
        price,
        priceVersion,
        bound,
        choices: request.size.choices,
        callerNamedMaximum: request.size.maxOutputTokens !== undefined,
      });
    const admitted = provider.countsByO200k
      ? await admitByCount(cheap, admit, () => {
          const counted = countBound(request.body);
          return counted === undefined ? cheap : upperBound(model, price, request.size, counted);
        })
      : await admit(cheap);
    return deps.relay.send(context, { request, model, provider, target, ...admitted });
  };
}

/** No price, no route. */
function priceFor(model: Model, request: ChatRequest): { price: TokenPrice; priceVersion: bigint } {
  const { pricing } = model;
  if (!pricing)
    throw new GatewayError('internal_error', { cause: new Error(`${model.slug} has no token price`) });
  const tier = request.serviceTier;
  if (!tier || tier === 'auto' || tier === 'default')
    return { price: pricing.base, priceVersion: pricing.version };
  const price = pricing.serviceTiers.get(tier);
  if (!price)
    throw new GatewayError('invalid_request', { detail: `service_tier: ${model.slug} has no such tier` });
  return { price, priceVersion: pricing.version };
}

function pickTarget(
  model: Model,
  providers: ReadonlyMap<string, Provider>,
): { provider: Provider; target: Target } {
  const byPriority = [...model.targets].sort((a, b) => a.priority - b.priority);
  for (const target of byPriority) {
    const provider = providers.get(target.provider);
    if (provider) return { provider, target };
  }
  const cause = new Error(`no provider of ${model.slug} is set up`);
  throw new GatewayError('upstream_unavailable', { cause });
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
  admit: (bound: UpperBound) => Promise<Admitted>,
  countedBound: () => UpperBound,
): Promise<Admitted> {
  try {
    return await admit(wholeOnly(cheap));
  } catch (error) {
    if (!(error instanceof GatewayError) || !SHORT.has(error.code)) throw error;
    return admit(countedBound());
  }
}
