import { GatewayError } from '@gateway/errors';
import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import type { Model } from '../domain/model';
import { hasOtherRoot, withObjectRoot } from '../domain/object-output';
import { passesThrough } from '../domain/passes-through';
import type { Route } from '../domain/route';
import { estimateInput } from '../domain/upper-bound';
import { fittedBody } from './fitted-body';
import { withFittedNames } from './fitted-tools';

/** Of a summary with the thinking before it. With a model's own maximum, a conversation that nearly fills its context would not fit. */
const MAX_SUMMARY_TOKENS = 16_384;

/**
 * Returns the request body for a route's provider: the client's bytes if it has the client's format, a translation
 * otherwise.
 * @param loweredMaxTokens output per choice that funds pay for, if less than requested
 * @throws GatewayError `invalid_request` for what the provider does not support
 */
export function upstreamBody(
  request: CallerRequest,
  model: Model,
  { provider, target }: Route,
  loweredMaxTokens: number | undefined,
): Buffer {
  const { upstreamModel } = target;
  if (passesThrough(request, provider)) {
    const { maxTokensField, passThroughMembers } = provider;
    const maxTokens = loweredMaxTokens ?? boundedMaximum(request, model, provider);
    const overrides =
      passThroughMembers &&
      ((body: Readonly<Record<string, unknown>>) =>
        passThroughMembers(body, model.capabilities, upstreamModel));
    const body = request.passThroughBody({ upstreamModel, maxTokens, maxTokensField, overrides });
    return fittedBody(body, request, provider, upstreamModel);
  }
  const asked =
    request.size.maxOutputTokens ?? (request.compacts ? MAX_SUMMARY_TOKENS : model.maxOutputTokens);
  const maxOutputTokens = loweredMaxTokens ?? Math.min(asked, model.maxOutputTokens);
  const named = withFittedNames(request, provider);
  const fits = !provider.objectOutput || !hasOtherRoot(named.output);
  return provider.writeRequest(
    fits ? named : { ...named, output: withObjectRoot(named.output) },
    upstreamModel,
    maxOutputTokens,
    model.capabilities,
  );
}

/**
 * Returns the model's own maximum if nothing else limits the output to it, and so to the hold: the client requests more, or
 * names no maximum to a provider that has no default. Undefined: the client's value is used.
 */
function boundedMaximum(request: CallerRequest, model: Model, provider: ChatProvider): number | undefined {
  const { maxOutputTokens: most } = model;
  const { maxOutputTokens: named } = request.size;
  if (named !== undefined) return named > most ? most : undefined;
  return provider.needsMaximum && !isOpenEnded(request, model, provider) ? most : undefined;
}

/** Whether only the context ends the output. How much of the context the prompt takes is an estimate. */
export function isOpenEnded(request: CallerRequest, model: Model, provider: ChatProvider): boolean {
  const { maxOutputTokens: most, contextLength } = model;
  const { size } = request;
  if (size.maxOutputTokens !== undefined || !passesThrough(request, provider)) return false;
  return provider.needsMaximum === 'where_it_fits' && estimateInput(size) + most > contextLength;
}

/** Returns the body that `write` returns; undefined if the provider cannot carry the call. */
export function bodyOrUndefined(write: () => Buffer): Buffer | undefined {
  try {
    return write();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
