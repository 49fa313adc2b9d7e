import { GatewayError } from '@gateway/errors';
import type { LinkCall } from '@gateway/link';
import { canCall } from '@gateway/models';
import type { CallerRequest } from '../domain/caller-request';
import type { Model, ModelLookup } from '../domain/model';
import { estimateInput, type RequestSize } from '../domain/upper-bound';
import type { AdmittedCall, ModelCall } from './admitted-call';
import { type PlanDeps, type PlannedCall, planCall } from './plan-call';
import { maxTokensHeader, paidOutput } from './reserve-call';

/** Request header: `off` keeps fallback models from answering the call. */
const SWITCH_HEADER = 'x-gateway-fallback';
/** Response header: the fallback model that answers. */
const ANSWERED_BY_HEADER = 'x-gateway-fallback-model';

export interface FallbackDeps extends PlanDeps {
  readonly models: ModelLookup;
}

/**
 * Plans the call to those fallback models of `model` that can take it: active, allowed to the key, and with a context that is long
 * enough. None if the key or the call switches them off.
 * @param known the size of the call with the figures of its PDFs
 * @throws GatewayError `invalid_request` for an unknown value of X-Gateway-Fallback
 */
export function planFallbacks(
  deps: FallbackDeps,
  call: LinkCall,
  model: Model,
  request: CallerRequest,
  known: RequestSize,
): readonly PlannedCall[] {
  if (isSwitchedOff(call)) return [];
  const sized = (size: RequestSize) => (known.pdf ? { ...size, pdf: known.pdf } : size);
  return model.fallbackModels.flatMap((slug) => {
    const fallback = deps.models.get(slug);
    if (!fallback?.outputModalities.includes('text') || !canCall(fallback, call.key)) return [];
    if (estimateInput(known) > fallback.contextLength) return [];
    try {
      return [{ ...planCall(deps, call, fallback, request, sized), requestedModel: model.slug }];
    } catch (error) {
      if (error instanceof GatewayError) return [];
      throw error;
    }
  });
}

function isSwitchedOff({ key, headers }: LinkCall): boolean {
  const value = headers[SWITCH_HEADER];
  if (value !== undefined && value !== 'on' && value !== 'off')
    throw new GatewayError('invalid_request', { detail: 'X-Gateway-Fallback: must be on or off' });
  return key.noFallbackModels || value === 'off';
}

/** Returns the response header that names the model if it is a fallback model. */
export const answeredByHeader = ({
  model,
  requestedModel,
}: Pick<PlannedCall, 'model' | 'requestedModel'>): Record<string, string> =>
  requestedModel === undefined ? {} : { [ANSWERED_BY_HEADER]: model.slug };

/** Returns the maximum cost of the most expensive of these calls, 0 without any. */
export function highestCost(calls: readonly PlannedCall[]): bigint {
  let highest = 0n;
  for (const { bound } of calls) if (bound.costNano > highest) highest = bound.costNano;
  return highest;
}

/**
 * Returns the admitted call as it is sent to its fallback models, without those that its hold does not pay for. Their bodies are not
 * kept, because few calls need them.
 */
export function admittedFallbacks(
  admitted: Omit<AdmittedCall, 'fallbacks'>,
  planned: readonly PlannedCall[],
): readonly ModelCall[] {
  const { body: _, ...own } = admitted;
  return planned.flatMap((plan) => {
    const holdNano = admitted.metered.call.holdNano ?? 0n;
    if (plan.bound.floorCostNano > holdNano) return [];
    const { model, requestedModel, price, standardPrice, priceVersion, routes, session } = plan;
    const output = paidOutput(holdNano, { ...plan, ...admitted.request.size });
    const { 'x-gateway-max-tokens': _lowered, ...headers } = admitted.headers;
    return [
      {
        ...own,
        ...output,
        model,
        ...(requestedModel !== undefined && { requestedModel }),
        routes,
        session,
        headers: { ...headers, ...maxTokensHeader(output), ...answeredByHeader(plan) },
        billedAs: { model: model.slug, price, standardPrice, priceVersion },
      },
    ];
  });
}
