import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider } from '../domain/chat-provider';
import type { Model } from '../domain/model';
import type { Route } from '../domain/route';
import { estimateInput } from '../domain/upper-bound';

/**
 * What a route's provider gets: the caller's bytes where it speaks the caller's format, a translation elsewhere.
 * @param loweredMaxTokens output per choice that funds pay for, when that is less than what was asked for
 * @throws GatewayError `invalid_request` for what the provider cannot do
 */
export function upstreamBody(
  request: CallerRequest,
  model: Model,
  { provider, target }: Route,
  loweredMaxTokens: number | undefined,
): Buffer {
  const { upstreamModel } = target;
  if (provider.wire === request.wire) {
    const { maxTokensField, passedMembers } = provider;
    const maxTokens = loweredMaxTokens ?? boundedMaximum(request, model, provider);
    const overrides =
      passedMembers && ((body: Readonly<Record<string, unknown>>) => passedMembers(body, model.capabilities));
    return request.passedBody({ upstreamModel, maxTokens, maxTokensField, overrides });
  }
  const asked = request.size.maxOutputTokens ?? model.maxOutputTokens;
  const maxOutputTokens = loweredMaxTokens ?? Math.min(asked, model.maxOutputTokens);
  return provider.writeRequest(request.conversation(), upstreamModel, maxOutputTokens, model.capabilities);
}

/**
 * The model's own maximum, where nothing else keeps the output to it, and so to what is held for it: the caller names
 * more than that, or names none to a provider that goes on without. Undefined: as the caller has it.
 */
function boundedMaximum(request: CallerRequest, model: Model, provider: ChatProvider): number | undefined {
  const { maxOutputTokens: most } = model;
  const { maxOutputTokens: named } = request.size;
  if (named !== undefined) return named > most ? most : undefined;
  return provider.needsMaximum && !isOpenEnded(request, model, provider) ? most : undefined;
}

/** Whether nothing but the context ends the output. How much of that the prompt takes is only an estimate. */
export function isOpenEnded({ size, wire }: CallerRequest, model: Model, provider: ChatProvider): boolean {
  const { maxOutputTokens: most, contextLength } = model;
  if (size.maxOutputTokens !== undefined || provider.wire !== wire) return false;
  return provider.needsMaximum === 'where_it_fits' && estimateInput(size) + most > contextLength;
}
